#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

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

/// A column of a printed table.
struct TableColumn {
    std::string heading;
    char alignment = 'r';  // l or r
    /// Width on the terminal with the gap to the column before it (r) or after it (l). Wider cells run over. 0: as wide
    /// as the widest cell, with a gap of two spaces before it.
    std::size_t width = 0;
};

/// A table in the formats that the program prints. Its headings and cells are texts of that format.
struct Table {
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;  // a row may have fewer cells than there are columns

    /// Returns the columns with these headings and alignments; the last letter of `alignment` also serves all further
    /// columns.
    static std::vector<TableColumn> columns_of(const std::vector<std::string>& headings, std::string_view alignment);

    /// Returns the rows as lines without blanks at their ends, below the headings if there are any.
    std::string text() const;
    /// Returns the headings and rows as CSV; each line ends with `newline`.
    std::string csv(const std::string& newline = "\r\n") const;
};

/// Returns rows of texts as a table, of which the first row has the headings.
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
