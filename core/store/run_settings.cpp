#include "core/store/run_settings.h"

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/settings/keys.h"

namespace ropelab {

std::string typed_text(std::string_view key, const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number()) return number_text(value.get<double>());
    throw BadInput("The value of " + std::string(key) +
                   " must be a number, a string, true, false, or a list of these, not " + value.dump() + ".");
}

nlohmann::json to_json(const RunSpec& spec) {
    nlohmann::json json = nlohmann::json::object();
    for (const Key& entry : keys()) {
        std::visit([&](const auto& value) { json[std::string(entry.name)] = value; }, entry.get(spec));
    }
    return json;
}

nlohmann::json current_settings(const nlohmann::json& settings) {
    nlohmann::json result = nlohmann::json::object();
    for (const auto& [name, value] : settings.items()) {
        const std::string key(current_name(Alias::Kind::key, name));
        result[key] = value.is_string() ? nlohmann::json(current_value(key, value.get<std::string>())) : value;
    }
    return result;
}

const nlohmann::json& default_settings() {
    static const nlohmann::json result = to_json(RunSpec{});
    return result;
}

std::vector<std::string> in_order_of_keys(std::set<std::string> names) {
    std::vector<std::string> result;
    for (const Key& key : keys()) {
        if (names.erase(std::string(key.name)) > 0) result.emplace_back(key.name);
    }
    result.insert(result.end(), names.begin(), names.end());
    return result;
}

RunSpec run_spec_from_json(const nlohmann::json& json) {
    if (!json.is_object()) throw BadInput("The settings of a run must be a JSON object.");
    const nlohmann::json settings = current_settings(json);
    RunSpec spec;
    for (const Key& entry : keys()) {
        const auto found = settings.find(std::string(entry.name));
        if (found != settings.end() && !found->is_null()) {
            entry.set(spec, parse_value(entry, typed_text(entry.name, *found), spec));
        }
    }
    return spec;
}

}  // namespace ropelab
