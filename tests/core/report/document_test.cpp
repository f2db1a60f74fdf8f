#include "core/report/document.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ropelab {
namespace {

ReportDocument every_block() {
    return {"θ & more",
            {ReportHeading{1, "Settings"}, ReportParagraph{"a < b | c"}, ReportList{{"one", "two_three"}},
             ReportCode{"cli --set 'x y'\n  next"}, ReportTable{"50 %", {{{"key"}, {"value"}}, {{"theta", "10 | 20"}}}},
             ReportFigure{"loss", "Loss against θ."}}};
}

TEST(ReportDocument, MarkdownEscapesItsOwnCharacters) {
    const std::string text = report_markdown(every_block());
    EXPECT_THAT(text, testing::StartsWith("# θ & more\n"));
    EXPECT_THAT(text, testing::HasSubstr("## Settings\n"));
    EXPECT_THAT(text, testing::HasSubstr("a \\< b \\| c"));
    EXPECT_THAT(text, testing::HasSubstr("- two\\_three\n"));
    EXPECT_THAT(text, testing::HasSubstr("```\ncli --set 'x y'\n  next\n```\n"));
    EXPECT_THAT(text, testing::HasSubstr("| key | value |\n|---|---|\n| theta | 10 \\| 20 |\n"));
    EXPECT_THAT(text, testing::HasSubstr("](figures/loss.svg)"));
    EXPECT_THAT(report_markdown({"t", {ReportCode{"a ``` b"}}}), testing::HasSubstr("````\na ``` b\n````"));
}

TEST(ReportDocument, HtmlEscapesItsOwnCharacters) {
    const std::string text = report_html(every_block());
    EXPECT_THAT(text, testing::StartsWith("<!DOCTYPE html>"));
    EXPECT_THAT(text, testing::HasSubstr("<h1>θ &amp; more</h1>"));
    EXPECT_THAT(text, testing::HasSubstr("<p>a &lt; b | c</p>"));
    EXPECT_THAT(text, testing::HasSubstr("<tr><td>theta</td><td>10 | 20</td></tr>"));
    EXPECT_THAT(text, testing::HasSubstr("<img src=\"figures/loss.svg\" alt=\"Loss against θ.\">"));
    EXPECT_THAT(report_html({"\"<script>\"", {}}), testing::Not(testing::HasSubstr("<script>")));
}

TEST(ReportDocument, LatexEscapesItsOwnCharacters) {
    const std::string text = report_latex(every_block());
    EXPECT_THAT(text, testing::HasSubstr("\\section*{$\\theta$ \\& more}"));
    EXPECT_THAT(text, testing::HasSubstr("a $<$ b $|$ c"));
    EXPECT_THAT(text, testing::HasSubstr("\\item {}two\\_three"));
    EXPECT_THAT(text, testing::HasSubstr("\\mbox{}~~next\\\\"));
    EXPECT_THAT(text, testing::HasSubstr("\\caption{50 \\%}"));
    EXPECT_THAT(text, testing::HasSubstr("\\includegraphics[width=\\linewidth]{figures/loss.pdf}"));
    EXPECT_THAT(report_latex({"t", {ReportTable{"c", {{{"a"}}, {{"b"}}}, "OWN TABLE"}}}),
                testing::HasSubstr("OWN TABLE"));
}

TEST(ReportDocument, LatexNamesCharactersThatItsFontsLack) {
    EXPECT_EQ(report_latex_text("é 中 ~^\\"), "é U+4E2D \\textasciitilde{}\\textasciicircum{}\\textbackslash{}");
    EXPECT_EQ(report_latex_text("\xFF x \xE4\xB8"), "U+FFFD x U+FFFD");
}

TEST(ReportDocument, LatexBreaksLongWords) {
    EXPECT_EQ(report_latex_text(std::string(24, 'a')), std::string(24, 'a'));
    EXPECT_EQ(report_latex_text("x " + std::string(25, 'a')),
              "x aaaaaaaa\\allowbreak{}aaaaaaaa\\allowbreak{}aaaaaaaa\\allowbreak{}a");
}

}  // namespace
}  // namespace ropelab
