#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ropelab {

/// The id of the stage (AnatomyStage::id in core/plan/anatomy.h) and its layer, which is −1 outside the layers.
struct StagePlace {
    std::string id;
    std::int64_t layer = -1;

    auto operator<=>(const StagePlace&) const = default;
};

struct StageTimesRequest {
    std::int64_t sequences = 1;        // sequences per forward pass
    std::vector<std::int32_t> tokens;  // of shape (sequences, tokens per sequence)
    std::int64_t passes = 5;           // measured forward passes, which follow one pass that is not measured
    /// Returns true to end early; the result is then empty.
    std::function<bool()> cancelled = {};
};

/// Stages that the engine computes as one operation have one time, that of `within`, which is not divided.
struct StageTime {
    StagePlace place;
    double seconds = 0;                // median over the passes; 0 if the time is within that of another stage
    std::optional<StagePlace> within;  // the stage whose time contains this stage
};

struct StageTimes {
    std::vector<StageTime> stages;  // in the order of their first computation; then those within other stages
    double whole = 0;               // seconds of a whole pass, measured without observing the stages; median
    std::int64_t sequences = 0;     // sequences per pass
    std::int64_t length = 0;        // tokens per sequence
    std::int64_t passes = 0;
    std::string precision;  // "float32" or "bfloat16"
    std::string device;     // "cpu" or "cuda"

    bool empty() const { return stages.empty(); }
};

}  // namespace ropelab
