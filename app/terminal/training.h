#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/experiment/runner.h"

namespace ropelab::terminal {

/// What is known of a run while it trains, from its events.
struct Outcome {
    PlannedRun plan;
    RunState state = RunState::waiting;
    std::string message;
    RunSummary summary;
    RunConditions conditions;
};

/// Memory that training takes, as foretold and as measured (0 where nothing was trained).
struct Memory {
    std::int64_t predicted = 0;
    std::int64_t peak = 0;
};

/// Trains a plan to its end or to an interrupt, with a line of progress; `lab` is the file it is recorded into, empty
/// for none. Says which of the lab's runs are left to other programs. Fills in the outcomes of its runs. Returns how it
/// ended; a plan without runs is finished. Throws BadInput where another program trains one of the runs, and
/// std::runtime_error where the lab does not hold all that was trained.
event::SweepEnded train(Plan plan, const std::filesystem::path& lab, std::map<RunId, Outcome>& outcomes,
                        Memory& memory);

/// "1.4728", "–" for a loss that is not there.
std::string loss_text(double loss);

}  // namespace ropelab::terminal
