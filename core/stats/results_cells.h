#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/results_table.h"

namespace ropelab {

// How the formats of the results table write their cells; "–" for a number that is missing.

inline constexpr const char* missing_cell = "–";

std::string fixed_text(double value, int decimals);
/// Two significant digits, whole from 100 on: a difference as people say it.
std::string rough_text(double value);
std::string signed_percent(const std::optional<double>& percent);
/// "0.016", "<0.001".
std::string p_text(const std::optional<double>& p);
/// "p = 0.016", "p < 0.001".
std::string p_words(double p);
std::string mean_and_deviation(const Description& described, int decimals, const char* between);
/// Whether a group's runs trained together, so that their times are one measurement and have no deviation.
bool shares_a_clock(const ResultGroup& group, std::size_t measure);
/// mean_and_deviation() of a measure with its decimals; without the deviation where there is none to speak of.
std::string measure_cell(const ResultGroup& group, std::size_t measure, const char* between);
/// The mean's 95 % confidence interval with `between` its ends.
std::string interval_text(const Description& described, int decimals, const char* between);
/// "1200 ± 50", with "(2 of 3)" where not every run came so low.
std::string until_text(const ResultGroup& group, const char* between);
/// "1 run", "3 runs".
std::string runs_text(std::int64_t count);

/// Characters of a UTF-8 text: the columns that it takes on a terminal, letters being one wide.
std::size_t width_of(const std::string& text);

/// Full precision; empty for a number that is missing.
std::string csv_number(const std::optional<double>& value);
/// Text as one field of CSV, in quotes where it needs them.
std::string csv_field(const std::string& text);
/// Text with what LaTeX reads as its own written out.
std::string latex_escaped(const std::string& text);
/// A setting's value: escaped, and "1e-04" as a power of ten.
std::string latex_setting(const nlohmann::json& value);
/// A cell of fixed_text(), p_text() or mean_and_deviation() in math mode; "--" for a missing one.
std::string latex_number(const std::string& cell);

/// Measures of which some run has a number.
std::vector<std::size_t> measured(const ResultsTable& table);
/// What a reader of the table has to know: baseline, tests, runs that were left out.
std::vector<std::string> table_notes(const ResultsTable& table);

}  // namespace ropelab
