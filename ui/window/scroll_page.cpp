#include "ui/window/scroll_page.h"

#include <QEvent>
#include <QScrollBar>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

namespace ropelab::ui {

ScrollPage::ScrollPage(QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    auto* content = new QWidget(this);
    m_column = new QVBoxLayout(content);
    // The page decides how large the content is: Qt's own way gives every picture the height it would like best.
    m_column->setSizeConstraint(QLayout::SetNoConstraint);
    setWidget(content);
    content->installEventFilter(this);
}

void ScrollPage::reveal(QWidget* widget) {
    QTimer::singleShot(0, widget, [this, widget] { ensureWidgetVisible(widget, 0, 0); });
}

void ScrollPage::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    fit();
}

bool ScrollPage::eventFilter(QObject* watched, QEvent* event) {
    if (watched == widget() && event->type() == QEvent::LayoutRequest) fit();
    return QScrollArea::eventFilter(watched, event);
}

void ScrollPage::fit() {
    const auto heightAt = [this](int width) {
        return m_column->hasHeightForWidth() ? m_column->minimumHeightForWidth(width)
                                             : m_column->minimumSize().height();
    };
    const QSize place = maximumViewportSize();
    const int narrowest = m_column->minimumSize().width();
    QSize size(std::max(place.width(), narrowest), place.height());
    if (heightAt(size.width()) > place.height()) {
        size.setWidth(std::max(place.width() - verticalScrollBar()->sizeHint().width(), narrowest));
        size.setHeight(std::max(place.height(), heightAt(size.width())));
    }
    widget()->resize(size);
}

}  // namespace ropelab::ui
