#include "ui/window/scroll_page.h"

#include <QKeyEvent>
#include <QLayout>
#include <QScrollBar>
#include <QTimer>
#include <algorithm>

namespace ropelab::ui {

ScrollPage::ScrollPage(QWidget* content, QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
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
    fit();
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
    // Qt's own way, a resizable widget, gives every picture the height that it would like best.
    const QLayout* layout = widget()->layout();
    const auto heightAt = [layout](int width) {
        return layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                                           : layout->totalMinimumSize().height();
    };
    const QSize place = maximumViewportSize();
    const int narrowest = layout->totalMinimumSize().width();
    QSize size(std::max(place.width(), narrowest), place.height());
    if (heightAt(size.width()) > place.height()) {
        size.setWidth(std::max(place.width() - verticalScrollBar()->sizeHint().width(), narrowest));
        size.setHeight(std::max(place.height(), heightAt(size.width())));
    }
    widget()->resize(size);
}

}  // namespace ropelab::ui
