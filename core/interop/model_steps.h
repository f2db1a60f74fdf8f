#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <vector>

#include "core/interop/opened_model.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// A model as it was after a step of its training.
struct ModelStep {
    std::int64_t step = 0;
    std::filesystem::path path;
};

/// The checkpoints of one training, ascending: folders in `folder` that have a config.json and are named by their step
/// (checkpoint-500, step1000, global_step1000, iter_0000500, 500, step1000-tokens2B). Empty for a file, for a folder
/// with a config of its own, and for fewer than two checkpoints. Throws BadInput if two have the same step.
std::vector<ModelStep> model_steps(const std::filesystem::path& folder);

/// The last of them, or `path` itself for one model.
std::filesystem::path last_model(const std::filesystem::path& path);

/// Throws BadInput as OpenedModel does, and for layers or sizes that differ from those of `others`.
OpenedModel open_step(const ModelStep& step, const ModelPlan& others);

/// Losses that the Trainer of transformers logged in a trainer_state.json of the folder, or of its last checkpoint that
/// has one. Empty without such a file, or if it has no numbers.
RunMetrics logged_losses(const std::filesystem::path& folder, std::span<const ModelStep> steps);

}  // namespace ropelab
