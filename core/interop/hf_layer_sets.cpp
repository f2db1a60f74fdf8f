#include <algorithm>
#include <array>

#include "core/interop/hf_reader.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

using nlohmann::json;

bool nested(const json& parameters) {
    if (parameters.contains("rope_type") || parameters.contains("type")) return false;
    return std::any_of(parameters.begin(), parameters.end(), [](const json& value) { return value.is_object(); });
}

void add_nested(const json& parameters, bool from_library, std::vector<HfLayerSet>& sets) {
    for (const auto& [type, value] : parameters.items()) {
        if (value.is_object()) sets.push_back({type, value, from_library, type == "sliding_attention"});
    }
    std::stable_partition(sets.begin(), sets.end(),
                          [](const HfLayerSet& set) { return set.type == "full_attention" || set.type == "main"; });
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
    std::vector<HfLayerSet> sets;
    if (nested(parameters)) {
        add_nested(parameters, false, sets);
        return sets;
    }
    const auto default_parameters = defaults.find("rope_parameters");
    if (parameters.empty() && default_parameters != defaults.end()) {
        if (nested(*default_parameters)) {
            add_nested(*default_parameters, true, sets);
            return sets;
        }
        return {{"", *default_parameters, true, false}};
    }
    if (const auto only = file.find_in_file({"yarn_only_types"})) {  // the other layers keep theta and have no scaling
        const auto is_scaled = [&](const char* type) {
            return only->value->is_array() &&
                   std::find(only->value->begin(), only->value->end(), type) != only->value->end();
        };
        json plain = json::object();
        if (parameters.contains("rope_theta")) plain["rope_theta"] = parameters["rope_theta"];
        for (const char* type : {"full_attention", "sliding_attention"}) {
            sets.push_back({type, is_scaled(type) ? parameters : plain, false, false});
        }
        return sets;
    }
    if (const auto theta = file.find_in_file({"compress_rope_theta"})) {  // DeepSeek V4
        json plain = json::object();
        if (parameters.contains("rope_theta")) plain["rope_theta"] = parameters["rope_theta"];
        parameters["rope_theta"] = *theta->value;
        if (parameters.contains("factor")) parameters["attention_factor"] = 1;
        return {{"main", plain, false, false}, {"compress", parameters, false, false}};
    }
    const bool local_theta = file.find({"rope_local_base_freq", "local_rope_theta"}).has_value();
    if (!local_theta && !defaults.contains("rotary_by_layer_type")) return {{"", parameters, false, false}};
    sets.push_back({"full_attention", parameters, false, false});
    // ModernBERT scales both layer types; other models scale only the layers with full attention.
    json local = defaults.contains("local_rope_theta") ? parameters : json::object();
    local.erase("rope_theta");
    sets.push_back({"sliding_attention", local, false, local_theta});
    return sets;
}

void name_unknown_keys(const json& config, const std::vector<HfLayerSet>& sets, HfModel& model) {
    static constexpr std::array known_at_top = {"rope_theta",
                                                "rope_scaling",
                                                "rope_parameters",
                                                "rope_local_base_freq",
                                                "global_rope_theta",
                                                "local_rope_theta",
                                                "rope_ratio",
                                                "rope_interleave",
                                                "compress_rope_theta",
                                                "layer_rope_theta",
                                                "rotary_dim",
                                                "rotary_pct",
                                                "rope_pct",
                                                "rope_percent",
                                                "rotary_percent",
                                                "rotary_percentage",
                                                "rope_percentage",
                                                "rotary_emb_base",
                                                "qk_rope_head_dim",
                                                "partial_rotary_factor",
                                                "no_rope_layers",
                                                "no_rope_layer_interval",
                                                "rope_embedding_base",
                                                "rope_freq_constant",
                                                "rotary_emb_fraction",
                                                "rope_condense_ratio",
                                                "rotary_base",
                                                "rope_base",
                                                "use_rope",
                                                "use_mem_rope"};
    static constexpr std::array known_inside = {"rope_type",
                                                "type",
                                                "rope_theta",
                                                "factor",
                                                "original_max_position_embeddings",
                                                "beta_fast",
                                                "beta_slow",
                                                "truncate",
                                                "mscale",
                                                "mscale_all_dim",
                                                "short_factor",
                                                "long_factor",
                                                "low_freq_factor",
                                                "high_freq_factor",
                                                "partial_rotary_factor",
                                                "attention_factor",
                                                "mrope_section",
                                                "mrope_interleaved",
                                                "short_mscale",
                                                "long_mscale"};
    const auto has = [](const auto& names, const std::string& name) {
        return std::find(names.begin(), names.end(), name) != names.end();
    };
    for (const auto& [name, value] : config.items()) {
        const bool is_rotary = name.find("rope") != std::string::npos || name.find("rotary") != std::string::npos;
        if (is_rotary && !has(known_at_top, name)) model.unknown_keys.push_back(name);
    }
    if (config.contains("yarn_only_types")) {
        model.remarks.push_back("Only the layers of " + config.at("yarn_only_types").dump().substr(0, 80) +
                                " have the YaRN scaling (yarn_only_types).");
    }
    for (const HfLayerSet& set : sets) {
        if (set.from_library) continue;
        const char* object = config.contains("rope_parameters") ? "rope_parameters" : "rope_scaling";
        const std::string path =
            std::string(object) + (nested(config.value(object, json::object())) ? "." + set.type : "");
        for (const auto& [name, value] : set.parameters.items()) {
            const std::string whole = path + "." + name;
            const bool is_alpha = name == "alpha" && model.model_type.starts_with("hunyuan");
            if (!has(known_inside, name) && !is_alpha && !has(model.unknown_keys, whole))
                model.unknown_keys.push_back(whole);
        }
    }
}

}  // namespace ropelab
