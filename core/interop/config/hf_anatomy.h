#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/plan/model_plan.h"

namespace ropelab {

/// The plan is for one sequence of `tokens` tokens (0: of the context length), with the frequencies that the model's
/// scaling has at this length. Norms, biases and feed-forward networks are those of the model
/// types in resources/models/decoders.json. What the config or the model type does not define is unknown, and a remark
/// says so. The KV cache and the last tokens of convolutions have 2 bytes per number, the states of gated DeltaNets 4.
/// Throws BadInput as read_hf_config does, if a size is out of range, and for more tokens than learned positions.
ModelPlan hf_plan(const nlohmann::json& config, std::int64_t tokens = 0);
/// The name of an activation, or of the gate's one, in transformers; "" if it has none.
std::string hf_activation(FeedForward kind);
Anatomy hf_anatomy(const nlohmann::json& config);

}  // namespace ropelab
