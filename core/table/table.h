#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

// Tables in the formats that the program prints.

/// Returns the number of characters of a UTF-8 text, which is its width on a terminal.
std::size_t width_of(const std::string& text);

/// Formats a number for CSV with full precision; "" if it is missing.
std::string csv_number(const std::optional<double>& value);
/// Converts a number to JSON; null if it is missing or not finite.
nlohmann::json json_number(const std::optional<double>& value);
/// Formats a text as a field of CSV, in quotation marks if it needs them.
std::string csv_field(const std::string& text);
/// Escapes the special characters of LaTeX in a text.
std::string latex_escaped(const std::string& text);

/// Returns rows of cells as lines whose columns are as wide as their widest cell, with two spaces between columns and
/// none at the end of a line. `alignment` has a letter per column, l or r; its last letter also serves all further
/// columns. A row may have fewer cells.
std::string aligned_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment = "r");

/// Parts of a LaTeX table.
struct LatexTable {
    std::string alignment;  // one letter per column
    std::string lines;      // heading, \\midrule and rows
    std::string caption;
    std::string label;
    std::string comments;  // lines that begin with "% "
};
/// Returns a LaTeX table with caption and label (packages booktabs and graphicx). A table that is wider than the column
/// or page is made smaller; one of more than eight columns is turned (package rotating), and a comment says so.
std::string latex_table(const LatexTable& table);

}  // namespace ropelab
