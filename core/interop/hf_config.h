#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/rope/frequencies.h"

namespace ropelab {

/// The frequencies that Hugging Face transformers computes from a model's config.json. The fraction may be called
/// partial_rotary_factor, rotary_pct, rotary_percentage, rope_percent, rotary_dim (a count), or stand in
/// rope_parameters; the rotary dimension is int(head_dim · fraction), Hugging Face's own rule, not F10's. `layer_type`
/// ("full_attention", "sliding_attention") picks one of several sets of a model that has them, as Gemma 3's. Rope types
/// default and linear are known. Throws BadInput, naming the field, for what is missing or unknown.
Frequencies hf_frequencies(const nlohmann::json& config, std::string_view layer_type = "");

}  // namespace ropelab
