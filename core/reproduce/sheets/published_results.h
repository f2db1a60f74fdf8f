#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/data/text_source.h"
#include "core/spec/event.h"
#include "core/spec/run_spec.h"
#include "core/stats/t_test.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Result that a paper reports for one value of a setting.
struct PublishedValue {
    std::string source;   // "Huang et al. 2025, table 2"
    std::string data;     // name of the data set: "tinyshakespeare"
    std::string key;      // "theta"
    double at = 0;        // the setting's value
    std::string measure;  // "best_validation_loss"
    Sample sample;
};

/// Run that published values can be compared with.
struct ComparableRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<TextMark> text;  // nullopt if it is unknown
};

/// Published values for the runs of a lab.
struct PublishedResults {
    std::vector<PublishedValue> values;
    /// Why the values for data sets of these runs are left out, one sentence per data set.
    std::vector<std::string> omitted;
};

/// Returns the best validation losses that Huang et al. 2025 report for the data sets of these runs, by θ, in nats and
/// in bits: mean and sample standard deviation over its seeds. A data set is left out if a run trained on a part of it
/// or if the model or the training of a run with RoPE differs from the paper's, because the losses are not comparable.
PublishedResults published_results(std::span<const ComparableRun> runs);

/// Returns the published losses of the runs' data sets as text, one line per value, or the reasons why they are left
/// out;
/// "" if the paper used none of the data sets.
std::string published_text(std::span<const RunRecord> runs);

}  // namespace ropelab
