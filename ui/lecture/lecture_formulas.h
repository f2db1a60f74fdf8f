#pragma once

#include <QByteArray>
#include <QColor>
#include <QHash>
#include <QImage>
#include <QString>
#include <QStringList>
#include <QTextDocument>

namespace ropelab::ui {

/// Loads no pictures but those added to it: other addresses are the author's, and could name a device or a server.
class LectureDocument : public QTextDocument {
 protected:
    // For a picture without an image, Qt would open the file of this name itself.
    QVariant loadResource(int type, const QUrl& /*name*/) override {
        if (type != QTextDocument::ImageResource) return {};
        QImage nothing(1, 1, QImage::Format_ARGB32);
        nothing.fill(Qt::transparent);
        return nothing;
    }
};

struct LectureFormula {
    QString file;       // path of the SVG file, whose colour is the word currentColor; "" if there is no picture
    QString text;       // Unicode text
    double height = 0;  // above the base line, in ex (heights of an x)
    double depth = 0;   // below the base line, in ex

    /// In this colour; "" if there is none, if it is no regular file, or if it names other files.
    QByteArray svg(const QColor& color) const;
};

/// Reads the folder "formulas" beside a lecture with the index formulas.json, which names for each TeX source the file,
/// the Unicode text, and height_ex and depth_ex.
class LectureFormulas {
 public:
    LectureFormulas() = default;
    /// Without an index, or with a damaged one, all formulas are Unicode text.
    explicit LectureFormulas(const QString& folder);

    /// `tex` has no dollar signs.
    LectureFormula formula(const QString& tex) const;

 private:
    QHash<QString, LectureFormula> m_formulas;
};

/// As far as that is possible: "\theta^{-2i/d}" becomes "θ^(−2i/d)". Text with more than 64 levels of braces is no
/// formula: its beginning stays as it is.
QString unicodeOfTex(const QString& tex);

/// Formulas, between dollar signs, are replaced by placeholders.
struct SplitMarkdown {
    QStringList between;   // the Markdown around the formulas; one more than there are formulas
    QStringList formulas;  // TeX
};
SplitMarkdown splitFormulas(const QString& markdown);

/// A value stays on the line of its "=" or "<", "%" on that of its number, and a product of numbers on one line.
QString withFixedSpaces(QString markdown);

QString withUnicodeFormulas(const QString& markdown, const LectureFormulas& formulas);

}  // namespace ropelab::ui
