#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/experiment/experiment.h"
#include "core/spec/probe.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

/// What is shown, and of which moment.
struct Seen {
    RunRecord record;
    RunSpec spec;
    std::int64_t iteration = 0;
    std::string source;
    ProbeRequest request;
    ProbeResult result;
    std::optional<ProbeResult> whole;  // without the knock-out
};

/// The keys that `probe --help` lists.
nlohmann::json json_of(const Seen& seen);
/// Losses, entropy and sinks of every head, the largest logit shares, retrieval by lag.
std::string text_of(const Seen& seen);

}  // namespace ropelab::terminal
