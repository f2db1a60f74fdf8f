#pragma once

#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QLabel>
#include <QLineEdit>
#include <QMenuBar>
#include <QScrollArea>
#include <QSignalSpy>
#include <QStackedWidget>
#include <QToolButton>
#include <QUndoStack>

#include "core/lecture/lecture_rooms.h"
#include "core/rope/rotary_setup.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/common/paths.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation/ink.h"
#include "ui/lecture/presentation/notes_view.h"
#include "ui/lecture/presentation/presentation.h"
#include "ui/lecture/presentation/presentation_bands.h"
#include "ui/lecture/questions/question_panel.h"
#include "ui/plot/figure_view.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rotary/setup_panel.h"
#include "ui/shell/findables.h"
#include "ui/shell/room.h"
#include "ui/theme/motion.h"
#include "ui/window/controllers/lecture_controller.h"
#include "ui/window/controllers/window_stage.h"
#include "ui/window/frame/rail.h"
#include "ui/window/frame/rooms.h"
#include "ui/window/frame/status_strip.h"

namespace ropelab::ui {

/// Lecture of three scenes, the second of which is a page of text.
inline constexpr const char* kLecture = R"(---
title: Hands
minutes: 10
---
Words of the title page.

## One hand
```yaml
show: rotation/logit
setup: theta=500 head_dim=8 fraction=100% context=256
controls: [theta, m]
question: How far does the hand move?
find: wavelength(0)
notes: Wait for the answer.
steps:
  - say: The query stands at 10.
    set: {m: 10, n: 3}
  - say: It moves.
    set: {m: 64 over 0.2 s}
    point: pair 3
  - ask: {text: "Which is slowest?", choices: [the first, the last], right: 2, answer: The last pair.}
```
The logit is $q \cdot k$.

## A page
Only words.

## The bound
```yaml
id: bound
show: context/bound
setup: theta=10k head_dim=64 fraction=100% context=1024
controls: [theta]
steps:
  - say: Larger.
    set: {theta: 500k}
```
)";

/// A window with the lecture kLecture, presented with real key events.
class PresentationTest : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        setMotionReduced(true);
        stage().setUsesFullScreen(false);
        write(kLecture);
        pictures = file("pictures");
        window->lectures().presentation().snapshotFolder = [this] { return pictures; };
    }
    void TearDown() override {
        WindowFixture::TearDown();
        setMotionReduced(false);
    }
    QString lecturePath() const { return file("hands.md"); }
    void write(const QByteArray& content) {
        QFile target(lecturePath());
        ASSERT_TRUE(target.open(QIODevice::WriteOnly));
        target.write(content);
    }
    void present() {
        window->lectures().open(lecturePath());
        press(Qt::Key_F5);
        ASSERT_TRUE(show().isActive());
    }
    /// With all that follows in later turns of the event loop.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        pressOnly(key, modifiers);
        stage().finishTurns();
    }
    void pressOnly(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWidget* focused = QApplication::focusWidget();
        QTest::keyClick(focused ? focused : window.get(), key, modifiers);
    }
    /// With all that follows in later turns of the event loop.
    void endLecture() {
        window->lectures().end();
        stage().finishTurns();
    }
    void type(const QString& text) {
        for (const QChar each : text) {
            QWidget* focused = QApplication::focusWidget();
            QTest::keyClick(focused ? focused : window.get(), each.toLatin1());
        }
    }
    Presentation& show() { return window->lectures().presentation(); }
    LecturePlayer& player() { return window->lectures().player(); }
    WindowStage& stage() { return window->windowStage(); }
    Workspace& workspace() { return window->workspace(); }
    RotaryModel& rotary() { return workspace().rotary(); }
    RotationRoom& rotation() { return static_cast<RotationRoom&>(window->room()); }
    /// Trains a small lab and saves it under a name; the window has an empty lab afterwards.
    QString recordedLab() {
        workspace().experiment().replace(smallSweep(40));
        workspace().start();
        EXPECT_TRUE(waitForEnd(workspace()));
        const QString path = file("recorded.ropelab");
        QSignalSpy saved(&workspace(), &Workspace::labSaved);
        workspace().saveLabAs(path);
        EXPECT_TRUE(saved.count() > 0 || saved.wait());
        workspace().newLab();
        return path;
    }

    QString pictures;
};

}  // namespace ropelab::ui
