#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// Characters of a UTF-8 text: the width on a terminal.
std::size_t width_of(const std::string& text);

/// Full precision; "" if missing.
std::string csv_number(const std::optional<double>& value);
nlohmann::json json_number(const std::optional<double>& value);
/// In quotation marks if the text needs them.
std::string csv_field(const std::string& text);
std::string latex_escaped(const std::string& text);

struct TableColumn {
    std::string heading;
    char alignment = 'r';  // l or r
    /// With the gap before (r) or after it (l); wider cells run over. 0: as the widest cell, with two spaces before it.
    std::size_t width = 0;
};

/// Headings and cells are texts of the format to be printed.
struct Table {
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;  // a row may have fewer cells than there are columns

    /// The last letter of `alignment` also serves all further columns.
    static std::vector<TableColumn> columns_of(const std::vector<std::string>& headings, std::string_view alignment);

    /// Without blanks at line ends, below the headings if there are any.
    std::string text() const;
    /// Each line ends with `newline`.
    std::string csv(const std::string& newline = "\r\n") const;
};

std::string aligned_text(const std::vector<std::vector<std::string>>& rows, std::string_view alignment = "r");

struct LatexTable {
    std::string alignment;  // one letter per column
    std::string lines;      // heading, \\midrule and rows
    std::string caption;
    std::string label;
    std::string comments;  // lines that begin with "% "
};
/// Packages booktabs and graphicx. A table that is wider than the column or page is made smaller; one of more than
/// eight columns is turned (package rotating), and a comment says so.
std::string latex_table(const LatexTable& table);

}  // namespace ropelab
