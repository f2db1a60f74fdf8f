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
#include <limits>

namespace ropelab::ui {

namespace {

long polished = 0;

QList<QPointer<QWidget>>& laterPopups() {
    static QList<QPointer<QWidget>> popups;
    return popups;
}

/// Styles a hidden widget and what is in it: when it is shown, or before that in parts.
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

    /// The style has changed again.
    void restart() { m_widgets.clear(); }
    /// Returns whether all is styled; this object is then deleted.
    bool work(qint64 mostMs);
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* m_hidden;
    QList<QPointer<QWidget>> m_widgets;  // empty until work() begins
    qsizetype m_done = 0;                // polished, and after all of them told so
};

/// Hidden, and with widgets in it: a single one costs little, and others are made as large as it would be.
bool canWait(const QWidget* widget) {
    return widget->isHidden() && !widget->isWindow() && !widget->sizePolicy().retainSizeWhenHidden() &&
           (widget->findChild<QWidget*>(QString(), Qt::FindDirectChildrenOnly) ||
            qobject_cast<QStackedWidget*>(widget->parentWidget()));
}

/// The widget, what is in it and its windows, parents first; without hidden parts, which follow when they are shown,
/// and without closed menus and lists, which follow in later turns of the event loop. `now`: although it is hidden.
void collect(QWidget* widget, QList<QPointer<QWidget>>& widgets, bool now = false) {
    LateStyle* waiting = LateStyle::waiting().value(widget);
    if (!now && canWait(widget)) {
        waiting ? waiting->restart() : void(new LateStyle(widget));
        return;
    }
    if (!now) delete waiting;
    if (widget->windowType() == Qt::Popup && widget->isHidden()) {
        laterPopups().append(widget);
        return;
    }
    if (widget->testAttribute(Qt::WA_WState_Polished)) widgets.append(widget);
    for (QObject* child : widget->children()) {
        if (child->isWidgetType()) collect(static_cast<QWidget*>(child), widgets);
    }
}

/// The `step`-th of two per widget: each is polished, and then each is told so, children first, because some containers
/// compute their layout in this event.
void polishStep(const QList<QPointer<QWidget>>& widgets, qsizetype step) {
    const bool tells = step >= widgets.size();
    QWidget* widget = widgets[tells ? 2 * widgets.size() - 1 - step : step];
    if (!widget) return;
    if (!tells) {
        ++polished;
        return widget->style()->polish(widget);
    }
    QEvent change(QEvent::StyleChange);
    QApplication::sendEvent(widget, &change);
}

void polish(const QList<QPointer<QWidget>>& widgets) {
    for (qsizetype step = 0; step < 2 * widgets.size(); ++step) polishStep(widgets, step);
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

bool LateStyle::work(qint64 mostMs) {
    QElapsedTimer timer;
    timer.start();
    if (m_widgets.isEmpty()) {
        m_done = 0;
        collect(m_hidden, m_widgets, true);
    }
    const QPointer<LateStyle> self(this);
    while (self && m_done < 2 * m_widgets.size()) {
        if (timer.elapsed() >= mostMs) return false;
        const QList<QPointer<QWidget>> widgets = m_widgets;  // a step may show the widget, which ends this object
        polishStep(widgets, m_done++);
    }
    delete self;
    if (!laterPopups().isEmpty()) QTimer::singleShot(0, qApp, polishPopups);
    return true;
}

bool LateStyle::eventFilter(QObject* /*watched*/, QEvent* event) {
    if (event->type() != QEvent::Show) return false;
    QWidget* shown = m_hidden;
    work(std::numeric_limits<qint64>::max());  // deletes this
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
    polish(widgets);
    if (!laterPopups().isEmpty()) QTimer::singleShot(0, qApp, polishPopups);
}

bool styleHidden(const QWidget& widget, int mostMs) {
    QElapsedTimer timer;
    timer.start();
    for (;;) {
        LateStyle* outermost = nullptr;
        for (const QWidget* each = &widget; each; each = each->parentWidget()) {
            if (LateStyle* waiting = LateStyle::waiting().value(each)) outermost = waiting;
        }
        if (!outermost) return true;
        if (!outermost->work(mostMs - timer.elapsed())) return false;
    }
}

long polishedWidgets() {
    return polished;
}

}  // namespace ropelab::ui
