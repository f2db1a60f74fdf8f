#include "ui/lecture/documents/page_text.h"

#include <qcustomplot.h>

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QHash>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextFrame>
#include <QTextTable>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/figure/paint/figure_painter.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Properties of the format of a formula: its SVG, and its height and depth in heights of an x.
constexpr int kFormulaSvg = QTextFormat::UserProperty + 1;
constexpr int kFormulaHeight = QTextFormat::UserProperty + 2;
constexpr int kFormulaDepth = QTextFormat::UserProperty + 3;
constexpr int kFigureIndex = QTextFormat::UserProperty + 4;

constexpr double kParagraphGap = 0.5;  // between paragraphs, in font sizes
constexpr double kListIndent = 1.8;    // of a list, in font sizes
constexpr double kHighFormula = 1.6;   // formulas that are higher, in lines, are centred on the line

/// Without the space below the formula.
QSizeF formulaSize(const QTextFormat& format, const QFontMetricsF& metrics) {
    const QSvgRenderer renderer(format.property(kFormulaSvg).toByteArray());
    const double height =
        (format.doubleProperty(kFormulaHeight) + format.doubleProperty(kFormulaDepth)) * metrics.xHeight();
    const QRectF box = renderer.viewBoxF();
    return {box.isEmpty() ? 0 : height * box.width() / box.height(), height};
}

/// Invalid if the formula has no picture.
QTextCharFormat formulaFormat(const LectureFormula& formula, const QColor& color, const QFontMetricsF& metrics) {
    const QByteArray svg = formula.svg(color);
    if (formula.height + formula.depth <= 0) return {};
    if (const QSvgRenderer renderer(svg); !renderer.isValid() || renderer.viewBoxF().isEmpty()) return {};
    QTextCharFormat format;
    format.setObjectType(FormulaObject::kType);
    format.setProperty(kFormulaSvg, svg);
    format.setProperty(kFormulaHeight, formula.height);
    format.setProperty(kFormulaDepth, formula.depth);
    const bool isHigh = (formula.height + formula.depth) * metrics.xHeight() > kHighFormula * metrics.height();
    format.setVerticalAlignment(isHigh ? QTextCharFormat::AlignMiddle : QTextCharFormat::AlignBaseline);
    return format;
}

void insertFormulas(QTextDocument& document, const QHash<QString, QTextCharFormat>& formulas) {
    std::vector<std::pair<int, QTextCharFormat>> found;  // changed after the walk through the blocks
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            if (!fragment.charFormat().isImageFormat()) continue;
            const auto formula = formulas.constFind(fragment.charFormat().toImageFormat().name());
            // A document of a lecture contains no other pictures.
            const QTextCharFormat format = formula == formulas.constEnd() ? QTextCharFormat() : *formula;
            for (int i = 0; i < fragment.length(); ++i) found.emplace_back(fragment.position() + i, format);
        }
    }
    std::reverse(found.begin(), found.end());  // a removed picture moves those behind it
    for (const auto& [position, format] : found) {
        QTextCursor cursor(&document);
        cursor.setPosition(position);
        cursor.setPosition(position + 1, QTextCursor::KeepAnchor);
        if (format.objectType() == FormulaObject::kType) {
            cursor.setCharFormat(format);
        } else {
            cursor.removeSelectedText();
        }
    }
}

/// Qt's Markdown has this space only for fonts with a size in points.
void spaceBlocks(QTextDocument& document, double em) {
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        QTextBlockFormat format = block.blockFormat();
        const bool isCell = QTextCursor(block).currentTable() != nullptr;
        format.setTopMargin(format.headingLevel() > 0 ? em * kParagraphGap : 0);
        format.setBottomMargin(isCell ? 0 : block.textList() ? em * kParagraphGap / 2 : em * kParagraphGap);
        QTextCursor(block).setBlockFormat(format);
    }
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setCellPadding(em * 0.3);
        format.setCellSpacing(0);
        format.setBorder(em * 0.05);
        format.setBorderStyle(QTextFrameFormat::BorderStyle_Solid);
        format.setBorderCollapse(true);
        format.setBottomMargin(em * kParagraphGap);
        table->setFormat(format);
    }
}

}  // namespace

