#include "ui/lecture/documents/page_text.h"

#include <qcustomplot.h>

#include <QAbstractTextDocumentLayout>
#include <QFontInfo>
#include <QFontMetrics>
#include <QFontMetricsF>
#include <QHash>
#include <QRegularExpression>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextDocument>
#include <QTextDocumentFragment>
#include <QTextFrame>
#include <QTextTable>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "ui/figure/paint/figure_painter.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

// Properties of the format of a formula: its SVG, and its height and depth in heights of an x.
constexpr int kFormulaSvg = QTextFormat::UserProperty + 1;
constexpr int kFormulaHeight = QTextFormat::UserProperty + 2;
constexpr int kFormulaDepth = QTextFormat::UserProperty + 3;
constexpr int kFigureIndex = QTextFormat::UserProperty + 4;
constexpr int kFormulaMarks = QTextFormat::UserProperty + 5;  // behind the formula
constexpr int kFormulaAlone = QTextFormat::UserProperty + 6;  // a deep formula without text beside it
constexpr int kFormulaRatio = QTextFormat::UserProperty + 7;  // its width by its height

constexpr double kParagraphGap = 0.5;  // between paragraphs, in font sizes
constexpr double kListIndent = 1.8;    // of a list, in font sizes
constexpr double kDeepFormula = 1.6;   // times the descent of the text: the line is made deeper for such a formula

/// A length of a formula, in heights of its x. Its capitals are as high as those of the text.
double formulaUnits(const QTextFormat& format, int property, const QFontMetricsF& metrics) {
    constexpr double exOfCapital = 0.431 / 0.683;  // Computer Modern
    return format.doubleProperty(property) * exOfCapital * metrics.capHeight();
}

QSizeF formulaSize(const QTextFormat& format, const QFontMetricsF& metrics) {
    const double height = formulaUnits(format, kFormulaHeight, metrics) + formulaUnits(format, kFormulaDepth, metrics);
    return {height * format.doubleProperty(kFormulaRatio), height};
}

bool isDeep(const QTextFormat& format) {
    return format.toCharFormat().verticalAlignment() == QTextCharFormat::AlignMiddle;
}

/// Removes the marks with which `text` begins and returns them. Qt would part them from a formula before them at the
/// end of a line, so that they are painted with the formula.
QString takeMarks(QString& text) {
    qsizetype end = 0;
    while (end < text.size() && u".,;:?)"_s.contains(text[end])) ++end;
    const QString marks = text.first(end);
    text.remove(0, end);
    return marks;
}

