#include "core/report/document.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "core/data/utf8.h"

namespace ropelab {

namespace {

// Longer than every sequence of backticks in the text.
std::string markdown_fence(const std::string& text) {
    std::size_t longest = 2;
    std::size_t here = 0;
    for (const char c : text) {
        here = c == '`' ? here + 1 : 0;
        longest = std::max(longest, here);
    }
    return std::string(longest + 1, '`');
}

struct MarkdownBlock {
    std::string operator()(const ReportHeading& heading) const {
        return std::string(static_cast<std::size_t>(heading.level) + 1, '#') + ' ' + markdown_text(heading.text) + '\n';
    }
    std::string operator()(const ReportParagraph& paragraph) const { return markdown_text(paragraph.text) + '\n'; }
    std::string operator()(const ReportList& list) const {
        std::string result;
        for (const std::string& item : list.items) result += "- " + markdown_text(item) + '\n';
        return result;
    }
    std::string operator()(const ReportCode& code) const {
        const std::string fence = markdown_fence(code.text);
        return fence + '\n' + code.text + (code.text.ends_with('\n') ? "" : "\n") + fence + '\n';
    }
    std::string operator()(const ReportTable& table) const {
        return "**Table.** " + markdown_text(table.caption) + "\n\n" + table.cells.with_cells(markdown_text).markdown();
    }
    std::string operator()(const ReportFigure& figure) const {
        return "![" + markdown_text(figure.caption) + "](figures/" + figure.name + ".svg)\n\n**Figure.** " +
               markdown_text(figure.caption) + '\n';
    }
};

}  // namespace

std::string report_markdown(const ReportDocument& document) {
    std::string result = "# " + markdown_text(document.title) + '\n';
    for (const ReportBlock& block : document.blocks) result += '\n' + std::visit(MarkdownBlock(), block);
    return result;
}

namespace {

constexpr const char* html_style = R"(
body { font-family: sans-serif; line-height: 1.45; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1b1e24; }
table { border-collapse: collapse; margin: 1rem 0; font-variant-numeric: tabular-nums; }
caption { text-align: left; padding-bottom: .4rem; }
th, td { text-align: left; vertical-align: top; padding: .2rem .7rem .2rem 0; border-bottom: 1px solid #d9dde3; overflow-wrap: anywhere; }
pre { background: #f4f5f7; padding: .8rem; overflow-x: auto; }
figure { margin: 1.5rem 0; }
img { max-width: 100%; }
)";

struct HtmlBlock {
    std::string operator()(const ReportHeading& heading) const {
        const std::string tag = "h" + std::to_string(heading.level + 1);
        return "<" + tag + ">" + html_text(heading.text) + "</" + tag + ">\n";
    }
    std::string operator()(const ReportParagraph& paragraph) const {
        return "<p>" + html_text(paragraph.text) + "</p>\n";
    }
    std::string operator()(const ReportList& list) const {
        std::string result = "<ul>\n";
        for (const std::string& item : list.items) result += "<li>" + html_text(item) + "</li>\n";
        return result + "</ul>\n";
    }
    std::string operator()(const ReportCode& code) const { return "<pre>" + html_text(code.text) + "</pre>\n"; }
    std::string operator()(const ReportTable& table) const {
        return table.cells.with_cells(html_text).html(html_text(table.caption));
    }
    std::string operator()(const ReportFigure& figure) const {
        const std::string caption = html_text(figure.caption);
        return "<figure>\n<img src=\"figures/" + html_text(figure.name) + ".svg\" alt=\"" + caption +
               "\">\n<figcaption>" + caption + "</figcaption>\n</figure>\n";
    }
};

}  // namespace

std::string report_html(const ReportDocument& document) {
    const std::string title = html_text(document.title);
    std::string result = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + title +
                         "</title>\n<style>" + html_style + "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
    for (const ReportBlock& block : document.blocks) result += std::visit(HtmlBlock(), block);
    return result + "</body>\n</html>\n";
}

namespace {

// `original`: the character's bytes.
std::string latex_character(char32_t character, const std::string& original) {
    if (const std::string_view command = latex_command(original); !command.empty()) return std::string(command);
    const bool accented = character >= 0xC0 && character <= 0xFF && character != 0xD0 && character != 0xF0 &&
                          character != 0xDE && character != 0xFE;
    if ((character >= 0x20 && character < 0x7F) || accented) return original;
    if (character == U'\n') return " ";
    std::array<char, 16> code{};
    std::snprintf(code.data(), code.size(), "U+%04X", static_cast<unsigned>(character));
    return code.data();
}

// Long words, such as paths and checksums, may be broken every eight characters.
constexpr std::size_t longest_latex_word = 24;

std::size_t end_of_word(const std::string& text, std::size_t from) {
    return std::min(text.find(' ', from), text.size());
}

// Columns with long cells are paragraphs that share the width of the page.
std::string latex_columns(const Table& table) {
    constexpr std::size_t longest_cell = 24;
    std::vector<bool> is_long(table.columns.size(), false);
    for (const auto& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) is_long[i] = is_long[i] || row[i].size() > longest_cell;
    }
    const auto count = std::count(is_long.begin(), is_long.end(), true);
    const double others = 0.11 * static_cast<double>(std::ssize(is_long) - count);
    std::array<char, 8> width{};
    if (count > 0) {
        std::snprintf(width.data(), width.size(), "%.2f", std::max(0.12, (0.85 - others) / static_cast<double>(count)));
    }
    std::string columns;
    for (const bool each : is_long) {
        columns += each ? std::string(">{\\raggedright\\arraybackslash}p{") + width.data() + "\\linewidth}" : "l";
    }
    return columns;
}

struct LatexBlock {
    std::string operator()(const ReportHeading& heading) const {
        return (heading.level == 1 ? "\\section{" : "\\subsection{") + report_latex_text(heading.text) + "}\n";
    }
    std::string operator()(const ReportParagraph& paragraph) const { return report_latex_text(paragraph.text) + "\n"; }
    std::string operator()(const ReportList& list) const {
        if (list.items.empty()) return "";
        std::string result = "\\begin{itemize}\n";
        for (const std::string& item : list.items) result += "\\item {}" + report_latex_text(item) + '\n';
        return result + "\\end{itemize}\n";
    }
    std::string operator()(const ReportCode& code) const {
        if (!code.latex.empty()) return code.latex;
        std::string result = "\\begin{quote}\\footnotesize\\ttfamily\\raggedright\n";
        std::size_t at = 0;
        while (at < code.text.size()) {
            const std::size_t end = std::min(code.text.find('\n', at), code.text.size());
            std::size_t spaces = 0;
            while (at + spaces < end && code.text[at + spaces] == ' ') ++spaces;
            result += "\\mbox{}";
            for (std::size_t i = 0; i < spaces; ++i) result += '~';
            result += report_latex_text(code.text.substr(at + spaces, end - at - spaces)) + "\\\\\n";
            at = end + 1;
        }
        return result + "\\end{quote}\n";
    }
    std::string operator()(const ReportTable& table) const {
        if (!table.latex.empty()) return table.latex;
        const Table cells =
            table.cells.with_cells([](const std::string& text) { return "{}" + report_latex_text(text); });
        const std::string head = "\\toprule\n" + latex_row(cells.headings()) + "\\midrule\n";
        std::string result = "{\\footnotesize\n\\begin{longtable}{" + latex_columns(table.cells) + "}\n\\caption{" +
                             report_latex_text(table.caption) + "}\\\\\n" + head + "\\endfirsthead\n" + head +
                             "\\endhead\n\\bottomrule\n\\endfoot\n";
        for (const auto& row : cells.rows) result += latex_row(row);
        return result + "\\end{longtable}\n}\n";
    }
    std::string operator()(const ReportFigure& figure) const {
        return "\\begin{figure}[htbp]\n\\centering\n\\includegraphics[width=\\linewidth]{figures/" + figure.name +
               ".pdf}\n\\caption{" + report_latex_text(figure.caption) + "}\n\\label{fig:" + figure.name +
               "}\n\\end{figure}\n";
    }
};

}  // namespace

std::string report_latex_text(const std::string& text) {
    std::string result;
    std::size_t at = 0;
    std::size_t word = 0;  // end of the word at `at`
    std::size_t left = 0;  // characters until the next possible break of a long word; 0: none
    while (at < text.size()) {
        if (at >= word && text[at] != ' ') {
            word = end_of_word(text, at);
            left = word - at > longest_latex_word ? 8 : 0;
        }
        const DecodedCharacter character = decode_utf8(text, at);
        std::size_t length = character.length;
        if (length == 0) {  // U+FFFD stands for a byte that is not UTF-8 and the rest of its sequence
            do ++length;
            while (at + length < text.size() && (text[at + length] & 0xC0) == 0x80);
        }
        result += latex_character(character.length > 0 ? character.code : 0xFFFD, text.substr(at, length));
        at += length;
        if (left > 0 && --left == 0) {
            result += "\\allowbreak{}";
            left = 8;
        }
    }
    return result;
}

std::string report_latex(const ReportDocument& document) {
    std::string result =
        "\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{array}\n\\usepackage{booktabs}\n"
        "\\usepackage{graphicx}\n\\usepackage{longtable}\n\\usepackage{rotating}\n"
        // The default bullet is in a font that is not installed everywhere.
        "\\renewcommand{\\labelitemi}{$\\bullet$}\n\\begin{document}\n\\section*{" +
        report_latex_text(document.title) + "}\n";
    for (const ReportBlock& block : document.blocks) result += '\n' + std::visit(LatexBlock(), block);
    return result + "\\clearpage\n\\end{document}\n";
}

}  // namespace ropelab
