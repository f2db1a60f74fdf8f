#include "ui/theme/page_styles.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QLayout>
#include <QPointer>
#include <QSet>
#include <QStackedWidget>
#include <QStyle>
#include <QTimer>
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

QList<QPointer<QWidget>>& laterPopups() {
    static QList<QPointer<QWidget>> popups;
    return popups;
}

/// Styles a page of a stack when it is shown.
class StackedPages : public QObject {
 public:
    bool eventFilter(QObject* watched, QEvent* event) override {
        if (event->type() != QEvent::Show) return false;
        auto* page = static_cast<QWidget*>(watched);
        showStyled(page);
        if (page->layout()) page->layout()->activate();
        return false;
    }
};

bool isPage(QWidget* widget) {
    if (pages().all.contains(widget)) return true;
    if (!qobject_cast<QStackedWidget*>(widget->parentWidget())) return false;
    static StackedPages stacked;
    addPage(widget);
    widget->installEventFilter(&stacked);
    return true;
}

/// The widget, what is in it and its windows, parents first; without hidden pages, which are unstyled from now on, and
/// without closed menus and lists, which follow in later turns of the event loop.
void collect(QWidget* widget, QList<QPointer<QWidget>>& widgets, bool isShown = false) {
    if (!isShown && isPage(widget) && widget->isHidden()) {
        pages().unstyled.insert(widget);
        return;
    }
    pages().unstyled.remove(widget);
    if (widget->windowType() == Qt::Popup && widget->isHidden()) {
        laterPopups().append(widget);
        return;
    }
    if (widget->testAttribute(Qt::WA_WState_Polished)) widgets.append(widget);
    for (QObject* child : widget->children()) {
        if (child->isWidgetType()) collect(static_cast<QWidget*>(child), widgets);
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

void polishPopups() {
    constexpr qint64 mostMs = 8;
    QElapsedTimer timer;
    timer.start();
    while (!laterPopups().isEmpty() && timer.elapsed() < mostMs) {
        const QPointer<QWidget> popup = laterPopups().takeFirst();
        if (!popup) continue;
        QList<QPointer<QWidget>> widgets = {popup};
        for (QWidget* inner : popup->findChildren<QWidget*>()) widgets.append(inner);
        widgets.removeIf([](const auto& each) { return !each->testAttribute(Qt::WA_WState_Polished); });
        polish(widgets);
    }
    if (!laterPopups().isEmpty()) QTimer::singleShot(0, qApp, polishPopups);
}

/// Polishes the widgets now and the popups that were collected with them later.
void polishAll(const QList<QPointer<QWidget>>& widgets) {
    polish(widgets);
    if (!laterPopups().isEmpty()) QTimer::singleShot(0, qApp, polishPopups);
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
    collect(page, widgets, true);
    polishAll(widgets);
}

void setStyleSheetOnce(const QString& sheet) {
    qApp->style()->unpolish(qApp);  // the style forgets the widgets, so that the next line polishes none
    qApp->setStyleSheet(sheet);
    QList<QPointer<QWidget>> widgets;
    laterPopups().clear();
    for (QWidget* window : QApplication::topLevelWidgets()) {
        if (!window->parentWidget()) collect(window, widgets);
    }
    polishAll(widgets);
}

long polishedWidgets() {
    return polished;
}

}  // namespace ropelab::ui