/// Invalid if the formula has no picture.
QTextCharFormat formulaFormat(const LectureFormula& formula, const QString& marks, const QColor& color,
                              const QFontMetricsF& metrics) {
    const QByteArray svg = formula.svg(color);
    if (formula.height + formula.depth <= 0) return {};
    const QSvgRenderer renderer(svg);
    const QRectF box = renderer.viewBoxF();
    if (!renderer.isValid() || box.isEmpty()) return {};
    QTextCharFormat format;
    format.setProperty(kFormulaRatio, box.width() / box.height());
    format.setObjectType(FormulaObject::kType);
    format.setProperty(kFormulaSvg, svg);
    format.setProperty(kFormulaHeight, formula.height);
    format.setProperty(kFormulaDepth, formula.depth);
    format.setProperty(kFormulaMarks, marks);
    format.setForeground(color);
    if (formulaUnits(format, kFormulaDepth, metrics) > kDeepFormula * metrics.descent()) {
        format.setVerticalAlignment(QTextCharFormat::AlignMiddle);
    }
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
            QTextCharFormat format = formula == formulas.constEnd() ? QTextCharFormat() : *formula;
            if (isDeep(format) && block.text().size() == 1) {
                format.setVerticalAlignment(QTextCharFormat::AlignNormal);
                format.setProperty(kFormulaAlone, true);
            }
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

/// Paints each number of a column before its text: a point with its spread, or a bar from 0, on an axis that the column
/// shares, with a line at the number of the row whose first cell is bold.
void plot(QTextTable& table, int column, bool areBars, const QColor& color) {
    static const QRegularExpression number(u"^([−+]?[\\d.,]+)(?: ± ([\\d.]+))?"_s);
    struct Value {
        QTextCursor cell;
        double at, low, high;
    };
    std::vector<Value> values;
    std::optional<double> level;
    qsizetype longest = 0;
    for (int row = 1; row < table.rows(); ++row) {
        const QTextCursor cell = table.cellAt(row, column).firstCursorPosition();
        const auto match = number.match(cell.block().text());
        if (!match.hasMatch()) continue;
        const double at = match.captured(1).remove(u',').replace(u'−', u'-').toDouble();
        const double spread = match.captured(2).toDouble();
        values.push_back(
            {cell, at, areBars ? std::min(0.0, at) : at - spread, areBars ? std::max(0.0, at) : at + spread});
        longest = std::max(longest, cell.block().text().size());
        QTextCursor first = table.cellAt(row, 0).firstCursorPosition();
        first.movePosition(QTextCursor::NextCharacter);
        if (first.charFormat().fontWeight() >= QFont::DemiBold) level = at;
    }
    if (values.empty()) return;
    const double least = std::ranges::min(values, {}, &Value::low).low;
    const double length = std::ranges::max(values, {}, &Value::high).high - least;
    const auto x = [&](double at) { return 4 + 102 * (length > 0 ? (at - least) / length : 0.5); };
    for (Value& value : values) {
        QString marks =
            u"<path d='M%1 5H%2' stroke-width='%3'/>"_s.arg(x(value.low)).arg(x(value.high)).arg(areBars ? 4 : 0.7);
        if (!areBars) marks += u"<circle cx='%1' cy='5' r='1.7' fill='%2'/>"_s.arg(x(value.at)).arg(color.name());
        if (level) marks += u"<path d='M%1 0V10' stroke-width='.4' stroke-dasharray='1.2 1.3'/>"_s.arg(x(*level));
        const QString svg =
            u"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 110 10'><g stroke='%1'>%2</g></svg>"_s;
        QTextCharFormat format;
        format.setObjectType(FormulaObject::kType);
        format.setProperty(kFormulaSvg, svg.arg(color.name(), marks).toUtf8());
        format.setProperty(kFormulaRatio, 11.0);
        format.setProperty(kFormulaHeight, 2.1);
        format.setProperty(kFormulaDepth, 0.7);
        const QString digits(longest - value.cell.block().text().size(), u'\u2007');  // numbers end below each other
        value.cell.insertText(QString(QChar::ObjectReplacementCharacter), format);
        value.cell.insertText(u"\u2002"_s + digits, QTextCharFormat());
    }
}

/// A heading contains the picture "plot:dots" or "plot:bars".
void plotColumns(const QTextDocument& document, const QColor& color) {
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        for (int column = 0; table && column < table->columns(); ++column) {
            const QTextBlock heading = table->cellAt(0, column).firstCursorPosition().block();
            QString name;
            for (auto part = heading.begin(); !part.atEnd(); ++part) {
                name += part.fragment().charFormat().toImageFormat().name();
            }
            if (name.startsWith("plot:"_L1)) plot(*table, column, name == "plot:bars"_L1, color);
        }
    }
}

/// The boldest font of the program is SemiBold; a PDF would paint a bolder text twice.
void useSemiBold(QTextDocument& document) {
    std::vector<std::pair<int, int>> bold;  // first and last position
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment each = part.fragment();
            if (each.charFormat().fontWeight() > QFont::DemiBold)
                bold.emplace_back(each.position(), each.position() + each.length());
        }
    }
    QTextCharFormat format;
    format.setFontWeight(QFont::DemiBold);
    for (const auto& [first, last] : bold) {
        QTextCursor cursor(&document);
        cursor.setPosition(first);
        cursor.setPosition(last, QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(format);
    }
}

