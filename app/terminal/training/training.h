#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/run/runner.h"

namespace ropelab::terminal {

struct Outcome {
    PlannedRun plan;
    RunState state = RunState::waiting;
    std::string message;
    RunSummary summary;
    RunConditions conditions;
};

/// Bytes, predicted and measured; 0 if nothing was trained.
struct Memory {
    std::int64_t predicted = 0;
    std::int64_t peak = 0;
};

/// Until the plan ends or is interrupted. Records into the file `lab` unless it is empty, and names runs that other
/// programs train. Returns how training ended; a plan without runs counts as finished. Throws BadInput if another
/// program trains one of the runs, and std::runtime_error if the lab could not store everything.
event::SweepEnded train(Plan plan, const std::filesystem::path& lab, std::map<RunId, Outcome>& outcomes,
                        Memory& memory);

}  // namespace ropelab::terminal
