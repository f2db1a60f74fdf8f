// The window for everyone: by keyboard alone, and for screen readers.
#include <qcustomplot.h>

#include <QAccessible>
#include <QContextMenuEvent>
#include <QMenu>
#include <QSet>
#include <QSignalSpy>

#include "tests/ui/support/window_fixture.h"
#include "ui/figure/figure_summary.h"
#include "ui/plot/figure_view.h"
#include "ui/shell/figure_table.h"
#include "ui/shell/room.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

/// A room and a part of it; "" for the part that it shows first.
struct Place {
    const char* room;
    const char* part;
};
constexpr Place kPlaces[] = {{"train", ""},           {"rotation", "logit"}, {"rotation", "helix"},
                             {"rotation", "matrix"},  {"rotation", "aim"},   {"rotation", "tokens"},
                             {"rotation", "circuit"}, {"spectrum", ""},      {"table", ""},
                             {"context", "bound"},    {"context", "bases"},  {"context", "decay"},
                             {"memory", ""},          {"results", ""},       {"reproduce", ""},
                             {"inspect", ""},         {"anatomy", "stages"}, {"anatomy", "traditional-modern"}};

/// Places that differ in more than their figure.
constexpr Place kWalked[] = {{"train", ""},     {"rotation", "logit"}, {"rotation", "circuit"}, {"spectrum", ""},
                             {"table", ""},     {"context", "bound"},  {"memory", ""},          {"results", ""},
                             {"reproduce", ""}, {"inspect", ""},       {"anatomy", ""}};

class Everyone : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        engine.probes_spectra = true;
        engine.step_microseconds = 0;
        window->workspace().experiment().replace(smallSweep(60));
        window->workspace().start();
        ASSERT_TRUE(waitForEnd(window->workspace()));
    }
    void show(const Place& place) {
        window->showRoom(QLatin1String(place.room), QLatin1String(place.part));
        QApplication::processEvents();
        waitUntil([&] { return !window->room().isBusy(); }, 20000);
        window->room().refreshNow();
        QApplication::processEvents();
    }
    QList<PlotWidget*> figures() {
        QList<PlotWidget*> result;
        for (PlotWidget* plot : window->room().findChildren<PlotWidget*>()) {
            if (plot->isVisible()) result << plot;
        }
        return result;
    }
    static std::string nameOf(const Place& place, const QWidget* widget) {
        QString name = QLatin1String(place.room);
        name += QLatin1Char('/') + QString(QLatin1String(place.part)) + QStringLiteral(": ");
        name += QLatin1String(widget->metaObject()->className());
        if (!widget->objectName().isEmpty()) name += QLatin1Char(' ') + widget->objectName();
        if (!widget->accessibleName().isEmpty()) name += QStringLiteral(" “%1”").arg(widget->accessibleName());
        for (const char* property : {"text", "title"}) {
            const QString text = widget->property(property).toString();
            if (!text.isEmpty()) name += QStringLiteral(" “%1”").arg(text);
        }
        return name.toStdString();
    }
    static QList<FigureTableWindow*> tables() {
        QList<FigureTableWindow*> result;
        for (QWidget* each : QApplication::topLevelWidgets()) {
            auto* table = qobject_cast<FigureTableWindow*>(each);
            if (table && table->isVisible()) result << table;
        }
        return result;
    }
};

TEST_F(Everyone, EveryFigureHasANameAndASummaryForScreenReaders) {
    for (const Place& place : kPlaces) {
        show(place);
        for (PlotWidget* plot : figures()) {
            QAccessibleInterface* figure = QAccessible::queryAccessibleInterface(plot);
            ASSERT_NE(figure, nullptr);
            EXPECT_EQ(figure->role(), QAccessible::Chart) << nameOf(place, plot);
            EXPECT_FALSE(figure->text(QAccessible::Name).isEmpty()) << nameOf(place, plot);
            const QString summary = figure->text(QAccessible::Description);
            EXPECT_FALSE(summary.isEmpty()) << nameOf(place, plot);
            for (int i = 0; i < figure->childCount(); ++i) {
                QAccessibleInterface* child = figure->child(i);
                ASSERT_NE(child, nullptr);
                EXPECT_EQ(figure->indexOfChild(child), i);
                EXPECT_NE(child->object(), static_cast<QObject*>(plot->canvas())) << "the canvas has nothing to read";
            }
        }
    }
}

TEST_F(Everyone, SummaryFollowsTheFigure) {
    show({"spectrum", ""});
    auto* view = qobject_cast<FigureView*>(figures().value(0));
    ASSERT_NE(view, nullptr);
    const QString before = view->accessibleDescription();
    RotarySetup setup = window->workspace().rotary().setup();
    setup.theta = 321;
    window->workspace().rotary().change("change", setup);
    window->room().refreshNow();
    EXPECT_NE(view->accessibleDescription(), before);
    EXPECT_EQ(view->accessibleDescription(), figureSummary(view->figure()));
}

