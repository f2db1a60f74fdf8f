#pragma once

#include <cstddef>
#include <functional>
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

/// What pdflatex needs to print a character (UTF-8); "" for a character that it prints as it is or not at all.
std::string_view latex_command(std::string_view character);
std::string latex_text(const std::string& text);
std::string markdown_text(const std::string& text);
std::string html_text(const std::string& text);

/// With the end of the line.
std::string latex_row(const std::vector<std::string>& cells);

struct TableColumn {
    std::string heading;
    char alignment = 'r';  // l or r
    /// With the gap before (r) or after it (l); wider cells run over. 0: as the widest cell, with two spaces before it.
    std::size_t width = 0;
};

struct LatexFrame {
    std::string caption;
    std::string label;
    std::string comments;  // lines that begin with "% "
};

/// Headings and cells are texts of the format to be printed.
struct Table {
    std::vector<TableColumn> columns;
    std::vector<std::vector<std::string>> rows;  // a row may have fewer cells than there are columns

    /// The last letter of `alignment` also serves all further columns.
    static std::vector<TableColumn> columns_of(const std::vector<std::string>& headings, std::string_view alignment);
    static Table titled(const std::vector<std::string>& headings, std::string_view alignment);

    std::vector<std::string> headings() const;
    /// Every heading and cell is changed, such as by latex_text().
    Table with_cells(const std::function<std::string(const std::string&)>& change) const;

    /// Without blanks at line ends, below the headings if there are any.
    std::string text() const;
    /// Each line ends with `newline`.
    std::string csv(const std::string& newline = "\r\n") const;
    /// Packages booktabs and graphicx. A row without cells is a rule. A table that is wider than the column or page is
    /// made smaller; one of more than eight columns is turned (package rotating), and a comment says so.
    std::string latex(const LatexFrame& frame) const;
    /// With pipes.
    std::string markdown() const;
    std::string html(const std::string& caption) const;
};

}  // namespace ropelab
