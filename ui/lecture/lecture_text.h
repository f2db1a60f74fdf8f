#pragma once

#include <QFont>
#include <QHash>
#include <QTextDocument>
#include <QWidget>

#include "ui/lecture/lecture_formulas.h"

namespace ropelab::ui {

/// Formulas are pictures or, without pictures, Unicode text. The widget is as high as its text at the given width.
class LectureText : public QWidget {
    Q_OBJECT

 public:
    /// `points` is the font size at a window scale of 100 %.
    explicit LectureText(double points, QWidget* parent = nullptr);

    /// Instead of the points: a size that does not follow the scale of the window.
    void setPixelSize(int pixels);
    QFont textFont() const;
    /// Call before setMarkdown().
    void setFormulas(const LectureFormulas& formulas) { m_formulas = formulas; }
    void setMarkdown(const QString& markdown);
    const QString& markdown() const { return m_markdown; }
    QString plainText() const { return m_plain; }
    /// Height of another text, in pixels.
    int heightOf(const QString& markdown, int width) const;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

 protected:
    void paintEvent(QPaintEvent* event) override;

 private:
    void fill(QTextDocument& document, const QString& markdown) const;
    /// It is filled when it is first needed.
    QTextDocument& document() const;
    void restyle();

    double m_points;
    int m_pixels = 0;  // 0: m_points
    LectureFormulas m_formulas;
    QString m_markdown;
    QString m_plain;
    mutable bool m_isStale = true;
    mutable QColor m_color;
    mutable LectureDocument m_document;
    mutable QHash<int, int> m_heights;  // by width: layouts ask for each of them again and again
};

}  // namespace ropelab::ui