TEST_F(Everyone, ListeningToAFigureWithoutACurveSaysWhy) {
    show({"rotation", "logit"});
    QSignalSpy failed(&window->room(), &Room::soundFailed);
    PlotWidget* dials = nullptr;
    for (PlotWidget* plot : figures()) {
        if (plot->accessibleName() == QStringLiteral("Dials of the pairs")) dials = plot;
    }
    ASSERT_NE(dials, nullptr);
    dials->setFocus();
    window->room().listen();
    ASSERT_EQ(failed.count(), 1);
    EXPECT_TRUE(failed.first().first().toString().contains("no curve to listen to"));
}

TEST_F(Everyone, EveryFigureHasATableByKeyAndByMenu) {
    for (const Place& place : kPlaces) {
        show(place);
        if (!window->room().hasFigure()) continue;
        for (PlotWidget* plot : figures()) {
            const auto* view = qobject_cast<FigureView*>(plot);
            // A figure is chosen when it gets the focus, which it does in the active window alone.
            window->activateWindow();
            ASSERT_TRUE(QTest::qWaitForWindowActive(window.get()));
            plot->setFocus();
            const bool hasNumbers = !view || !ui::isEmpty(view->figure());
            if (hasNumbers) {
                QTest::keyClick(plot, Qt::Key_F2);
                ASSERT_EQ(tables().size(), 1) << nameOf(place, plot);
                if (view) {
                    EXPECT_TRUE(tables().first()->windowTitle().contains(view->figure().name)) << nameOf(place, plot);
                }
                tables().first()->close();
            }
            // The context menu opens by its key, too, whose event reaches the widget that has the focus.
            QContextMenuEvent key(QContextMenuEvent::Keyboard, plot->rect().center(),
                                  plot->mapToGlobal(plot->rect().center()));
            QApplication::sendEvent(plot, &key);
            auto* menu = qobject_cast<QMenu*>(QApplication::activePopupWidget());
            ASSERT_NE(menu, nullptr) << nameOf(place, plot);
            QAction* table = nullptr;
            for (QAction* action : menu->actions()) {
                if (action->text() == QStringLiteral("Show as table")) table = action;
            }
            ASSERT_NE(table, nullptr) << nameOf(place, plot);
            EXPECT_EQ(table->isEnabled(), hasNumbers) << nameOf(place, plot);
            table->trigger();
            menu->close();
            if (!hasNumbers) continue;
            ASSERT_EQ(tables().size(), 1) << nameOf(place, plot);
            if (view) {
                EXPECT_TRUE(tables().first()->windowTitle().contains(view->figure().name)) << nameOf(place, plot);
            }
            tables().first()->close();
            QApplication::processEvents();
        }
    }
}

TEST_F(Everyone, FocusIsVisibleWhereverTabLeads) {
    for (const Place& place : kWalked) {
        show(place);
        window->focusPicture(Qt::ShortcutFocusReason);
        QSet<QWidget*> seen;
        QImage before = window->grab().toImage();
        for (int i = 0; i < 300; ++i) {
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : window.get(), Qt::Key_Tab);
            QApplication::processEvents();
            QWidget* focused = QApplication::focusWidget();
            ASSERT_NE(focused, nullptr) << place.room;
            if (seen.contains(focused)) break;
            seen.insert(focused);
            ASSERT_TRUE(focused->isVisible()) << nameOf(place, focused);
            const QImage after = window->grab().toImage();
            const QRect around(focused->mapTo(window.get(), QPoint(0, 0)), focused->size());
            const QRect shown = around.adjusted(-4, -4, 4, 4) & after.rect();
            // A scrolling column may have moved the widget to its place; then the whole picture differs.
            EXPECT_NE(before.copy(shown), after.copy(shown)) << nameOf(place, focused);
            before = after;
        }
        EXPECT_GT(seen.size(), 5) << place.room;
    }
}

TEST_F(Everyone, EveryControlOnTheWayOfTabHasAName) {
    for (const Place& place : kWalked) {
        show(place);
        window->focusPicture(Qt::ShortcutFocusReason);
        QSet<QWidget*> seen;
        while (true) {
            QTest::keyClick(QApplication::focusWidget() ? QApplication::focusWidget() : window.get(), Qt::Key_Tab);
            QWidget* focused = QApplication::focusWidget();
            if (!focused || seen.contains(focused)) break;
            seen.insert(focused);
            QAccessibleInterface* control = QAccessible::queryAccessibleInterface(focused);
            ASSERT_NE(control, nullptr);
            EXPECT_FALSE(control->text(QAccessible::Name).isEmpty()) << nameOf(place, focused);
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
