#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/interop/config/hf_model.h"

namespace ropelab {

/// For a type of Hugging Face transformers, the rotary keys are those that its class reads, in the places where it
/// reads them; a remark names the others. For other types, and for sizes and the context, all names that transformers 4
/// and 5, the code of the models, Mistral's and Meta's params.json and nanoGPT use are known, at the top level or in
/// text_config and similar objects. Rope types: default, axial, mrope, linear, dynamic, yarn, longrope (su), llama3,
/// proportional. Models without rotary embeddings are those with ALiBi, learned or no positions whose layers are known.
/// Throws BadInput for others, for other files of a model, if a value has the wrong type or is out of range, for an
/// unknown rope type, and if a value without default is missing.
HfModel read_hf_config(const nlohmann::json& config);

/// Throws BadInput for text that is not JSON, exceeds 4 MiB or 64 levels; the message calls it `name`.
nlohmann::json parse_model_config(std::string_view text, const std::string& name = "The config");
/// Throws BadInput if the file cannot be read, and as parse_model_config does.
nlohmann::json load_model_config(const std::filesystem::path& file);

}  // namespace ropelab
