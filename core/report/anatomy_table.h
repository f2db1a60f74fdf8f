#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/report/anatomy_model.h"

namespace ropelab {

/// Format of a table of stages.
enum class AnatomyFormat { text, csv, latex, markdown };
/// Parses "text", "csv", "latex" or "markdown". Throws BadInput for any other word.
AnatomyFormat anatomy_format(std::string_view word);

/// Returns a whole number with commas between groups of three digits, such as "1,240".
std::string grouped_number(std::int64_t number);
/// Returns what the table says about a number that is not known: "unknown".
std::string known_number(const std::optional<std::int64_t>& number);
/// Returns a number of parameters, with that of the parameters that process a token if it is another one: "1,240 (310
/// active)".
std::string known_parameters(const std::optional<std::int64_t>& parameters, const std::optional<std::int64_t>& active);
/// Returns a number of operations, rounded to a whole number, or "unknown".
std::string known_operations(const std::optional<double>& operations);

/// Returns the stages of a model as a table with a row of totals. Numbers of a stage in a layer are those of one layer.
/// A last column has the times if they were measured.
std::string anatomy_table(const AnatomyModel& model, AnatomyFormat format);
/// Returns the stages of a model, its sizes, totals and remarks as JSON; unknown numbers are null. Measured times have
/// members of their own, also layer by layer.
nlohmann::json anatomy_json(const AnatomyModel& model);

}  // namespace ropelab
