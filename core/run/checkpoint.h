#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/data/text_source.h"
#include "core/spec/event.h"
#include "core/spec/named_tensor.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// Everything that a run needs to resume: weights, optimizer state and progress.
struct Checkpoint {
    RunSpec spec;
    std::string vocabulary;  // the text of Vocabulary::to_text()
    RunConditions conditions;
    std::int64_t iteration = 0;
    /// Step of the newest evaluation; −1 before the first one.
    std::int64_t evaluated = -1;
    RunSummary summary;
    std::vector<NamedTensor> state;
    /// Identity of the training data; nullopt in files of older versions of RoPE Lab.
    std::optional<TextMark> text = std::nullopt;
};

/// Writes a checkpoint atomically as one safetensors file: the tensors are the state, all else is metadata. Throws
/// BadInput if the file cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// Reads a checkpoint; nullopt if the file does not exist. Throws BadInput if it cannot be read.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path);
/// Reads a checkpoint without its tensors (`state` is empty); nullopt if the file does not exist. Throws BadInput if it
/// cannot be read.
std::optional<Checkpoint> read_checkpoint_head(const std::filesystem::path& path);

}  // namespace ropelab
