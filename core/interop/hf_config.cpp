#include "core/interop/hf_config.h"

#include <cmath>
#include <initializer_list>

#include "core/spec/error.h"

namespace ropelab {

namespace {

// The first of several names that is there and not null.
const nlohmann::json* find(const nlohmann::json& object, std::initializer_list<const char*> names) {
    for (const char* name : names) {
        const auto found = object.find(name);
        if (found != object.end() && !found->is_null()) return &*found;
    }
    return nullptr;
}

double number(const nlohmann::json& value, const char* what) {
    if (!value.is_number())
        throw BadInput(std::string("The config's ") + what + " is " + value.dump() + ", but it must be a number.");
    return value.get<double>();
}

int head_dim_of(const nlohmann::json& config) {
    if (const auto* head_dim = find(config, {"head_dim"})) return static_cast<int>(number(*head_dim, "head_dim"));
    const auto* width = find(config, {"hidden_size", "n_embd"});
    const auto* heads = find(config, {"num_attention_heads", "n_head"});
    if (!width || !heads) throw BadInput("The config has neither head_dim nor hidden_size with num_attention_heads.");
    const double count = number(*heads, "num_attention_heads");
    if (count < 1)
        throw BadInput("The config's num_attention_heads is " + heads->dump() + ", but it must be 1 or more.");
    return static_cast<int>(number(*width, "hidden_size") / count);
}

// The parameters of one layer type: rope_parameters of version 5, possibly by layer type, or rope_scaling of version 4.
nlohmann::json rope_parameters(const nlohmann::json& config, std::string_view layer_type) {
    nlohmann::json parameters = nlohmann::json::object();
    if (const auto* given = find(config, {"rope_parameters"})) {
        parameters = *given;
        const bool by_layer_type = parameters.contains("full_attention") || parameters.contains("sliding_attention");
        if (by_layer_type) {
            const std::string type = layer_type.empty() ? "full_attention" : std::string(layer_type);
            if (!parameters.contains(type))
                throw BadInput("The config has no layer type \"" + type + "\" in rope_parameters.");
            parameters = nlohmann::json(parameters.at(type));
        }
    } else {
        if (const auto* scaling = find(config, {"rope_scaling"})) parameters = *scaling;
        // Gemma 3 and ModernBERT name the local layers' base apart, and scale only the global ones.
        if (layer_type == "sliding_attention") {
            if (const auto* local = find(config, {"rope_local_base_freq", "local_rope_theta"})) {
                return {{"rope_theta", *local}};
            }
        } else if (const auto* global = find(config, {"global_rope_theta"})) {
            parameters["rope_theta"] = *global;
        }
    }
    return parameters;
}

}  // namespace

Frequencies hf_frequencies(const nlohmann::json& config, std::string_view layer_type) {
    if (!config.is_object()) throw BadInput("A model's config.json is a JSON object.");
    const nlohmann::json parameters = rope_parameters(config, layer_type);
    const int head_dim = head_dim_of(config);

    const auto* theta = find(parameters, {"rope_theta"});
    if (!theta) theta = find(config, {"rope_theta", "rotary_emb_base"});
    const double base = theta ? number(*theta, "rope_theta") : 10000.0;

    int rotary = head_dim;
    if (const auto* count = find(config, {"rotary_dim"})) {
        rotary = static_cast<int>(number(*count, "rotary_dim"));
    } else {
        const auto names = {"partial_rotary_factor", "rotary_pct", "rotary_percentage", "rope_percent"};
        const auto* fraction = find(parameters, names);
        if (!fraction) fraction = find(config, names);
        if (fraction) rotary = static_cast<int>(head_dim * number(*fraction, "partial_rotary_factor"));
    }
    if (rotary < 0 || rotary > head_dim) {
        throw BadInput("The config rotates " + std::to_string(rotary) + " channels of a head that has " +
                       std::to_string(head_dim) + ".");
    }

    Frequencies result;
    result.rotary_dim = rotary;
    // int(p·d) may be odd; the frequencies are then those of arange(0, dim, 2) / dim.
    for (int i = 0; i < rotary; i += 2) {
        result.inverse_frequencies.push_back(std::pow(base, -static_cast<double>(i) / rotary));
    }
    const auto* type = find(parameters, {"rope_type", "type"});
    const std::string name = type ? type->get<std::string>() : "default";
    if (name == "linear") {
        const auto* factor = find(parameters, {"factor"});
        if (!factor) throw BadInput("The config's linear rope scaling has no factor.");
        for (double& frequency : result.inverse_frequencies) frequency /= number(*factor, "factor");
    } else if (name != "default") {
        throw BadInput("The config's rope type \"" + name + "\" is not known here; default and linear are.");
    }
    return result;
}

}  // namespace ropelab
