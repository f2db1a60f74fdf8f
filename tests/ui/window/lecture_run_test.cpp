// A run through the lecture "Clocks" by keyboard, as lecture_run_test.sh starts it in a real window: every step is
// shown, in the light and in the dark theme. With ROPELAB_PICTURES, each step's picture is saved in that folder.
#include <gtest/gtest.h>

#include <QDir>
#include <QSet>
#include <cstdlib>
#include <iostream>
#include <memory>

#include "tests/ui/support/workbench.h"
#include "ui/common/room.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation.h"
#include "ui/window/main_window.h"
#include "ui/window/stall_meter.h"
#include "ui/window/window_stage.h"

namespace ropelab::ui {
namespace {

constexpr int kFewestColors = 12;  // of a picture that shows something

class LectureRun : public Workbench, public ::testing::WithParamInterface<ThemeManager::Choice> {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        window = std::make_unique<MainWindow>(options());
        window->show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(window.get()));
        QApplication::setActiveWindow(window.get());  // the X server has no window manager that would do this
    }
    void TearDown() override {
        window.reset();
        ThemeManager::instance().setChoice(ThemeManager::Choice::system);
        ThemeManager::instance().setScale(100);
    }
    void press(Qt::Key key) {
        QWidget* focused = QApplication::focusWidget();
        QTest::keyClick(focused ? focused : window.get(), key);
        QApplication::processEvents();
    }
    std::pair<int, int> place() const { return {window->player().scene(), window->player().step()}; }
    /// Returns the number of colours of every eighth pixel, and saves the picture if a folder is named.
    qsizetype colorsOfPicture(const QString& name) {
        const QImage picture = window->grab().toImage();
        if (const char* pictures = std::getenv("ROPELAB_PICTURES")) {
            EXPECT_TRUE(picture.save(QDir(QString::fromLocal8Bit(pictures)).filePath(name + QStringLiteral(".png"))));
        }
        QSet<QRgb> colors;
        for (int y = 0; y < picture.height(); y += 8) {
            for (int x = 0; x < picture.width(); x += 8) colors.insert(picture.pixel(x, y));
        }
        return colors.size();
    }

    std::unique_ptr<MainWindow> window;
};

TEST_P(LectureRun, EveryStepOfClocksIsShownByKeyboard) {
    ThemeManager::instance().setChoice(GetParam());
    window->windowStage().setUsesFullScreen(false);
    window->setMinimumSize(1, 1);
    window->resize(1280, 720);
    window->openLecture(QStringLiteral("clocks"));
    press(Qt::Key_F5);
    ASSERT_TRUE(window->presentation().isActive());
    press(Qt::Key_Home);

    const LecturePlayer& player = window->player();
    std::vector<std::pair<int, int>> expected = {{-1, -1}};
    for (int scene = 0; scene < static_cast<int>(player.lecture().scenes.size()); ++scene) {
        const auto steps = static_cast<int>(player.lecture().scenes[static_cast<std::size_t>(scene)].steps.size());
        for (int step = -1; step < steps; ++step) expected.emplace_back(scene, step);
    }
    const QString theme = GetParam() == ThemeManager::Choice::dark ? QStringLiteral("dark") : QStringLiteral("light");
    StallMeter meter;
    double longest = 0;
    std::pair<int, int> slowest;
    for (std::size_t i = 0; i < expected.size(); ++i) {
        ASSERT_EQ(place(), expected[i]);
        window->player().finishGlides();
        window->room().refreshNow();
        QTest::qWait(20);
        const QString name = QStringLiteral("%1-%2").arg(theme).arg(static_cast<int>(i), 3, 10, QLatin1Char('0'));
        EXPECT_GE(colorsOfPicture(name), kFewestColors) << name.toStdString();
        meter.restart();
        press(Qt::Key_PageDown);
        // The first key at a question reveals the answer, once the figure that shows it is computed.
        const int most = i + 1 < expected.size() ? 100 : 3;
        for (int more = 0; more < most && place() == expected[i]; ++more) {
            QTest::qWait(more == 0 ? 0 : 50);
            press(Qt::Key_PageDown);
        }
        QTest::qWait(20);
        meter.stop();
        if (meter.longestWork() > longest) {
            longest = meter.longestWork();
            slowest = place();
        }
    }
    EXPECT_EQ(place(), expected.back()) << "the lecture ends at its last step";
    std::cout << expected.size() << " places, " << theme.toStdString()
              << "; longest work of the window's thread: " << longest << " ms, on the way to scene "
              << slowest.first + 1 << ", step " << slowest.second + 1 << '\n';
    press(Qt::Key_Escape);
    EXPECT_FALSE(window->presentation().isActive());
}

INSTANTIATE_TEST_SUITE_P(Themes, LectureRun,
                         ::testing::Values(ThemeManager::Choice::light, ThemeManager::Choice::dark));

}  // namespace
}  // namespace ropelab::ui
