#include "ui/shell/scroll_page.h"

#include <QKeyEvent>
#include <QScrollBar>
#include <QStackedWidget>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/shell/room.h"

namespace ropelab::ui {
namespace {

// For a stack of pages only the minimum height of the current page counts, whereas Qt uses the preferred height of the
// highest page.
int lowestHeight(QLayout* layout, int width);

int lowestHeight(QLayoutItem* item, int width) {
    if (QLayout* inner = item->layout()) return lowestHeight(inner, width);
    if (const auto* stack = qobject_cast<QStackedWidget*>(item->widget())) {
        const QWidget* page = stack->currentWidget();
        if (!page) return 0;
        return page->layout() ? lowestHeight(page->layout(), width) : page->minimumSizeHint().height();
    }
    return item->hasHeightForWidth() ? item->minimumHeightForWidth(width) : item->minimumSize().height();
}

int lowestHeight(QLayout* layout, int width) {
    const auto* column = qobject_cast<QVBoxLayout*>(layout);
    if (!column) {
        return layout->hasHeightForWidth() ? layout->minimumHeightForWidth(width) : layout->minimumSize().height();
    }
    const QMargins margins = column->contentsMargins();
    int height = margins.top() + margins.bottom();
    int shown = 0;
    for (int i = 0; i < column->count(); ++i) {
        QLayoutItem* item = column->itemAt(i);
        if (item->isEmpty()) continue;
        height += lowestHeight(item, width - margins.left() - margins.right());
        ++shown;
    }
    return height + std::max(0, shown - 1) * column->spacing();
}

}  // namespace

ScrollPage::ScrollPage(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
}

void ScrollPage::setContent(QWidget* content) {
    setWidget(content);
    content->installEventFilter(this);
}

void ScrollPage::reveal(QWidget* widget) {
    QTimer::singleShot(0, widget, [widget] {
        for (QWidget* each = widget->parentWidget(); each; each = each->parentWidget()) {
            if (auto* page = qobject_cast<ScrollPage*>(each)) return page->ensureWidgetVisible(widget, 0, 0);
        }
    });
}

void ScrollPage::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    if (widget()) fit();
}

void ScrollPage::keyPressEvent(QKeyEvent* event) {
    if (event->key() == Qt::Key_PageUp || event->key() == Qt::Key_PageDown) {
        QScrollArea::keyPressEvent(event);
    } else {
        event->ignore();
    }
}

bool ScrollPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) fit();
    return QScrollArea::eventFilter(watched, event);
}

void ScrollPage::fit() {
    // QScrollArea::setWidgetResizable() would give each figure its preferred height instead of the available one.
    QLayout* layout = widget()->layout();
    const auto heightAt = [layout](int width) { return lowestHeight(layout, width); };
    const QSize place = maximumViewportSize();
    if (auto* room = qobject_cast<Room*>(widget())) room->fitPage(place);
    const int narrowest = layout->totalMinimumSize().width();
    QSize size(std::max(place.width(), narrowest), place.height());
    if (heightAt(size.width()) > place.height()) {
        size.setWidth(std::max(place.width() - verticalScrollBar()->sizeHint().width(), narrowest));
        size.setHeight(std::max(place.height(), heightAt(size.width())));
    }
    widget()->resize(size);
}

}  // namespace ropelab::ui

#include "moc_scroll_page.cpp"
