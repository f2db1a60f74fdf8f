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

/// "gptneox" for gpt_neox; "" for a model type of transformers whose GGUF files the program does not read.
std::string gguf_architecture(std::string_view model_type);

/// Changes the plan of this config to what a GGUF file of the architecture contains: its names, the order of the rows
/// of queries and keys, and norms whose weights are not centred on zero.
void adapt_to_gguf(ModelPlan& plan, const std::string& architecture);
/// Channels 2i and 2i + 1 rotate together, as in the files of Meta, from which Hugging Face reorders the rows of
/// queries and keys.
void rotate_neighbours(ModelPlan& plan);

/// The tokenizer of a GGUF file: SentencePiece (the kind llama), or byte-level BPE (gpt2) with a pre-tokenizer that the
/// program knows. `name` is its name in messages. Throws BadInput, naming the kind, for others.
std::shared_ptr<const Subwords> gguf_tokenizer(const GgufHeader& header, const std::string& name);

/// RoPE Lab's own key of metadata, with "gelu" or "gelu_new": which GELU a model of gpt2 or gptneox has.
inline constexpr const char* gguf_activation_key = "ropelab.activation_function";

/// rotated/head, so that the product with `head` is never below `rotated`, because transformers rounds it down.
double fraction_of_channels(std::int64_t rotated, std::int64_t head);

/// Metadata for a tokenizer.json that tokenizer_json() made, with `size` tokens. Throws BadInput for one that GGUF does
/// not have.
std::vector<std::pair<std::string, GgufEntry>> gguf_tokenizer_entries(const nlohmann::json& tokenizer,
                                                                      std::int64_t size);

}  // namespace ropelab