/// To the right, in the columns that have only numbers below their heading.
void alignNumbers(QTextTable& table) {
    static const QRegularExpression number(u"^(|–|[−+]?\\d[\\d,.]*(.%| ± [\\d.]+)?)$"_s);
    for (int column = 0; column < table.columns(); ++column) {
        bool isNumeric = table.rows() > 1;
        for (int row = 1; row < table.rows() && isNumeric; ++row) {
            isNumeric = number.match(table.cellAt(row, column).firstCursorPosition().block().text()).hasMatch();
        }
        for (int row = 0; row < table.rows() && isNumeric; ++row) {
            QTextBlockFormat format;
            format.setAlignment(Qt::AlignRight);
            table.cellAt(row, column).firstCursorPosition().mergeBlockFormat(format);
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
        alignNumbers(*table);
    }
}

}  // namespace

QSizeF FormulaObject::intrinsicSize(QTextDocument* document, int /*position*/, const QTextFormat& format) {
    const QFontMetricsF metrics(document->defaultFont());
    const QSizeF size = formulaSize(format, metrics);
    const double above = formulaUnits(format, kFormulaHeight, metrics);
    const double width = size.width() + metrics.horizontalAdvance(format.stringProperty(kFormulaMarks));
    // The layout places the lower edge at the base line, and the middle of a deep formula a quarter of an x above it.
    if (format.boolProperty(kFormulaAlone)) return {width, size.height()};
    if (!isDeep(format)) return {width, above};
    const double middle = QFontMetrics(document->defaultFont()).xHeight() / 4.0;
    return {width, 2 * std::max(above - middle, size.height() - above + middle)};
}

void FormulaObject::drawObject(QPainter* painter, const QRectF& place, QTextDocument* document, int /*position*/,
                               const QTextFormat& format) {
    QSvgRenderer renderer(format.property(kFormulaSvg).toByteArray());
    const QFontMetricsF metrics(document->defaultFont());
    const QSizeF size = formulaSize(format, metrics);
    const double above = formulaUnits(format, kFormulaHeight, metrics);
    const double middle = QFontMetrics(document->defaultFont()).xHeight() / 4.0;
    const QPointF base(place.left(), format.boolProperty(kFormulaAlone) ? place.top() + above
                                     : isDeep(format)                   ? place.center().y() + middle
                                                                        : place.bottom());
    painter->save();
    renderer.render(painter, QRectF(base - QPointF(0, above), size));
    painter->setFont(document->defaultFont());
    painter->setPen(format.foreground().color());
    painter->drawText(base + QPointF(size.width(), 0), format.stringProperty(kFormulaMarks));
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

void paintFormulas(QTextDocument& document) {
    document.documentLayout()->registerHandler(FormulaObject::kType, new FormulaObject(&document));
}

void preparePage(QTextDocument& document, const FigureStyle& style, double points) {
    document.setDocumentMargin(0);
    document.setDefaultFont(style.font(points));
    document.setUseDesignMetrics(true);
    document.setIndentWidth(style.units(points) * kListIndent);
    paintFormulas(document);
}

void setPageMarkdown(QTextDocument& document, const QString& markdown, const LectureFormulas& formulas,
                     const QColor& color) {
    const QFontMetricsF metrics(document.defaultFont());
    SplitMarkdown split = splitFormulas(markdown);
    QString source = split.between.first();
    QHash<QString, QTextCharFormat> formats;
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        const QString marks = takeMarks(split.between[i + 1]);
        const QTextCharFormat format = formulaFormat(formulas.formula(split.formulas[i]), marks, color, metrics);
        const QString name = u"formula:%1"_s.arg(i);
        if (format.objectType() != FormulaObject::kType) {
            source += withUnicodeFormulas(u"$%1$"_s.arg(split.formulas[i]), formulas) + marks;
        } else {
            formats.insert(name, format);
            source += u"![formula](%1)"_s.arg(name);  // Qt drops pictures without an alternative text
        }
        source += split.between[i + 1];
    }
    document.setMarkdown(withFixedSpaces(source));
    plotColumns(document, color);
    insertFormulas(document, formats);
    useSemiBold(document);
    spaceBlocks(document, QFontInfo(document.defaultFont()).pixelSize());
}

void appendPageMarkdown(QTextCursor& cursor, const QString& markdown, const LectureFormulas& formulas,
                        const FigureStyle& style, double points) {
    LectureDocument part;
    preparePage(part, style, points);
    setPageMarkdown(part, markdown, formulas, style.theme.text);
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

#include "moc_page_text.cpp"
