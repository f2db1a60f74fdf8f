#pragma once

#include <QHash>
#include <QString>
#include <QStringList>

namespace ropelab::ui {

/// A formula of a lecture as a picture.
struct LectureFormula {
    QString file;       // path of the SVG file, whose colour is the word currentColor; "" if there is no picture
    QString text;       // Unicode text
    double height = 0;  // above the base line, in ex (heights of an x)
    double depth = 0;   // below the base line, in ex
};

/// Pictures of the formulas that belong to a lecture: the folder "formulas" beside it with the index formulas.json, which
/// names for each TeX source the file, the Unicode text, and height_ex and depth_ex.
class LectureFormulas {
 public:
    LectureFormulas() = default;
    /// Reads the index in the folder of a lecture. Without an index, or with a damaged one, all formulas are Unicode text.
    explicit LectureFormulas(const QString& folder);

    /// Returns a formula from its TeX source without dollar signs.
    LectureFormula formula(const QString& tex) const;

 private:
    QHash<QString, LectureFormula> m_formulas;
};

/// Formats TeX as Unicode text as far as that is possible: "\theta^{-2i/d}" as "θ^(−2i/d)".
QString unicodeOfTex(const QString& tex);

/// A Markdown text whose formulas, between dollar signs, are replaced by placeholders.
struct SplitMarkdown {
    QStringList between;   // the Markdown around the formulas; one more than there are formulas
    QStringList formulas;  // TeX
};
SplitMarkdown splitFormulas(const QString& markdown);

/// Returns a Markdown text with all formulas as Unicode text.
QString withUnicodeFormulas(const QString& markdown, const LectureFormulas& formulas);

}  // namespace ropelab::ui
