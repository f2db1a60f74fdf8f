#include "ui/theme/page_styles.h"

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QHash>
#include <QLayout>
#include <QPointer>
#include <QStackedWidget>
#include <QStyle>
#include <QTimer>
#include <QWidget>

namespace ropelab::ui {

namespace {

long polished = 0;

QList<QPointer<QWidget>>& laterPopups() {
    static QList<QPointer<QWidget>> popups;
    return popups;
}

/// Styles a hidden widget and what is in it when it is shown.
class LateStyle : public QObject {
 public:
    explicit LateStyle(QWidget* hidden) : QObject(hidden), m_hidden(hidden) {
        waiting().insert(hidden, this);
        hidden->installEventFilter(this);
    }
    ~LateStyle() override { waiting().remove(m_hidden); }

    static QHash<const QWidget*, LateStyle*>& waiting() {
        static QHash<const QWidget*, LateStyle*> all;
        return all;
    }

    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* m_hidden;
};

/// Hidden, and with widgets in it: a single one costs little, and others are made as large as it would be.
bool canWait(const QWidget* widget) {
    return widget->isHidden() && !widget->isWindow() && !widget->sizePolicy().retainSizeWhenHidden() &&
           (widget->findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly) ||
            qobject_cast<QStackedWidget*>(widget->parentWidget()));
}

/// The widget, what is in it and its windows, parents first; without hidden parts, which follow when they are shown,
/// and without closed menus and lists, which follow in later turns of the event loop.
void collect(QWidget* widget, QList<QPointer<QWidget>>& widgets) {
    LateStyle* waiting = LateStyle::waiting().value(widget);
    if (canWait(widget)) {
        if (!waiting) new LateStyle(widget);
        return;
    }
    delete waiting;
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

bool LateStyle::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() != QEvent::Show) return false;
    QWidget* shown = m_hidden;
    QList<QPointer<QWidget>> widgets;
    collect(shown, widgets);  // deletes this
    polishAll(widgets);
    if (shown->layout()) shown->layout()->activate();
    return false;
}

}  // namespace

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
