#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/plan/model_plan.h"
#include "core/weights/weight_files.h"

namespace ropelab {

/// The metadata of a GGUF file as a config.json of Hugging Face. `files` must be those of a GGUF file. Throws BadInput
/// for an architecture or a setting that the program does not read from GGUF.
nlohmann::json gguf_config(const WeightFiles& files);

/// Changes the plan of this config to what the file contains: its names, and the order of the rows of queries and keys.
void adapt_to_gguf(ModelPlan& plan, const WeightFiles& files);

/// The tokenizer of a GGUF file as a tokenizer.json. Throws BadInput, naming the kind, for one that is not byte-level
/// BPE with pre-tokenizers that the program knows.
nlohmann::json gguf_tokenizer(const GgufHeader& header);

}  // namespace ropelab
