#include <algorithm>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/interop/config/hf_reader.h"

// Which rotary keys of a config the classes of transformers read, and in which place. Each model type has a class of
// its own; a key that it does not read has no effect, and transformers does not say so.

namespace ropelab {

namespace {

using nlohmann::json;

// Null if the config does not have it.
json object_at(const json& config, const char* name) {
    const json value = config.value(name, json());
    if (!value.is_null() && !value.is_object())
        throw BadInput(std::string("The value of ") + name + " in the config.json is " + excerpt(value) +
                       ", but it must be an object.");
    return value;
}

json object_in(const json& parameters, const std::string& type) {
    const json value = parameters.is_object() ? parameters.value(type, json()) : json();
    return value.is_object() ? value : json::object();
}

bool has_default_type(const json& parameters) {
    return parameters.value("rope_type", parameters.value("type", json("default"))) == "default";
}

bool has_objects(const json& parameters) {
    return std::any_of(parameters.begin(), parameters.end(), [](const json& value) { return value.is_object(); });
}

// Each of the layer types has the rope type "default" and a theta of its own; rope_scaling changes it. Gemma 3 and OLMo
// 3 scale the layers with full attention only, ModernBERT scales both. Parameters without a layer type are not read.
std::vector<HfLayerSet> sets_of_layers(const json& config, const json& library, const json& layers) {
    const json scaling = object_at(config, "rope_scaling");
    const json given = object_at(config, "rope_parameters");
    std::vector<HfLayerSet> sets;
    for (const auto& [type, theta] : layers.items()) {
        HfLayerSet set = {.type = type, .parameters = object_in(given, type), .theta_name = theta};
        set.library = object_in(library, type);
        if (!theta.empty() && config.value(set.theta_name, json()).is_number()) set.library.erase("rope_theta");
        if (scaling.is_object() && (type == "full_attention" || theta == "local_rope_theta")) {
            set.parameters.update(scaling);
            if (given.is_null()) set.parameters.erase("type");  // not read beside the rope_type of the default
        }
        sets.push_back(std::move(set));
    }
    return sets;
}

// DeepSeek V4: the layers with compressed attention have a theta of their own, and alone are scaled.
std::vector<HfLayerSet> compressed_sets(const json& config, json parameters, double fraction) {
    for (const char* name : {"main", "compress", "rope_theta", "partial_rotary_factor"}) parameters.erase(name);
    HfLayerSet main = {.type = "main"};
    HfLayerSet compress = {.type = "compress", .parameters = parameters, .theta_name = "compress_rope_theta"};
    if (parameters.value("rope_type", parameters.value("type", json())) == "yarn")
        compress.library["attention_factor"] = 1;
    for (HfLayerSet* set : {&main, &compress}) {
        const json given = config.value("partial_rotary_factor", json());
        (given.is_null() ? set->library : set->parameters)["partial_rotary_factor"] =
            given.is_null() ? json(fraction) : given;
    }
    return {main, compress};
}

}  // namespace

std::vector<HfLayerSet> class_layer_sets(const json& config, const json& defaults, const HfModel& model) {
    const std::string& type = model.model_type;
    json library = defaults.value("rope_parameters", json::object());
    if (const json& layers = rotary_of_layers(type); !layers.empty()) return sets_of_layers(config, library, layers);
    if (is_listed("reads_theta_only", type)) return {{}};
    const json scaling = is_listed("reads_no_scaling", type) ? json() : object_at(config, "rope_scaling");
    const json given = object_at(config, "rope_parameters");
    const bool is_scaling = scaling.is_object() && !scaling.empty();  // it replaces the whole of rope_parameters
    const bool is_given = is_scaling || given.is_object();
    const json parameters = is_scaling ? scaling : is_given ? given : json::object();
    const double rotated = static_cast<double>(model.shape.latent_rotary_dim.value_or(0)) / model.shape.head_dim;
    const bool is_nested = has_objects(is_given ? parameters : library);
    if (type == "deepseek_v4" && !(parameters.contains("main") && parameters.contains("compress"))) {
        const bool is_counted = config.contains("qk_rope_head_dim");
        return compressed_sets(config, parameters, is_counted ? rotated : defaults.value("partial_rotary_factor", 0.0));
    }
    json fallback = is_given ? json::object() : library;
    if (type == "mistral4" && !is_scaling) fallback["partial_rotary_factor"] = rotated;
    const bool is_repeated = type == "dots3_note_text" && is_given && !is_nested;
    if (!is_nested && !is_repeated) return {{.parameters = parameters, .library = fallback}};
    std::vector<HfLayerSet> sets;
    for (const auto& [layers, value] : (is_given && is_nested ? parameters : library).items()) {
        if (!value.is_object()) continue;  // null: layers without rotation
        HfLayerSet set = {.type = layers, .parameters = is_repeated ? parameters : object_in(parameters, layers)};
        set.library = object_in(fallback, layers);
        const bool is_plain = has_default_type(set.parameters) && has_default_type(object_in(parameters, "main"));
        if (type == "deepseek_v4" && is_plain && config.value("partial_rotary_factor", json()).is_null())
            set.library["partial_rotary_factor"] = 1;  // only scaled sets make the class add its fraction
        if (type == "dots3_note_text" && !is_given && layers == "sliding_attention") set.theta_name = "swa_rope_theta";
        if (type == "dots3_note_text") set.library.erase("rope_theta");
        sets.push_back(std::move(set));
    }
    std::stable_partition(sets.begin(), sets.end(), [](const HfLayerSet& set) {
        return set.type == "full_attention" || set.type == "main";  // the first is read if no layer type is named
    });
    return sets;
}

void name_ignored_keys(const json& config, HfModel& model) {
    std::string ignored;
    const HfReader reader({&config}, library_defaults(model.model_type), model.values);
    const auto look_at = [&](const std::string& path, const json& object) {
        for (const auto& [name, value] : object.items()) {
            const bool has_effect_elsewhere = is_listed("keys_that_classes_ignore", name) || reader.is_ignored(name);
            const bool is_usual = value.empty() || value == json(name == "scale_attn_weights");  // as without the key
            const bool is_repeated = value.is_string() && std::ranges::count(config, value) > 1;
            const bool is_unused = has_effect_elsewhere && !value.is_object() && !is_usual && !is_repeated;
            if (!is_unused && !(name == "truncate" && value == json(false))) continue;
            const std::string text = value.is_number() ? number_text(value.get<double>()) : excerpt(value);
            const bool is_read = std::any_of(model.values.begin(), model.values.end(), [&](const HfValue& read) {
                return read.origin == HfOrigin::file && read.key == name && read.text == text;
            });
            const bool is_whole = value == 1 && (name == "partial_rotary_factor" || name == "rotary_pct");
            if (!is_read && !is_whole && ignored.size() < 160)
                ignored += (ignored.empty() ? "" : ", ") + path + name + " (" + text + ")";
        }
    };
    look_at("", config);
    for (const char* name : {"rope_scaling", "rope_parameters"}) {
        const json object = config.value(name, json::object());
        look_at(std::string(name) + ".", object);
        for (const json& value : object) {
            if (value.is_object()) look_at(std::string(name) + ".", value);
        }
    }
    if (ignored.empty()) return;
    model.remarks.push_back("In transformers, models of the type " + excerpt(json(model.model_type)) +
                            " do not use these values of the config.json, which other programs may use: " + ignored +
                            ".");
}

}  // namespace ropelab
