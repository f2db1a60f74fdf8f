#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "core/data/text_mark.h"
#include "core/spec/event.h"
#include "core/spec/named_tensor.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// All that a run needs to go on: weights and optimizer state, and how far it had come.
struct Checkpoint {
    RunSpec spec;
    std::string vocabulary;  // Vocabulary::to_text
    RunConditions conditions;
    std::int64_t iteration = 0;
    /// The newest evaluation is of this iteration; −1 before the first.
    std::int64_t evaluated = -1;
    RunSummary summary;
    std::vector<NamedTensor> state;
    /// What it was trained on; nullopt in files of an older RoPE Lab.
    std::optional<TextMark> text = std::nullopt;
};

/// One safetensors file; the rest lies in its metadata. Written atomically. Throws BadInput.
void write_checkpoint(const std::filesystem::path& path, const Checkpoint& checkpoint);
/// nullopt where there is no such file. Throws BadInput where it cannot be read.
std::optional<Checkpoint> read_checkpoint(const std::filesystem::path& path);
/// The same without its state, which stays in the file.
std::optional<Checkpoint> read_checkpoint_head(const std::filesystem::path& path);

}  // namespace ropelab
