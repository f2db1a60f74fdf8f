#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// Flat; numbers are JSON numbers.
nlohmann::json to_json(const RunSpec& spec);
nlohmann::json current_settings(const nlohmann::json& settings);
/// Of a run that has all defaults.
const nlohmann::json& default_settings();
/// In the order of keys(); settings of another version of the program follow.
std::vector<std::string> in_order_of_keys(std::set<std::string> names);
/// Missing keys have their defaults. Throws BadInput for invalid values.
RunSpec run_spec_from_json(const nlohmann::json& json);

/// As a user would type it. Throws BadInput for null, lists and objects.
std::string typed_text(std::string_view key, const nlohmann::json& value);

}  // namespace ropelab
