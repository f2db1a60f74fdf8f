#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/results/result_group.h"
#include "core/table/table.h"

namespace ropelab {

std::string measure_cell(const ResultGroup& group, std::size_t measure);
/// Steps to the target loss: "1200 ± 50", followed by "(2 of 3)" if only 2 of 3 runs reached it.
std::string until_text(const ResultGroup& group);

/// Only runs with a finite value of the compared measure.
std::int64_t counted_runs(const ResultsTable& table, const ResultGroup& group);
/// counted_runs(): "3", "2 of 10 runs; 8 failed or diverged", "4 of 5 runs; 1 without a finite value".
std::string runs_cell(const ResultsTable& table, const ResultGroup& group);

/// "1e-04" becomes a power of ten.
std::string latex_setting(const nlohmann::json& value);
/// Numbers in math mode, the note in brackets outside it, an interval as [1.4627, 1.4697]; "--" for missing_cell.
std::string latex_number(const std::string& cell);

/// `full` omits the columns whose heading is "" for a format; a column that is chosen by its name is always printed.
struct ResultsColumn {
    std::string name;                                                 // heading in CSV
    std::function<std::optional<double>(const ResultGroup&)> number;  // value in CSV and for sorting
    std::string title = {};                                           // heading in text
    std::string latex_title = {};                                     // heading in LaTeX
    std::function<std::string(const ResultGroup&)> cell = {};         // cell in text, and in CSV without `number`
    std::string sort = {};                                            // name for sort_groups(); "" if it has none
    std::function<std::string(const ResultGroup&)> latex = {};        // if other than latex_number() of `cell`
    std::string choice = {};                                          // name in TableStyle::columns; "": `name`
    std::optional<std::size_t> measure = {};                          // index of the measure whose mean it shows

    const std::string& chosen_name() const { return choice.empty() ? name : choice; }
};
/// In order. They refer to the table, which must outlive them.
std::vector<ResultsColumn> results_columns(const ResultsTable& table);

/// Columns of the preset `paper`, after the settings.
std::vector<std::string> paper_columns(const ResultsTable& table);

struct TableStyle {
    /// Names of column_names(), or `short`, `paper`, `full` or `settings`. If empty, `short` for text and `full` for
    /// others.
    std::vector<std::string> columns = {};
    bool best_bold = false;
};

/// Separated by commas. Throws BadInput for an empty name.
std::vector<std::string> column_list(const std::string& typed);
/// With their meanings, in the order of `full`.
std::vector<std::pair<std::string, std::string>> column_names(const ResultsTable& table);
/// Presets and columns of any table, one per line, for `results --columns help`.
std::string column_help();

enum class PrintedFormat { text, csv, latex };
/// With headings and cells for this format. Throws BadInput for a column that does not exist.
std::vector<ResultsColumn> chosen_columns(const ResultsTable& table, PrintedFormat format, const TableStyle& style);

/// For people.
Table results_cells(const ResultsTable& table, const std::vector<ResultsColumn>& columns);

/// "***" below 0.001, "**" below 0.01, "*" below 0.05, else "n.s."; "–" without a test, "baseline" for a baseline.
std::string significance_mark(const ResultsTable& table, const ResultGroup& group);
std::string mark_legend();
/// Sentences on measure, data, model, steps, precision, n, baseline, test and correction.
std::string caption_words(const ResultsTable& table);

/// Measures for which at least one run has a number.
std::vector<std::size_t> measured(const ResultsTable& table);
/// Baselines, tests and units, and excluded runs. Quantities that no column shows have no note.
std::vector<std::string> table_notes(const ResultsTable& table, std::span<const ResultsColumn> columns);

}  // namespace ropelab
