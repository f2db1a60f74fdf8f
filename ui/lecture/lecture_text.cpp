#include "ui/lecture/lecture_text.h"

#include <QAbstractTextDocumentLayout>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextBlock>
#include <QTextCursor>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/lecture/documents/page_text.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

LectureText::LectureText(double points, QWidget* parent) : QWidget(parent), m_points(points) {
    QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Minimum);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    paintFormulas(m_document);
    connect(&ThemeManager::instance(), &ThemeManager::changed, this, [this] {
        if (m_pixels == 0 || m_color != ThemeManager::instance().theme().text) restyle();
    });
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
    m_plain = plain.toPlainText().remove(QChar::ObjectReplacementCharacter).trimmed();
    setAccessibleName(m_plain);
    restyle();
}

void LectureText::restyle() {
    m_isStale = true;
    m_heights.clear();
    updateGeometry();
    update();
}

QTextDocument& LectureText::document() const {
    if (std::exchange(m_isStale, false)) fill(m_document, m_markdown);
    return m_document;
}

void LectureText::fill(QTextDocument& document, const QString& markdown) const {
    const ThemeManager& manager = ThemeManager::instance();
    document.setLayoutEnabled(false);  // each of the changes below would lay out the text
    document.clear();
    document.setDocumentMargin(0);
    document.setDefaultFont(textFont());
    const QFontMetricsF metrics(document.defaultFont(), this);
    // Qt's width of 40 pixels cuts off the numbers of a list in the large type of a stage.
    document.setIndentWidth(std::max(document.indentWidth(), 1.3 * metrics.height()));
    m_color = manager.theme().text;
    setPageMarkdown(document, markdown, m_formulas, m_color);
    // Paragraphs have a space between them, and none below the last one.
    QTextCursor last(document.lastBlock());
    QTextBlockFormat format = last.blockFormat();
    format.setBottomMargin(0);
    last.setBlockFormat(format);
    document.setLayoutEnabled(true);
}

int LectureText::heightForWidth(int width) const {
    if (m_markdown.isEmpty()) return 0;
    if (const auto known = m_heights.constFind(width); known != m_heights.constEnd()) return *known;
    document().setTextWidth(width);
    return *m_heights.insert(width, static_cast<int>(std::ceil(m_document.size().height())));
}

int LectureText::heightOf(const QString& markdown, int width) const {
    if (markdown.isEmpty()) return 0;
    LectureDocument document;
    paintFormulas(document);
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
    document().setTextWidth(width());
    QAbstractTextDocumentLayout::PaintContext context;
    context.palette.setColor(QPalette::Text, ThemeManager::instance().theme().text);
    m_document.documentLayout()->draw(&painter, context);
}

}  // namespace ropelab::ui

#include "moc_lecture_text.cpp"
