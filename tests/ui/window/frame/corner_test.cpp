#include "ui/window/frame/corner.h"

#include <QApplication>
#include <QLabel>
#include <QMenu>
#include <QMenuBar>
#include <QPushButton>
#include <QToolButton>

#include "tests/ui/support/window_fixture.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {
namespace {

class CornerTest : public WindowFixture {
 protected:
    Corner& corner() { return window->corner(); }
    QPushButton* start() { return window->findChild<QPushButton*>("start"); }
};

TEST_F(CornerTest, ShowsLabNameAndButtons) {
    EXPECT_TRUE(corner().findChild<QLabel*>()->text().startsWith("lab: "));
    for (const QToolButton* button : {corner().themeButton(), corner().fullScreenButton()}) {
        EXPECT_TRUE(button->isVisible());
        EXPECT_FALSE(button->icon().isNull());
        EXPECT_FALSE(button->accessibleName().isEmpty());
        EXPECT_FALSE(button->toolTip().isEmpty()) << "a button without text needs a tooltip";
    }
    EXPECT_LE(corner().geometry().right(), window->menuBar()->width());
    EXPECT_LE(corner().height(), window->menuBar()->height());
    EXPECT_FALSE(corner().panelButton()->isVisible()) << "the panel is visible already";
}

TEST_F(CornerTest, ThemeMenuContainsTheThemeActions) {
    const QList<QAction*> actions = corner().themeButton()->menu()->actions();
    ASSERT_EQ(actions.size(), 3);
    for (const char* id : {"view.light", "view.dark", "view.system"}) {
        EXPECT_TRUE(actions.contains(window->actions().action(id))) << id;
    }
    actions.at(1)->trigger();
    EXPECT_EQ(ThemeManager::instance().choice(), ThemeManager::Choice::dark);
    EXPECT_TRUE(actions.at(1)->isChecked());
}

TEST_F(CornerTest, FullScreenButtonFollowsTheWindowState) {
    corner().fullScreenButton()->click();
    EXPECT_TRUE(window->isFullScreen());
    EXPECT_TRUE(corner().fullScreenButton()->isChecked());
    window->setWindowState(window->windowState() & ~Qt::WindowFullScreen);  // as if the desktop did it
    EXPECT_TRUE(waitUntil([&] { return !corner().fullScreenButton()->isChecked(); }));
    EXPECT_FALSE(window->actions().action("view.fullscreen")->isChecked());
}

TEST_F(CornerTest, PanelButtonShowsAHiddenPanel) {
    window->actions().action("view.panel")->trigger();
    EXPECT_FALSE(start()->isVisible());
    ASSERT_TRUE(corner().panelButton()->isVisible());
    corner().panelButton()->click();
    EXPECT_TRUE(start()->isVisible());
    EXPECT_FALSE(corner().panelButton()->isVisible());
}

TEST_F(CornerTest, NarrowWindowHidesThePanelUntilTheUserOpensIt) {
    window->setMinimumSize(1, 1);
    window->resize(700, 640);
    EXPECT_FALSE(window->isPanelShown());
    EXPECT_FALSE(start()->isVisible());
    corner().panelButton()->click();
    EXPECT_TRUE(start()->isVisible());
    EXPECT_FALSE(window->workspace().settings().value("window/panel_folded").toBool())
        << "the automatic change is not stored";
    window->resize(1280, 800);
    EXPECT_TRUE(window->isPanelShown());
    window->resize(700, 640);
    EXPECT_FALSE(window->isPanelShown());
    // The choice for wide windows is restored in a wide window.
    window->resize(1280, 800);
    window->actions().action("view.panel")->trigger();
    window->resize(700, 640);
    window->resize(1280, 800);
    EXPECT_FALSE(window->isPanelShown());
}

TEST_F(CornerTest, WindowFitsTheScreenAtEveryScale) {
    for (const int scale : {100, 150, 200, 250}) {
        ThemeManager::instance().setScale(scale);
        QApplication::processEvents();
        const QSize least = window->minimumSizeHint();
        EXPECT_LE(least.width(), 1280) << scale;
        EXPECT_LE(least.height(), 720) << scale;
        if (scale == 100) {
            EXPECT_LE(least.width(), 1024);
            EXPECT_LE(least.height(), 640);
        }
    }
}

TEST_F(CornerTest, StatusStripFitsAtALargeScale) {
    engine.step_microseconds = 300'000;  // the first step takes until its progress was shown
    window->setMinimumSize(1, 1);
    window->workspace().experiment().replace(smallSweep(100000));
    window->workspace().start();
    const auto& progress = window->workspace().session().progress();
    ASSERT_TRUE(waitUntil([&] { return progress && progress->phase.empty(); }));
    EXPECT_TRUE(progress->tokens_per_second > 0 || window->strip().summary().contains("starting"))
        << window->strip().summary().toStdString();
    engine.step_microseconds = 2000;
    const auto speed = [this] { return window->strip().summary().contains("tokens/s"); };
    ASSERT_TRUE(waitUntil(speed));
    window->workspace().pauseOrResume();  // so that the numbers do not change
    ASSERT_TRUE(waitUntil([this] { return window->strip().summary().contains("paused"); }));
    QTest::qWait(100);
    for (const int scale : {100, 200}) {
        ThemeManager::instance().setScale(scale);
        window->resize(1280, 720);
        QApplication::processEvents();
        EXPECT_TRUE(speed()) << "the summary contains the speed even if it is hidden";
        EXPECT_EQ(window->strip().accessibleDescription(), window->strip().summary());
        int shown = 0;
        for (const QLabel* label : window->strip().findChildren<QLabel*>()) {
            if (!label->isVisible() || label->text().isEmpty()) continue;
            // A text that changed just now has its place after the next layout.
            EXPECT_TRUE(waitUntil([&] { return label->width() >= label->sizeHint().width(); }))
                << label->text().toStdString();
            ++shown;
        }
        EXPECT_EQ(shown, scale == 100 ? 4 : 2);
    }
    window->workspace().session().stop();
    ASSERT_TRUE(waitForEnd(window->workspace()));
}

TEST_F(CornerTest, LargeScaleHidesThePanel) {
    window->setMinimumSize(1, 1);
    EXPECT_TRUE(window->isPanelShown());
    ThemeManager::instance().setScale(200);
    EXPECT_FALSE(window->isPanelShown());
    EXPECT_LE(corner().geometry().right(), window->menuBar()->width());
    ThemeManager::instance().setScale(100);
    EXPECT_TRUE(window->isPanelShown());
}

}  // namespace
}  // namespace ropelab::ui
