#pragma once

#include <nlohmann/json.hpp>

#include "core/experiment/anatomy.h"

namespace ropelab {

/// Returns the stages of a Hugging Face model from its parsed config.json, for one sequence of its context length.
/// Parameters, norms and biases are those of the model types that it knows (decoders of the Llama, GPT-NeoX, GPT-J,
/// Phi, Gemma, Mistral, OLMo and Qwen families); what the config or the model type does not define is unknown, and a
/// remark says so. The KV cache has 2 bytes per number. Throws BadInput as read_hf_config does.
Anatomy hf_anatomy(const nlohmann::json& config);

}  // namespace ropelab
