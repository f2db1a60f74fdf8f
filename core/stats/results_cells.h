#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/results_table.h"

namespace ropelab {

// Formatting of the cells of the results table, shared by its text, LaTeX and window forms.

/// Text of a cell whose number is missing.
inline constexpr const char* missing_cell = "–";

/// Formats a number with a fixed number of decimals; "–" if it is not finite.
std::string fixed_text(double value, int decimals);
/// Formats a number with two significant digits, from 100 on as a whole number.
std::string rough_text(double value);
/// Formats a percentage with its sign and two decimals, without the percent sign: "+0.52".
std::string signed_percent(const std::optional<double>& percent);
/// Formats a p value: "0.016", "<0.001".
std::string p_text(const std::optional<double>& p);
/// Formats a p value with its name: "p = 0.016", "p < 0.001".
std::string p_words(double p);
/// Formats mean and standard deviation with `between` between them; only the mean if there is one value.
std::string mean_and_deviation(const Description& described, int decimals, const char* between);
/// Returns whether `measure` is a time or speed that was measured once for a whole cohort, so that all runs of the
/// group have the same value and there is no standard deviation.
bool shares_time(const ResultGroup& group, std::size_t measure);
/// Formats the mean and standard deviation of a measure with its number of decimals. The standard deviation is omitted
/// if shares_time() is true.
std::string measure_cell(const ResultGroup& group, std::size_t measure, const char* between);
/// Formats the 95 % confidence interval of the mean with `between` between its ends.
std::string interval_text(const Description& described, int decimals, const char* between);
/// Formats a difference with its 95 % interval: "-0.0077 [-0.014, -0.0014]"; without the interval if there is none.
std::string difference_text(const std::optional<DifferenceInterval>& estimate);
/// Formats the number of steps to the target loss: "1200 ± 50", followed by "(2 of 3)" if only 2 of 3 runs reached it.
std::string until_text(const ResultGroup& group, const char* between);
/// Formats a number of runs: "1 run", "3 runs".
std::string runs_text(std::int64_t count);

/// Formats the number of runs in the mean of a group, with those that failed or diverged: "3", "2 of 10 runs; 8 failed
/// or diverged".
std::string runs_cell(const ResultGroup& group);

/// Returns the number of characters of a UTF-8 text, which is its width on a terminal.
std::size_t width_of(const std::string& text);

/// Formats a number for CSV with full precision; "" if it is missing.
std::string csv_number(const std::optional<double>& value);
/// Formats a text as a field of CSV, in quotation marks if it needs them.
std::string csv_field(const std::string& text);
/// Escapes the special characters of LaTeX in a text.
std::string latex_escaped(const std::string& text);
/// Formats the value of a setting for LaTeX; a number such as "1e-04" becomes a power of ten.
std::string latex_setting(const nlohmann::json& value);
/// Puts a formatted number into the math mode of LaTeX; "--" for missing_cell.
std::string latex_number(const std::string& cell);

/// Returns the name of a test in sentences: "Student's t test", "Welch's t test" or "the t test paired by seed".
std::string test_title(TestKind test);

/// Returns the indices of the measures for which at least one run has a number.
std::vector<std::size_t> measured(const ResultsTable& table);
/// Returns the notes below a table: its baselines, tests and units, and the runs that are excluded.
std::vector<std::string> table_notes(const ResultsTable& table);

}  // namespace ropelab
