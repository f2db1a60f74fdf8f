#pragma once

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/table/table.h"

namespace ropelab {

// Markdown, HTML and LaTeX are written from it. All texts are plain UTF-8 text.

struct ReportHeading {
    int level = 1;
    std::string text;
};
struct ReportParagraph {
    std::string text;
};
struct ReportList {
    std::vector<std::string> items;
};
/// Printed as it is, such as commands. If `latex` is not empty, it replaces them in LaTeX.
struct ReportCode {
    std::string text;
    std::string latex = {};
};
/// If `latex` is not empty, it replaces the table in LaTeX.
struct ReportTable {
    std::string caption;
    Table cells;
    std::string latex = {};
};
/// `figures/NAME.svg` and `figures/NAME.pdf` beside the report.
struct ReportFigure {
    std::string name;
    std::string caption;
};

using ReportBlock = std::variant<ReportHeading, ReportParagraph, ReportList, ReportCode, ReportTable, ReportFigure>;

struct ReportDocument {
    std::string title;
    std::vector<ReportBlock> blocks;

    void add(ReportBlock block) { blocks.push_back(std::move(block)); }
};

/// CommonMark with pipe tables.
std::string report_markdown(const ReportDocument& document);
/// One page without scripts and without other files than its figures.
std::string report_html(const ReportDocument& document);
/// For pdflatex with array, booktabs, graphicx, longtable and rotating. Other characters are written as U+4E2D.
std::string report_latex(const ReportDocument& document);

std::string report_latex_text(const std::string& text);

}  // namespace ropelab
