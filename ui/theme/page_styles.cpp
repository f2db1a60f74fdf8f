#include "ui/theme/page_styles.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QSet>
#include <QStyle>
#include <QWidget>
#include <utility>

namespace ropelab::ui {

namespace {

struct Pages {
    QSet<const QObject*> all;
    QSet<const QObject*> unstyled;  // hidden pages that have an earlier style
};

Pages& pages() {
    static Pages known;
    return known;
}

long polished = 0;

/// The widget and what is in it, parents first; without hidden pages, which are unstyled from now on.
void collect(QWidget* widget, QList<QPointer<QWidget>>& widgets) {
    if (pages().all.contains(widget) && widget->isHidden()) {
        pages().unstyled.insert(widget);
        return;
    }
    if (widget->testAttribute(Qt::WA_WState_Polished)) widgets.append(widget);
    for (QObject* child : widget->children()) {
        auto* inner = child->isWidgetType() ? static_cast<QWidget*>(child) : nullptr;
        if (inner && !inner->isWindow()) collect(inner, widgets);
    }
}

void polish(const QList<QPointer<QWidget>>& widgets) {
    for (const auto& each : widgets) {
        if (each) each->style()->polish(each);
    }
    // Children first: some containers compute their layout in this event.
    for (auto each = widgets.crbegin(); each != widgets.crend(); ++each) {
        QEvent change(QEvent::StyleChange);
        if (*each) QApplication::sendEvent(*each, &change);
    }
    polished += widgets.size();
}

}  // namespace

void addPage(QWidget* page) {
    pages().all.insert(page);
    QObject::connect(page, &QObject::destroyed, [](const QObject* gone) {
        pages().all.remove(gone);
        pages().unstyled.remove(gone);
    });
}

void showStyled(QWidget* page) {
    if (!pages().unstyled.remove(page)) return;
    QList<QPointer<QWidget>> widgets;
    pages().all.remove(page);  // it is still hidden
    collect(page, widgets);
    pages().all.insert(page);
    polish(widgets);
}

void setStyleSheetOnce(const QString& sheet) {
    qApp->style()->unpolish(qApp);  // the style forgets the widgets, so that the next line polishes none
    qApp->setStyleSheet(sheet);
    QList<QPointer<QWidget>> widgets;
    for (QWidget* window : QApplication::topLevelWidgets()) collect(window, widgets);
    polish(widgets);
}

long polishedWidgets() {
    return polished;
}

}  // namespace ropelab::ui
