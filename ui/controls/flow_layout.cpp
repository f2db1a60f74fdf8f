#include "ui/controls/flow_layout.h"

#include <QWidget>
#include <algorithm>

namespace ropelab::ui {

FlowLayout::FlowLayout(QWidget* parent) : QLayout(parent) {}

FlowLayout::~FlowLayout() {
    qDeleteAll(m_items);
}

void FlowLayout::insertWidget(int index, QWidget* widget) {
    addChildWidget(widget);
    m_items.insert(index, new QWidgetItem(widget));
    invalidate();
}

QLayoutItem* FlowLayout::takeAt(int index) {
    return index >= 0 && index < m_items.size() ? m_items.takeAt(index) : nullptr;
}

QSize FlowLayout::sizeHint() const {
    // The preferred size has all items on one line.
    int width = 0;
    int height = 0;
    for (const QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        width += item->sizeHint().width() + spacing();
        height = std::max(height, item->sizeHint().height());
    }
    const QMargins margins = contentsMargins();
    return {width + margins.left() + margins.right(), height + margins.top() + margins.bottom()};
}

QSize FlowLayout::minimumSize() const {
    QSize size;
    for (const QLayoutItem* item : m_items) {
        if (!item->isEmpty()) size = size.expandedTo(item->minimumSize());
    }
    const QMargins margins = contentsMargins();
    return size + QSize(margins.left() + margins.right(), margins.top() + margins.bottom());
}

void FlowLayout::setGeometry(const QRect& rect) {
    QLayout::setGeometry(rect);
    place(rect, true);
}

int FlowLayout::place(const QRect& rect, bool move) const {
    const QRect inner = rect.marginsRemoved(contentsMargins());
    int x = inner.x();
    int y = inner.y();
    int line = 0;
    QList<QLayoutItem*> onLine;
    const auto centerLine = [&] {  // centres lower items vertically in their line
        for (QLayoutItem* item : onLine) {
            const QRect at = item->geometry();
            item->setGeometry(at.translated(0, (line - at.height()) / 2));
        }
        onLine.clear();
    };
    for (QLayoutItem* item : m_items) {
        if (item->isEmpty()) continue;
        const QSize size = item->sizeHint().boundedTo({std::max(inner.width(), 1), item->sizeHint().height()});
        if (x > inner.x() && x + size.width() > inner.x() + inner.width()) {
            centerLine();
            x = inner.x();
            y += line + spacing();
            line = 0;
        }
        if (move) {
            item->setGeometry(QRect(QPoint(x, y), size));
            onLine.append(item);
        }
        x += size.width() + spacing();
        line = std::max(line, size.height());
    }
    centerLine();
    return y + line - rect.y() + contentsMargins().bottom();
}

}  // namespace ropelab::ui

#include "moc_flow_layout.cpp"