QSizeF FormulaObject::intrinsicSize(QTextDocument* document, int /*position*/, const QTextFormat& format) {
    const QFontMetricsF metrics(document->defaultFont());
    const QSizeF size = formulaSize(format, metrics);
    // The layout places the lower edge at the descent of the font.
    const double below = std::max(0.0, metrics.descent() - format.doubleProperty(kFormulaDepth) * metrics.xHeight());
    return {size.width(), size.height() + below};
}

void FormulaObject::drawObject(QPainter* painter, const QRectF& place, QTextDocument* document, int /*position*/,
                               const QTextFormat& format) {
    QSvgRenderer renderer(format.property(kFormulaSvg).toByteArray());
    const QSizeF size = formulaSize(format, QFontMetricsF(document->defaultFont()));
    painter->save();
    renderer.render(painter, QRectF(place.topLeft(), size));
    painter->restore();
}

void FigureObject::insert(QTextCursor& cursor, const Figure& figure, const QSizeF& size) {
    QTextCharFormat format;
    format.setObjectType(kType);
    format.setProperty(kFigureIndex, static_cast<int>(m_figures.size()));
    m_figures.push_back({figure, size});
    cursor.insertText(QString(QChar::ObjectReplacementCharacter), format);
}

QSizeF FigureObject::intrinsicSize(QTextDocument* /*document*/, int /*position*/, const QTextFormat& format) {
    return m_figures[static_cast<std::size_t>(format.intProperty(kFigureIndex))].size;
}

void FigureObject::drawObject(QPainter* painter, const QRectF& place, QTextDocument* /*document*/, int /*position*/,
                              const QTextFormat& format) {
    const Placed& placed = m_figures[static_cast<std::size_t>(format.intProperty(kFigureIndex))];
    painter->save();
    painter->translate(std::round(place.left()), std::round(place.top()));
    paintFigure(placed.figure, *static_cast<QCPPainter*>(painter), placed.size.toSize(), m_style);
    painter->restore();
}

void preparePage(QTextDocument& document, const FigureStyle& style, double points) {
    document.setDocumentMargin(0);
    document.setDefaultFont(style.font(points));
    document.setUseDesignMetrics(true);
    document.setIndentWidth(style.units(points) * kListIndent);
    document.documentLayout()->registerHandler(FormulaObject::kType, new FormulaObject(&document));
}

void setPageMarkdown(QTextDocument& document, const QString& markdown, const LectureFormulas& formulas,
                     const FigureStyle& style) {
    const QFontMetricsF metrics(document.defaultFont());
    const SplitMarkdown split = splitFormulas(markdown);
    QString source = split.between.first();
    QHash<QString, QTextCharFormat> formats;
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        const QTextCharFormat format = formulaFormat(formulas.formula(split.formulas[i]), style.theme.text, metrics);
        const QString name = u"formula:%1"_s.arg(i);
        if (format.objectType() != FormulaObject::kType) {
            source += withUnicodeFormulas(u"$%1$"_s.arg(split.formulas[i]), formulas);
        } else {
            formats.insert(name, format);
            source += u"![formula](%1)"_s.arg(name);  // Qt drops pictures without an alternative text
        }
        source += split.between[i + 1];
    }
    document.setMarkdown(source);
    insertFormulas(document, formats);
    spaceBlocks(document, document.defaultFont().pixelSize());
}

void appendPageMarkdown(QTextCursor& cursor, const QString& markdown, const LectureFormulas& formulas,
                        const FigureStyle& style, double points) {
    LectureDocument part;
    preparePage(part, style, points);
    setPageMarkdown(part, markdown, formulas, style);
    cursor.insertFragment(QTextDocumentFragment(&part));
}

void drawPageText(QTextDocument& document, QPainter& painter, const QPointF& place, const QColor& color) {
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, color);
    painter.save();
    painter.translate(place);
    document.documentLayout()->draw(&painter, context);
    painter.restore();
}

}  // namespace ropelab::ui
