#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/run/checkpoint.h"

namespace ropelab {

/// The rest of a text is cut off.
inline constexpr std::int64_t most_activation_tokens = 96;

struct StageActivation {
    StagePlace place;
    std::int64_t iteration = 0;        // of the checkpoint
    std::vector<std::int32_t> tokens;  // of the text, at most `most_activation_tokens` and the context
    ProbeArray numbers;                // as Model::stage_output returns it
};

/// BadInput if the text is empty or outside the vocabulary, or the model has no output of the stage.
StageActivation stage_activation(Engine& engine, const Checkpoint& checkpoint, std::string_view text,
                                 const StagePlace& place);

/// The first tokens of the validation split. Throws BadInput if the data set cannot be opened.
std::string activation_excerpt(const Checkpoint& checkpoint, const std::filesystem::path& data_dir);

}  // namespace ropelab
