#pragma once

#include <string>
#include <variant>
#include <vector>

namespace ropelab {

// The model of a report, from which Markdown, HTML and LaTeX are written. All texts are plain UTF-8 text.

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
/// Lines that are printed as they are, such as commands. If `latex` is not empty, it replaces them in LaTeX.
struct ReportCode {
    std::string text;
    std::string latex = {};
};
/// A table; every row has as many cells as `head`. If `latex` is not empty, it replaces the table in LaTeX.
struct ReportTable {
    std::string caption;
    std::vector<std::string> head;
    std::vector<std::vector<std::string>> rows;
    std::string latex = {};
};
/// A figure that exists as `figures/NAME.svg` and `figures/NAME.pdf` beside the report.
struct ReportFigure {
    std::string name;
    std::string caption;
};

using ReportBlock = std::variant<ReportHeading, ReportParagraph, ReportList, ReportCode, ReportTable, ReportFigure>;

struct ReportDocument {
    std::string title;
    std::vector<ReportBlock> blocks;
};

/// Returns the report as Markdown (CommonMark with pipe tables).
std::string report_markdown(const ReportDocument& document);
/// Returns the report as one HTML page without scripts and without other files than its figures.
std::string report_html(const ReportDocument& document);
/// Returns the report as a LaTeX document for pdflatex with the packages array, booktabs, graphicx, longtable and
/// rotating. Characters that the standard fonts lack are written as their code point, such as U+4E2D.
std::string report_latex(const ReportDocument& document);

std::string report_latex_text(const std::string& text);

}  // namespace ropelab
