#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/stats/results_table.h"

namespace ropelab {

// The settings of a group in the words of a reader, for sentences, captions and headings. group_label() has the names
// and values as they are typed.

/// Returns the title of a setting: "θ" for theta, else its name with spaces.
std::string setting_title(const std::string& key);
/// Returns the value of a setting in words: "10k", "25 %" for a fraction, "yes"; "–" if the run lacks it.
std::string setting_words(const std::string& key, const nlohmann::json& value);
/// Returns the name of a group, or its swept settings in words: "θ = 10k, fraction = 25 %"; "all runs" if no setting
/// was swept.
std::string group_words(const ResultsTable& table, const ResultGroup& group);

}  // namespace ropelab
