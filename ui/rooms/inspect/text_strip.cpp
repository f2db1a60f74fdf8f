#include "ui/rooms/inspect/text_strip.h"

#include <QFontMetricsF>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <algorithm>
#include <cmath>

#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

TextStrip::TextStrip(QWidget* parent) : QWidget(parent) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(tr("Text of the attention map"));
    setToolTip(tr("Point at a token to shade the tokens that it attends to; click it to keep it selected."));
}

void TextStrip::setRow(AttentionRow row) {
    const bool another = row.tokens.size() != m_row.tokens.size();
    m_row = std::move(row);
    if (m_row.query >= 0) {
        setAccessibleDescription(tr("Token %1 of %2 is selected.").arg(m_row.query).arg(m_row.tokens.size()));
    }
    if (another) updateGeometry();
    update();
}

double TextStrip::cellWidth() const {
    return QFontMetricsF(ThemeManager::instance().fontAt(10.5)).horizontalAdvance(QLatin1Char('W')) +
           ThemeManager::instance().px(2);
}

double TextStrip::cellHeight() const {
    return QFontMetricsF(ThemeManager::instance().fontAt(10.5)).height() + ThemeManager::instance().px(4);
}

int TextStrip::tokensPerRow() const {
    return std::max(1, static_cast<int>(width() / cellWidth()));
}

QSize TextStrip::sizeHint() const {
    // The texts of snapshots need at most two rows; longer texts are cut off after the third row.
    const int rows =
        std::clamp(static_cast<int>(std::ceil(static_cast<double>(m_row.tokens.size()) / tokensPerRow())), 1, 3);
    return {static_cast<int>(20 * cellWidth()), static_cast<int>(std::ceil(rows * cellHeight()))};
}

QRectF TextStrip::rectOf(int token) const {
    const int row = token / tokensPerRow();
    return {(token % tokensPerRow()) * cellWidth(), row * cellHeight(), cellWidth(), cellHeight()};
}

int TextStrip::tokenAt(const QPointF& place) const {
    for (int i = 0; i < m_row.tokens.size(); ++i) {
        if (rectOf(i).contains(place)) return i;
    }
    return -1;
}

void TextStrip::paintEvent(QPaintEvent*) {
    const ThemeManager& manager = ThemeManager::instance();
    const Theme& theme = manager.theme();
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setFont(manager.fontAt(10.5));
    double most = 0;
    for (const double weight : m_row.weights) most = std::max(most, weight);
    for (int i = 0; i < m_row.tokens.size(); ++i) {
        const QRectF cell = rectOf(i);
        QColor shade = theme.accent;
        const double weight = m_row.weights[static_cast<std::size_t>(i)];
        // The opacity is at most 45 %, so that the text stays readable.
        shade.setAlphaF(static_cast<float>(most > 0 ? 0.45 * std::sqrt(weight / most) : 0));
        painter.fillRect(cell, shade);
        painter.setPen(i <= m_row.query ? theme.text : theme.quietText);
        painter.drawText(cell, Qt::AlignCenter, m_row.tokens[i]);
        if (i == m_row.query) {
            painter.setPen(QPen(theme.accent, manager.px(hasFocus() ? 2 : 1.5)));
            painter.drawRect(cell.adjusted(1, 1, -1, -1));
        }
    }
}

void TextStrip::mouseMoveEvent(QMouseEvent* event) {
    const int token = tokenAt(event->position());
    if (token >= 0) emit hovered(token);
}

void TextStrip::mousePressEvent(QMouseEvent* event) {
    const int token = tokenAt(event->position());
    if (token >= 0) emit picked(token);
}

void TextStrip::leaveEvent(QEvent*) {
    emit left();
}

void TextStrip::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    const int last = static_cast<int>(m_row.tokens.size()) - 1;
    if (by == 0 || last < 0) return QWidget::keyPressEvent(event);
    emit picked(std::clamp(m_row.query + by, 0, last));
}

}  // namespace ropelab::ui
