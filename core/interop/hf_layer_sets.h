#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/interop/hf_config.h"

namespace ropelab {

/// The rope parameters of one layer type, as transformers 5 would nest them.
struct HfLayerSet {
    std::string type;  // "" where all layers have the same
    nlohmann::json parameters = nlohmann::json::object();
    bool from_library = false;  // the parameters are the library's, not the file's
    bool local_theta = false;   // its theta has a name of its own (Gemma 3, ModernBERT)
};

/// One or more, full_attention first, from rope_parameters (flat or nested), rope_scaling, the older keys of models
/// with two kinds of layers, or the library's defaults. Throws BadInput where one of the objects is none.
std::vector<HfLayerSet> hf_layer_sets(const nlohmann::json& config, const nlohmann::json& defaults);

/// Adds the keys that speak of rotary embeddings and are not understood.
void name_unknown_keys(const nlohmann::json& config, const std::vector<HfLayerSet>& sets, HfModel& model);

}  // namespace ropelab
