#pragma once

#include <QFile>
#include <QHash>
#include <QString>
#include <QStringList>
#include <QTextDocument>

namespace ropelab::ui {

/// A document of a lecture's text. It has the pictures that were added to it and loads no others: their addresses are
/// the author's, and could name a device or a server.
class LectureDocument : public QTextDocument {
 protected:
    QVariant loadResource(int /*type*/, const QUrl& /*name*/) override { return {}; }
};

/// Opens a file for reading if it is a regular file of at most `most` bytes. Another one, such as a device or a pipe,
/// could have no end.
bool openRegular(QFile& file, qint64 most = 4'000'000);

/// A formula of a lecture as a picture.
struct LectureFormula {
    QString file;       // path of the SVG file, whose colour is the word currentColor; "" if there is no picture
    QString text;       // Unicode text
    double height = 0;  // above the base line, in ex (heights of an x)
    double depth = 0;   // below the base line, in ex
};

/// Pictures of the formulas that belong to a lecture: the folder "formulas" beside it with the index formulas.json,
/// which names for each TeX source the file, the Unicode text, and height_ex and depth_ex.
class LectureFormulas {
 public:
    LectureFormulas() = default;
    /// Reads the index in the folder of a lecture. Without an index, or with a damaged one, all formulas are Unicode
    /// text.
    explicit LectureFormulas(const QString& folder);

    /// Returns a formula from its TeX source without dollar signs.
    LectureFormula formula(const QString& tex) const;

 private:
    QHash<QString, LectureFormula> m_formulas;
};

/// Formats TeX as Unicode text as far as that is possible: "\theta^{-2i/d}" as "θ^(−2i/d)". Text with more than 64
/// levels of braces is no formula: its beginning stays as it is.
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
