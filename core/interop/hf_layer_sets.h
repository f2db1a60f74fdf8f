#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/interop/hf_config.h"

namespace ropelab {

/// In the form of transformers 5.
struct HfLayerSet {
    std::string type;  // layer type; "" if all layers have the same parameters
    nlohmann::json parameters = nlohmann::json::object();
    bool from_library = false;  // true if the parameters are library defaults and not from the file
    bool local_theta = false;   // true if theta has another name for this type (Gemma 3, ModernBERT)
};

/// Full_attention first. The parameters come from rope_parameters (flat or nested), rope_scaling, the older keys of
/// models with two layer types, or the library defaults. Throws BadInput if one of these values is not an object.
std::vector<HfLayerSet> hf_layer_sets(const nlohmann::json& config, const nlohmann::json& defaults);

void name_unknown_keys(const nlohmann::json& config, const std::vector<HfLayerSet>& sets, HfModel& model);

}  // namespace ropelab
