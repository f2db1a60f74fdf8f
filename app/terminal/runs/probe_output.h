#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "core/study/ablation.h"
#include "core/experiment/experiment.h"
#include "core/spec/probe.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

/// The measurements that `probe` prints, and the run, step and request that they belong to.
struct Probed {
    RunRecord record;
    RunSpec spec;
    std::int64_t iteration = 0;
    std::string source;  // where the measurements come from: "snapshot" or "checkpoint"
    ProbeRequest request;
    ProbeResult result;
    std::optional<ProbeResult> whole;  // measurements of the unmodified model, if the request ablates pairs
    /// Controls of the ablation; nullopt unless the request has exactly one kind of ablation.
    std::optional<AblationControls> controls;
};

/// Returns the JSON object that `probe --json` prints.
nlohmann::json json_of(const Probed& probed);
/// Returns the text that `probe` prints: loss; entropy, attention sink and largest logit contributions per head; and
/// retrieval accuracy by distance.
std::string text_of(const Probed& probed);

}  // namespace ropelab::terminal
