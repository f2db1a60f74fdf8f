#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "core/run/checkpoint.h"

namespace ropelab {

/// What a model card says of a run besides its checkpoint.
struct ExportedRun {
    Checkpoint checkpoint;
    std::string name = {};
    std::string lab = {};      // name of the lab file; "" without one
    std::string version = {};  // of RoPE Lab
};

struct ExportedModel {
    std::string layout;           // "Llama"
    std::int64_t parameters = 0;  // of the file
    std::filesystem::path path;
};

/// The model of a run as a folder that Hugging Face transformers loads: config, weights in float32, tokenizer,
/// generation config, model card. nullopt, and nothing is written, if `cancelled` returns true. Throws BadInput, naming
/// the part, if no layout has a part of the model (published_layout) or the tokenizer (tokenizer_json), and for a
/// folder that exists and is not empty. Until all is written, it has another name.
std::optional<ExportedModel> export_hugging_face(const ExportedRun& run, const std::filesystem::path& folder,
                                                 const std::function<bool()>& cancelled = nullptr);

/// As a GGUF file: matrices in F16, vectors and tables of positions in F32. Throws BadInput also for a part that GGUF
/// does not have, and for a file that exists, unless it is to be replaced.
std::optional<ExportedModel> export_gguf(const ExportedRun& run, const std::filesystem::path& file, bool replaces,
                                         const std::function<bool()>& cancelled = nullptr);

}  // namespace ropelab
