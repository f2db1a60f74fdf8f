#include "core/experiment/setting_names.h"

#include <nlohmann/json.hpp>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/experiment/experiment.h"
#include "core/store/imported.h"

namespace ropelab {

std::string setting_key(const RunSpec& run) {
    nlohmann::json settings = to_json(run);
    settings.erase("seed");
    return settings.dump();
}

namespace {

std::string setting_key(nlohmann::json settings) {
    if (imported_from(settings).empty()) return setting_key(run_spec_from_json(current_settings(settings)));
    settings.erase("seed");
    return settings.dump();
}

}  // namespace

std::string setting_key(const RunRecord& run) {
    nlohmann::json settings = parse_bounded(run.settings, nullptr, false);
    if (!settings.is_object()) throw BadInput("The settings of the run \"" + run.name + "\" are no JSON object.");
    return setting_key(std::move(settings));
}

std::optional<std::string> setting_key(const SettingLook& look) {
    const nlohmann::json json = parse_bounded(look.settings, nullptr, false);
    if (!json.is_object()) return std::nullopt;
    try {
        return setting_key(json);
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

std::map<std::string, std::string> setting_names(const LabFile& lab) {
    std::map<std::string, std::string> names;
    for (const SettingLook& look : lab.setting_looks()) {
        const auto key = look.name.empty() ? std::nullopt : setting_key(look);
        if (key) names.emplace(*key, look.name);
    }
    return names;
}

std::string shown_run_name(const std::string& setting, const std::string& run, const RunSpec& spec) {
    if (setting.empty()) return run;
    // run_names() begins a name with the label, followed by other settings.
    const std::string label = label_of(spec);
    const bool is_own = run != label && !run.starts_with(label + ", ");
    if (is_own) return run;
    const bool has_seed = run.find(", seed ") != std::string::npos;
    return has_seed ? setting + ", seed " + std::to_string(spec.seed) : setting;
}

}  // namespace ropelab
