#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>

namespace ropelab {

/// A setting of runs that another program trained: the name of that program. Such a run has only the settings that were
/// imported; the defaults of RoPE Lab do not apply to it.
inline constexpr const char* imported_setting = "imported";

/// The name of an experiment of imported runs, whose description has no settings that could be trained.
inline constexpr const char* imported_experiment = "imported runs";

/// The program that trained the run; "" for a run of RoPE Lab. `settings`: flat, of a run.
inline std::string imported_from(const nlohmann::json& settings) {
    const auto program = settings.find(imported_setting);
    return program != settings.end() && program->is_string() ? program->get<std::string>() : std::string();
}

inline std::string imported_from(const std::map<std::string, nlohmann::json>& settings) {
    const auto program = settings.find(imported_setting);
    return program != settings.end() && program->second.is_string() ? program->second.get<std::string>()
                                                                    : std::string();
}
/// False only if `settings`, JSON text of a run, has no such setting: most runs need not be parsed for it.
inline bool may_be_imported(const std::string& settings) {
    return settings.find("\"" + std::string(imported_setting) + "\"") != std::string::npos;
}

}  // namespace ropelab
