#include "ui/inspect/text_strip.h"

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
    setAccessibleName(tr("The text that is read"));
    setToolTip(tr("Point at a symbol to see whom it reads; a click keeps it."));
}

void TextStrip::setReading(Reading reading) {
    const bool another = reading.symbols.size() != m_reading.symbols.size();
    m_reading = std::move(reading);
    if (m_reading.query >= 0) {
        setAccessibleDescription(tr("Symbol %1 of %2 is picked.").arg(m_reading.query).arg(m_reading.symbols.size()));
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

int TextStrip::perRow() const {
    return std::max(1, static_cast<int>(width() / cellWidth()));
}

QSize TextStrip::sizeHint() const {
    // Two rows fit the snapshots' texts; a longer one is cut at the widget's end.
    const int rows =
        std::clamp(static_cast<int>(std::ceil(static_cast<double>(m_reading.symbols.size()) / perRow())), 1, 3);
    return {static_cast<int>(20 * cellWidth()), static_cast<int>(std::ceil(rows * cellHeight()))};
}

QRectF TextStrip::rectOf(int symbol) const {
    const int row = symbol / perRow();
    return {(symbol % perRow()) * cellWidth(), row * cellHeight(), cellWidth(), cellHeight()};
}

int TextStrip::symbolAt(const QPointF& place) const {
    for (int i = 0; i < m_reading.symbols.size(); ++i) {
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
    for (const double share : m_reading.shares) most = std::max(most, share);
    for (int i = 0; i < m_reading.symbols.size(); ++i) {
        const QRectF cell = rectOf(i);
        QColor shade = theme.accent;
        const double share = m_reading.shares[static_cast<std::size_t>(i)];
        // At most half covered, so that the letters keep their contrast.
        shade.setAlphaF(static_cast<float>(most > 0 ? 0.45 * std::sqrt(share / most) : 0));
        painter.fillRect(cell, shade);
        painter.setPen(i <= m_reading.query ? theme.text : theme.quietText);
        painter.drawText(cell, Qt::AlignCenter, m_reading.symbols[i]);
        if (i == m_reading.query) {
            painter.setPen(QPen(theme.accent, manager.px(hasFocus() ? 2 : 1.5)));
            painter.drawRect(cell.adjusted(1, 1, -1, -1));
        }
    }
}

void TextStrip::mouseMoveEvent(QMouseEvent* event) {
    const int symbol = symbolAt(event->position());
    if (symbol >= 0) emit hovered(symbol);
}

void TextStrip::mousePressEvent(QMouseEvent* event) {
    const int symbol = symbolAt(event->position());
    if (symbol >= 0) emit picked(symbol);
}

void TextStrip::leaveEvent(QEvent*) {
    emit left();
}

void TextStrip::keyPressEvent(QKeyEvent* event) {
    const int by = event->key() == Qt::Key_Left ? -1 : event->key() == Qt::Key_Right ? 1 : 0;
    const int last = static_cast<int>(m_reading.symbols.size()) - 1;
    if (by == 0 || last < 0) return QWidget::keyPressEvent(event);
    emit picked(std::clamp(m_reading.query + by, 0, last));
}

}  // namespace ropelab::ui
