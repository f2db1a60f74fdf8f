#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/data/text_source.h"
#include "core/spec/event.h"
#include "core/spec/named_tensor.h"
#include "core/spec/run_spec.h"

namespace ropelab {

struct Checkpoint {
    RunSpec spec;
    std::string vocabulary;  // the text of Vocabulary::to_text()
    RunConditions conditions;
    std::int64_t iteration = 0;
    /// −1 before the first one.
    std::int64_t evaluated = -1;
    RunSummary summary;
    std::vector<NamedTensor> state;
    /// nullopt in files of older versions of RoPE Lab.
    std::optional<TextMark> text = std::nullopt;
    /// A stop cut the sample of the last evaluation, so that the resumed run generates it.
    bool sample_is_cut = false;
};

/// Atomic; a safetensors file with the state as tensors and all else as metadata. BadInput if it cannot be written.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// nullopt if the file does not exist. Throws BadInput if it cannot be read.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path);
/// Without tensors (`state` is empty); otherwise as read_checkpoint().
std::optional<Checkpoint> read_checkpoint_head(const std::filesystem::path& path);

}  // namespace ropelab
