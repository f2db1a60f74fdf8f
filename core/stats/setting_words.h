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
/// `head_dim` is the head dimension for fraction_text(), 0 if it is unknown.
std::string setting_words(const std::string& key, const nlohmann::json& value, int head_dim = 0);
/// Returns the head dimension of a group's runs from their settings `width` and `heads`; 0 if they are unknown.
int head_dim_of(const ResultsTable& table, const ResultGroup& group);
/// Returns the head dimension that all groups of a table have; 0 if they differ in it or it is unknown.
int head_dim_of(const ResultsTable& table);
/// Returns the value of a group's swept setting in words.
std::string group_setting_words(const ResultsTable& table, const ResultGroup& group, const std::string& key);
/// Returns the name of a group, or its swept settings in words: "θ = 10k, fraction = 25 %"; "all runs" if no setting
/// was swept.
std::string group_words(const ResultsTable& table, const ResultGroup& group);

}  // namespace ropelab
