#pragma once

#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/data/tokenizer/vocabulary.h"
#include "core/plan/model_plan.h"
#include "core/weights/weight_files.h"

namespace ropelab {

/// The metadata of a GGUF file as a config.json of Hugging Face. `files` must be those of a GGUF file. Throws BadInput
/// for an architecture or a setting that the program does not read from GGUF.
nlohmann::json gguf_config(const WeightFiles& files);

/// Changes the plan of this config to what the file contains: its names, and the order of the rows of queries and keys.
void adapt_to_gguf(ModelPlan& plan, const WeightFiles& files);
/// Channels 2i and 2i + 1 rotate together, as in the files of Meta, from which Hugging Face reorders the rows of
/// queries and keys.
void rotate_neighbours(ModelPlan& plan);

/// The tokenizer of a GGUF file: SentencePiece (the kind llama), or byte-level BPE (gpt2) with a pre-tokenizer that the
/// program knows. `name` is its name in messages. Throws BadInput, naming the kind, for others.
std::shared_ptr<const Subwords> gguf_tokenizer(const GgufHeader& header, const std::string& name);

}  // namespace ropelab
