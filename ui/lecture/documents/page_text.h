#pragma once

#include <QObject>
#include <QString>
#include <QTextObjectInterface>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/lecture/lecture_formulas.h"

class QTextCursor;
class QTextDocument;

namespace ropelab::ui {

// Text of a lecture on pages that are printed or exported. Lengths and font sizes are in the units of the painter
// (FigureStyle::units), so that a page looks the same on every device. Formulas are drawn as vectors.

class FormulaObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

 public:
    using QObject::QObject;
    static constexpr int kType = 0x1001;  // QTextFormat::UserObject + 1

    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& place, QTextDocument* document, int position,
                    const QTextFormat& format) override;
};

/// Draws figures inside a QTextDocument that is drawn with a QCPPainter.
class FigureObject : public QObject, public QTextObjectInterface {
    Q_OBJECT
    Q_INTERFACES(QTextObjectInterface)

 public:
    FigureObject(const FigureStyle& style, QObject* parent) : QObject(parent), m_style(style) {}
    static constexpr int kType = 0x1002;  // QTextFormat::UserObject + 2

    /// `size` is in the units of the style.
    void insert(QTextCursor& cursor, const Figure& figure, const QSizeF& size);

    QSizeF intrinsicSize(QTextDocument* document, int position, const QTextFormat& format) override;
    void drawObject(QPainter* painter, const QRectF& place, QTextDocument* document, int position,
                    const QTextFormat& format) override;

 private:
    struct Placed {
        Figure figure;
        QSizeF size;
    };
    FigureStyle m_style;
    std::vector<Placed> m_figures;
};

/// Call once for a document that shows formulas.
void paintFormulas(QTextDocument& document);
void preparePage(QTextDocument& document, const FigureStyle& style, double points);
/// A column of a table with ![dots](plot:dots) or ![bars](plot:bars) in its heading is also painted (docs/lectures.md).
void setPageMarkdown(QTextDocument& document, const QString& markdown, const LectureFormulas& formulas,
                     const QColor& color);
void appendPageMarkdown(QTextCursor& cursor, const QString& markdown, const LectureFormulas& formulas,
                        const FigureStyle& style, double points);
void drawPageText(QTextDocument& document, QPainter& painter, const QPointF& place, const QColor& color);

}  // namespace ropelab::ui
