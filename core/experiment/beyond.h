#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/spec/engine.h"

namespace ropelab {

// A trained run beyond its context: read there with scaling methods, and trained on there.

/// The methods that are compared: plain RoPE, position interpolation, NTK-aware, dynamic NTK, YaRN, Llama 3 (F18–F23).
std::span<const ScalingMethod> beyond_methods();

/// How a run is trained on: at `factor` times its context, with one scaling of that factor.
struct FineTuning {
    ScalingMethod method = ScalingMethod::yarn;
    std::int64_t factor = 4;
    std::int64_t steps = 100;
    /// The same at every step; 0: a tenth of the run's own.
    double learning_rate = 0;

    bool operator==(const FineTuning&) const = default;
};
double learning_rate_of(const FineTuning& how, const RunSpec& spec);
/// Throws BadInput where such a run cannot be trained on so: learned positions, no rotation, a theta that moves,
/// settings out of range.
void check_fine_tuning(const RunSpec& spec, const FineTuning& how);

/// The windows read once with a method, before or after fine-tuning.
struct BeyondReading {
    ScalingMethod method = ScalingMethod::none;
    std::shared_ptr<const ProbeResult> result;
    std::optional<FineTuning> fine_tuning = {};
};

struct BeyondResult {
    std::int64_t factor = 4;
    std::int64_t iteration = 0;
    std::vector<BeyondReading> readings;
};

/// The longest windows that are read and trained on beyond a context, in symbols.
inline constexpr std::int64_t longest_reach = 1'048'576;

/// Reads the checkpoint at `factor` times its context, once a method: evenly spaced windows of the validation split,
/// and copies to retrieve. By itself it takes as many windows as hold 16,384 symbols, but 4 at least and 32 at most;
/// else `windows`, where 0 means every one that does not overlap. A cancelled one lacks readings. Throws BadInput for a
/// factor below 1 or beyond `longest_reach`, learned positions, a run that does not rotate, and where the data is not
/// there or too short.
BeyondResult read_beyond(Engine& engine, const Checkpoint& checkpoint, std::int64_t factor,
                         std::span<const ScalingMethod> methods, const std::filesystem::path& data_dir,
                         const std::function<bool()>& cancelled, std::optional<std::int64_t> windows = {});

/// The checkpoint after `steps` more steps of training, in memory alone: neither the run nor its file changes. The
/// optimizer goes on where it stood, batches as if the run went on; a batch has the run's number of windows divided by
/// `factor`, rounded down, but one at least: no more symbols than before, unless the run had fewer windows than that.
/// Precision and threads are the run's, its device too where it is here. `goes_on` is told the steps done
/// before each step and at the end, and asked whether to go on; nullopt where it was not. Its `spec` keeps the run's
/// context, so that it is read as the checkpoint is. Throws BadInput as `read_beyond`, for settings out of range, for a
/// theta that moves, and where the loss is no longer finite.
std::optional<Checkpoint> fine_tuned(Engine& engine, const Checkpoint& checkpoint, const FineTuning& how,
                                     const std::filesystem::path& data_dir,
                                     const std::function<bool(std::int64_t done)>& goes_on);

/// Read as `read_beyond` does with its method, before and after; fewer readings where it was cancelled.
BeyondResult fine_tune_beyond(Engine& engine, const Checkpoint& checkpoint, const FineTuning& how,
                              const std::filesystem::path& data_dir,
                              const std::function<bool(std::int64_t done)>& goes_on,
                              std::optional<std::int64_t> windows = {});

/// Mean loss in nats of the positions inside the context, and of those beyond it; NaN without any.
struct SplitLoss {
    double inside = 0;
    double beyond = 0;
};
SplitLoss split_loss(const ProbeResult& result, std::int64_t context);

}  // namespace ropelab
