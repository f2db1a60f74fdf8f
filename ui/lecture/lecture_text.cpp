#include "ui/lecture/lecture_text.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QHash>
#include <QPainter>
#include <QSvgRenderer>
#include <QTextBlock>
#include <QTextCursor>
#include <QTextTable>
#include <QUrl>
#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

const QString kFormulaScheme = u"formula:"_s;

/// Padded below to the descent of the font, on which the layout of texts places pictures; null if the file is no SVG.
QImage formulaImage(const LectureFormula& formula, const QFontMetricsF& metrics, const QColor& color, double ratio) {
    QSvgRenderer renderer(formula.svg(color));
    const QSizeF drawn = renderer.defaultSize();
    if (!renderer.isValid() || drawn.isEmpty() || formula.height + formula.depth <= 0) return {};
    const double height = (formula.height + formula.depth) * metrics.xHeight();
    const double width = height * renderer.viewBoxF().width() / renderer.viewBoxF().height();
    const double below = std::max(0.0, metrics.descent() - formula.depth * metrics.xHeight());
    const QSizeF size(width, height + below);
    QImage image((size * ratio).toSize().expandedTo({1, 1}), QImage::Format_ARGB32_Premultiplied);
    image.setDevicePixelRatio(ratio);
    image.fill(Qt::transparent);
    QPainter painter(&image);
    renderer.render(&painter, QRectF(0, 0, width, height));
    return image;
}

/// Low pictures are on the base line, high ones, such as matrices, around the middle.
void alignFormulas(QTextDocument& document, double highest) {
    std::vector<std::pair<int, QTextCharFormat>> images;  // the formats are changed after the walk through the blocks
    for (QTextBlock block = document.begin(); block.isValid(); block = block.next()) {
        for (auto part = block.begin(); !part.atEnd(); ++part) {
            const QTextFragment fragment = part.fragment();
            if (!fragment.charFormat().isImageFormat()) continue;
            const QUrl name(fragment.charFormat().toImageFormat().name());
            const auto image = document.resource(QTextDocument::ImageResource, name).value<QImage>();
            QTextCharFormat format;
            format.setVerticalAlignment(image.height() / image.devicePixelRatio() > highest
                                            ? QTextCharFormat::AlignMiddle
                                            : QTextCharFormat::AlignBaseline);
            images.emplace_back(fragment.position(), format);
        }
    }
    for (const auto& [position, format] : images) {
        QTextCursor cursor(&document);
        cursor.setPosition(position);
        cursor.setPosition(position + 1, QTextCursor::KeepAnchor);
        cursor.mergeCharFormat(format);
    }
}

}  // namespace

LectureText::LectureText(double points, QWidget* parent) : QWidget(parent), m_points(points) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, &LectureText::restyle);
}

void LectureText::setPixelSize(int pixels) {
    if (pixels == std::exchange(m_pixels, pixels)) return;
    restyle();
}

QFont LectureText::textFont() const {
    QFont font = ThemeManager::instance().fontAt(m_points);
    if (m_pixels > 0) font.setPixelSize(m_pixels);
    return font;
}

void LectureText::setMarkdown(const QString& markdown) {
    m_markdown = markdown;
    LectureDocument plain;
    plain.setMarkdown(withUnicodeFormulas(markdown, m_formulas));
    m_plain = plain.toPlainText().trimmed();
    setAccessibleName(m_plain);
    restyle();
}

void LectureText::restyle() {
    fill(m_document, m_markdown);
    updateGeometry();
    update();
}

void LectureText::fill(QTextDocument& document, const QString& markdown) const {
    const ThemeManager& manager = ThemeManager::instance();
    document.clear();
    document.setDocumentMargin(0);
    document.setDefaultFont(textFont());
    const QFontMetricsF metrics(document.defaultFont(), this);
    // Qt's width of 40 pixels cuts off the numbers of a list in the large type of a stage.
    document.setIndentWidth(std::max(document.indentWidth(), 1.3 * metrics.height()));
    const SplitMarkdown split = splitFormulas(markdown);
    QString source = split.between.first();
    QHash<QString, QImage> images;
    for (qsizetype i = 0; i < split.formulas.size(); ++i) {
        const LectureFormula formula = m_formulas.formula(split.formulas[i]);
        const QImage image = formulaImage(formula, metrics, manager.theme().text, devicePixelRatioF());
        const QString name = kFormulaScheme + QString::number(i);
        if (image.isNull()) {
            source += withUnicodeFormulas(u"$%1$"_s.arg(split.formulas[i]), m_formulas);
        } else {
            images.insert(name, image);
            source += u"![formula](%1)"_s.arg(name);  // Qt drops pictures without an alternative text
        }
        // A picture and the comma behind it would be parted at the end of a line.
        const QString& after = split.between[i + 1];
        if (!after.isEmpty() && u".,;:)"_s.contains(after.front())) source += QChar(0x2060);
        source += after;
    }
    document.setMarkdown(source);  // removes all resources, which therefore follow
    for (auto each = images.cbegin(); each != images.cend(); ++each) {
        document.addResource(QTextDocument::ImageResource, QUrl(each.key()), each.value());
    }
    alignFormulas(document, 1.6 * metrics.height());
    for (QTextFrame* frame : document.rootFrame()->childFrames()) {
        auto* table = qobject_cast<QTextTable*>(frame);
        if (!table) continue;
        QTextTableFormat format = table->format();
        format.setCellPadding(0.3 * metrics.height());
        table->setFormat(format);
    }
}

int LectureText::heightForWidth(int width) const {
    if (m_markdown.isEmpty()) return 0;
    m_document.setTextWidth(width);
    return static_cast<int>(std::ceil(m_document.size().height()));
}

int LectureText::heightOf(const QString& markdown, int width) const {
    if (markdown.isEmpty()) return 0;
    LectureDocument document;
    fill(document, markdown);
    document.setTextWidth(width);
    return static_cast<int>(std::ceil(document.size().height()));
}

QSize LectureText::sizeHint() const {
    const int width = ThemeManager::instance().pixels(480);
    return {width, heightForWidth(width)};
}

QSize LectureText::minimumSizeHint() const {
    return {ThemeManager::instance().pixels(80), 0};
}

void LectureText::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    m_document.setTextWidth(width());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, ThemeManager::instance().theme().text);
    m_document.documentLayout()->draw(&painter, context);
}

}  // namespace ropelab::ui
