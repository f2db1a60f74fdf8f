#pragma once

#include <QList>
#include <QString>

namespace ropelab::ui {

/// A page of the guide, which is a file in docs/.
struct GuidePage {
    QString file;   // "train.md"
    QString title;  // "Train"
    QString about;  // "settings, data, tokenizers, search, growing a lab"
    QString group;  // "The window"; empty for the first page
};
/// README.md of docs/, then the pages in the order of its links.
const QList<GuidePage>& guidePages();

/// Markdown, without comments; empty if there is no such page.
QString guideText(const QString& file);

/// A heading of the guide with the text below it, up to the next heading.
struct GuideSection {
    GuidePage page;
    QString heading;
    int level = 1;   // 1 for the heading of the page
    QString anchor;  // "data-sets", as GitHub forms it from the heading
    QString text;    // without marks of Markdown
};
const QList<GuideSection>& guideSections();

/// Sections that contain all words of `typed`, in upper or lower case; first those with `typed` in their heading, then
/// those with `typed` in their text. A number, "F12" or "formula 12" gives the section of that formula.
QList<GuideSection> findInGuide(const QString& typed);

/// Numbers in "formula 12", "formulas 12 and 13" or "formulas 18 to 20, 22 and 23", each once, in the order of the
/// text.
QList<int> formulasIn(const QString& text);
/// Rich text with a link "12" per formula; "" if there are none.
QString formulaLinks(const QList<int>& formulas);

struct FormulaTitle {
    int number;
    QString title;    // "YaRN"
    QString section;  // "Context extension"
};
const QList<FormulaTitle>& formulaTitles();
/// nullptr if there is no formula with this number.
const GuideSection* formulaSection(int number);

}  // namespace ropelab::ui
