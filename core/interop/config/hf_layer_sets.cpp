#include <algorithm>

#include "core/base/error.h"
#include "core/interop/config/hf_reader.h"

namespace ropelab {

namespace {

using nlohmann::json;

bool nested(const json& parameters) {
    if (parameters.contains("rope_type") || parameters.contains("type")) return false;
    return std::any_of(parameters.begin(), parameters.end(), [](const json& value) { return value.is_object(); });
}

void add_nested(const json& parameters, std::vector<HfLayerSet>& sets) {
    for (const auto& [type, value] : parameters.items()) {
        if (value.is_object())
            sets.push_back({.type = type, .parameters = value, .local_theta = type == "sliding_attention"});
    }
    std::stable_partition(sets.begin(), sets.end(), [](const HfLayerSet& set) { return set.type == "full_attention"; });
}

}  // namespace

std::vector<HfLayerSet> hf_layer_sets(const json& config, const json& defaults) {
    std::vector<HfValue> unused;
    HfReader file({&config}, defaults, unused);
    json parameters = json::object();
    // If both names exist and are not nested, transformers 5 prefers the old name, rope_scaling.
    for (const char* name : {"rope_parameters", "rope_scaling"}) {
        const auto found = file.find_in_file({name});
        if (!found) continue;
        if (!found->value->is_object())
            throw BadInput(std::string("The value of ") + name + " in the config.json is " + excerpt(*found->value) +
                           ", but it must be an object.");
        if (!found->value->empty() && !nested(parameters)) parameters = *found->value;
    }
    if (const auto yarn = file.find_in_file({"yarn"}); yarn && yarn->value->is_object()) {  // Mistral's params.json
        parameters = *yarn->value;
        parameters["rope_type"] = "yarn";
        if (parameters.contains("beta")) parameters["beta_fast"] = parameters["beta"];
        if (parameters.contains("alpha")) parameters["beta_slow"] = parameters["alpha"];
        if (parameters.value("apply_scale", json()) == false) parameters["attention_factor"] = 1;
        for (const char* name : {"beta", "alpha", "apply_scale"}) parameters.erase(name);
    }
    if (config.value("use_scaled_rope", json()) == true) {  // Meta's params.json of Llama 3.1 and later
        parameters = {{"rope_type", "llama3"},
                      {"factor", config.value("rope_scaling_factor", json(8))},
                      {"low_freq_factor", 1},
                      {"high_freq_factor", config.value("rope_high_freq_factor", json(4))},
                      {"original_max_position_embeddings", 8192}};
    }
    std::vector<HfLayerSet> sets;
    if (nested(parameters)) {
        add_nested(parameters, sets);
        return sets;
    }
    if (const auto only = file.find_in_file({"yarn_only_types"})) {  // the other layers keep theta and have no scaling
        const auto is_scaled = [&](const char* type) {
            return only->value->is_array() &&
                   std::find(only->value->begin(), only->value->end(), type) != only->value->end();
        };
        json plain = json::object();
        if (parameters.contains("rope_theta")) plain["rope_theta"] = parameters["rope_theta"];
        for (const char* type : {"full_attention", "sliding_attention"}) {
            sets.push_back({.type = type, .parameters = is_scaled(type) ? parameters : plain});
        }
        return sets;
    }
    if (!file.find_in_file({"rope_local_base_freq", "local_rope_theta"})) return {{.parameters = parameters}};
    sets.push_back({.type = "full_attention", .parameters = parameters});
    // ModernBERT scales both layer types; other models scale only the layers with full attention.
    json local = config.contains("local_rope_theta") ? parameters : json::object();
    local.erase("rope_theta");
    sets.push_back({.type = "sliding_attention", .parameters = local, .local_theta = true});
    return sets;
}

void name_unknown_keys(const json& config, const std::vector<HfLayerSet>& sets, HfModel& model) {
    for (const auto& [name, value] : config.items()) {
        const bool is_rotary = name.find("rope") != std::string::npos || name.find("rotary") != std::string::npos;
        if (is_rotary && !is_listed("known_keys", name)) model.unknown_keys.push_back(name);
    }
    if (config.contains("yarn_only_types")) {
        model.remarks.push_back("Only the layers of " + config.at("yarn_only_types").dump().substr(0, 80) +
                                " have the YaRN scaling (yarn_only_types).");
    }
    for (const HfLayerSet& set : sets) {
        const char* object = config.contains("rope_parameters") ? "rope_parameters" : "rope_scaling";
        const std::string path =
            std::string(object) + (nested(config.value(object, json::object())) ? "." + set.type : "");
        for (const auto& [name, value] : set.parameters.items()) {
            const std::string whole = path + "." + name;
            const bool is_alpha = name == "alpha" && model.model_type.starts_with("hunyuan");
            const auto& named = model.unknown_keys;
            const bool is_named = std::find(named.begin(), named.end(), whole) != named.end();
            if (!is_listed("known_keys_inside", name) && !is_alpha && !is_named) model.unknown_keys.push_back(whole);
        }
    }
}

}  // namespace ropelab
