#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/spec/run_spec.h"

namespace ropelab {

// The settings of a run as the flat JSON object that lab files and checkpoints store.

/// Returns all settings of one run as a flat JSON object; numbers are JSON numbers.
nlohmann::json to_json(const RunSpec& spec);
/// Returns the settings of a run, a flat JSON object, under the current names of keys and values (core/spec/aliases.h).
nlohmann::json current_settings(const nlohmann::json& settings);
/// Parses the JSON object of to_json(const RunSpec&); missing keys have their defaults. Throws BadInput for invalid
/// values.
RunSpec run_spec_from_json(const nlohmann::json& json);

/// Returns a JSON value of a setting as the text that a user would type. Throws BadInput for null, lists and objects.
std::string typed_text(std::string_view key, const nlohmann::json& value);

}  // namespace ropelab
