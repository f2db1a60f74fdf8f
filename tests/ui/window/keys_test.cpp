// Space, digits and Escape in the main window, with real key events.
#include <QCheckBox>
#include <QComboBox>
#include <QLineEdit>
#include <QPointer>
#include <QSpinBox>
#include <QToolButton>

#include "tests/ui/support/window_fixture.h"
#include "ui/controls/number_slider.h"
#include "ui/rooms/rotation/position_bar.h"
#include "ui/rooms/rotation/rotation_room.h"
#include "ui/rooms/train/chip_list_edit.h"
#include "ui/rotary/setup_panel.h"
#include "ui/shell/room.h"
#include "ui/window/frame/corner.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

class KeysTest : public WindowFixture {
 protected:
    /// Presses a key in the widget that has the keyboard focus.
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QWidget* focused = QApplication::focusWidget();
        QTest::keyClick(focused ? focused : window.get(), key, modifiers);
    }
    void type(const QString& text) { QTest::keyClicks(QApplication::focusWidget(), text); }
    template <typename W>
    W* firstVisible() {
        for (W* each : window->findChildren<W*>()) {
            if (each->isVisible() && each->isEnabled()) return each;
        }
        return nullptr;
    }
    void clickRail(int room) {
        for (QToolButton* button : window->findChildren<QToolButton*>()) {
            if (!button->property("rail").toBool() ||
                button->text() != rooms()[static_cast<std::size_t>(room)].barTitle()) {
                continue;
            }
            return QTest::mouseClick(button, Qt::LeftButton);
        }
        FAIL() << "no button of room " << room;
    }
    static bool isTextField(const QWidget* widget) {
        return qobject_cast<const QLineEdit*>(widget) || qobject_cast<const QAbstractSpinBox*>(widget);
    }
    bool pictureHasFocus() { return window->room().picture()->hasFocus(); }
    RotaryModel& rotary() { return window->workspace().rotary(); }
};

TEST_F(KeysTest, SpaceTrainsInNoRoom) {
    for (const RoomEntry& room : rooms()) {
        window->showRoom(room.id);
        window->focusPicture(Qt::ShortcutFocusReason);
        press(Qt::Key_Space);
        EXPECT_FALSE(window->workspace().session().isActive()) << room.id;
    }
}

TEST_F(KeysTest, SpacePlaysWhereThereIsAPlayButton) {
    window->showRoom("rotation");
    auto& room = static_cast<RotationRoom&>(window->room());
    window->focusPicture(Qt::ShortcutFocusReason);
    press(Qt::Key_Space);
    EXPECT_TRUE(room.editor().isPlaying());
    press(Qt::Key_Space);
    EXPECT_FALSE(room.editor().isPlaying());
    room.positionBar()->lockBox()->setFocus();
    press(Qt::Key_Space);
    EXPECT_FALSE(room.editor().isPlaying());
    EXPECT_TRUE(room.positionBar()->lockBox()->isChecked()) << "the key belongs to the button that has the focus";
}

TEST_F(KeysTest, SpaceOnTheRailKeepsTheFocusThereAndAClickMovesItToThePicture) {
    QToolButton* memory = nullptr;
    for (QToolButton* button : window->findChildren<QToolButton*>()) {
        if (button->property("rail").toBool() && button->text() == "Memory") memory = button;
    }
    ASSERT_NE(memory, nullptr);
    memory->setFocus(Qt::TabFocusReason);
    press(Qt::Key_Space);
    EXPECT_EQ(window->room().objectName(), "memory");
    EXPECT_TRUE(memory->hasFocus()) << "the next room is one key away";
    window->showRoom("train");
    window->corner().themeButton()->setFocus();
    QTest::mouseClick(memory, Qt::LeftButton);
    EXPECT_TRUE(pictureHasFocus());
}

TEST_F(KeysTest, SpaceInAFieldIsText) {
    window->showRoom("rotation");
    auto* field = firstVisible<QLineEdit>();
    ASSERT_NE(field, nullptr);
    field->setFocus();
    field->clear();
    type("1 2");
    EXPECT_EQ(field->text(), "1 2");
    EXPECT_FALSE(static_cast<RotationRoom&>(window->room()).editor().isPlaying());
}

TEST_F(KeysTest, CtrlReturnStartsASweepAndAKeyOfItsOwnPausesIt) {
    engine.step_microseconds = 2000;
    Workspace& workspace = window->workspace();
    workspace.experiment().replace(smallSweep(5000));
    window->showRoom("spectrum");
    press(Qt::Key_Return, Qt::ControlModifier);
    ASSERT_TRUE(workspace.session().isActive());
    press(Qt::Key_Space);
    EXPECT_EQ(workspace.session().state(), SweepSession::State::running) << "Space does not pause";
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(workspace.session().state(), SweepSession::State::paused);
    press(Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(workspace.session().state(), SweepSession::State::running);
    workspace.session().stop();
    ASSERT_TRUE(waitForEnd(workspace));
}

// The digit that shows a room; 0 is that of the tenth.
Qt::Key digitOf(int room) {
    return static_cast<Qt::Key>(Qt::Key_0 + (room + 1) % 10);
}

TEST_F(KeysTest, DigitsNeverReachAFieldOfTheRoom) {
    const auto count = static_cast<int>(rooms().size());
    for (int i = 0; i < count; ++i) {
        const int other = (i + 1) % count;
        const QString id = QString::fromLatin1(rooms()[static_cast<std::size_t>(i)].id);
        window->showRoom(id);
        const Room* shown = &window->room();
        auto* field = firstVisible<QLineEdit>();
        if (!field) continue;  // a room without runs has no field
        field->setFocus();
        const QString before = field->text();
        clickRail(other);
        EXPECT_FALSE(isTextField(QApplication::focusWidget())) << qPrintable(id);
        press(digitOf(i));
        EXPECT_EQ(&window->room(), shown) << "the digit shows " << qPrintable(id);
        EXPECT_FALSE(isTextField(QApplication::focusWidget())) << qPrintable(id);
        EXPECT_TRUE(pictureHasFocus()) << qPrintable(id);
        press(digitOf(other));
        EXPECT_EQ(field->text(), before) << qPrintable(id);
        EXPECT_NE(&window->room(), shown);
    }
}

TEST_F(KeysTest, EscapeRestoresANumberField) {
    window->showRoom("spectrum");
    auto* panel = firstVisible<SetupPanel>();
    ASSERT_NE(panel, nullptr);
    auto* field = panel->slider("theta")->findChild<QLineEdit*>();
    field->setFocus();
    field->selectAll();
    type("500k");
    press(Qt::Key_Escape);
    EXPECT_EQ(field->text(), "10k");
    EXPECT_EQ(rotary().setup().theta, 10000);
    EXPECT_TRUE(pictureHasFocus());

    field->setFocus();
    field->selectAll();
    type("500k");
    press(Qt::Key_Return);
    EXPECT_EQ(rotary().setup().theta, 500000);
    press(Qt::Key_Escape);
    EXPECT_EQ(field->text(), "500k") << "the value was entered";
    EXPECT_EQ(rotary().setup().theta, 500000);

    field->setFocus();
    field->selectAll();
    type("20k");
    press(Qt::Key_Return);
    type("7");
    press(Qt::Key_Escape);
    EXPECT_EQ(field->text(), "20k") << "only what was typed after Return";

    field->setFocus();
    field->selectAll();
    type("nonsense");
    press(Qt::Key_Return);
    EXPECT_FALSE(panel->slider("theta")->error().isEmpty());
    press(Qt::Key_Escape);
    EXPECT_EQ(field->text(), "20k");
    EXPECT_TRUE(panel->slider("theta")->error().isEmpty());
}

TEST_F(KeysTest, EscapeTakesBackNoEnteredNumberInAnyRoom) {
    int fields = 0;
    for (const RoomEntry& entry : rooms()) {
        window->showRoom(QString::fromLatin1(entry.id));
        QTest::qWait(20);
        QList<QPointer<QLineEdit>> found;
        for (QLineEdit* each : window->findChildren<QLineEdit*>()) found << each;
        for (const QPointer<QLineEdit>& field : found) {
            const bool isNumber = field && field->isVisible() && field->isEnabled() && !field->isReadOnly() &&
                                  !QString(field->text()).remove(u',').isEmpty() && field->text()[0].isDigit();
            if (!isNumber) continue;
            QWidget* owner = field->parentWidget();
            auto* box = qobject_cast<QAbstractSpinBox*>(owner);
            QWidget* focus = box ? static_cast<QWidget*>(box) : field.data();
            focus->setFocus();
            if (!focus->hasFocus()) continue;
            const QString before = field->text();
            field->selectAll();
            type("2");
            press(Qt::Key_Return);
            QCoreApplication::processEvents();
            if (!field || field->text() == before || field->property("wrong").toBool()) continue;
            const QString entered = field->text();
            press(Qt::Key_Escape);
            EXPECT_EQ(field->text(), entered) << entry.id << ": " << focus->accessibleName().toStdString();
            ++fields;
        }
    }
    EXPECT_GE(fields, 12);
}

TEST_F(KeysTest, EscapeRestoresASpinBoxAndAList) {
    window->showRoom("memory");
    auto* box = firstVisible<QSpinBox>();
    ASSERT_NE(box, nullptr);
    const int before = box->value();
    box->setFocus();
    box->selectAll();
    type("77");
    press(Qt::Key_Escape);
    EXPECT_EQ(box->value(), before);
    EXPECT_EQ(box->cleanText().remove(','), QString::number(before));
    EXPECT_TRUE(pictureHasFocus());

    QComboBox* scaling = firstVisible<SetupPanel>()->choice("scaling");
    scaling->setFocus();
    press(Qt::Key_Down);
    EXPECT_NE(rotary().setup().scaling.method, ScalingMethod::none);
    press(Qt::Key_Escape);
    EXPECT_EQ(rotary().setup().scaling.method, ScalingMethod::none);
    EXPECT_TRUE(pictureHasFocus());
}

TEST_F(KeysTest, EscapeDiscardsTheTextOfAChip) {
    window->workspace().experiment().replace(smallSweep());
    ChipListEdit* chips = nullptr;
    for (ChipListEdit* each : window->findChildren<ChipListEdit*>()) {
        if (each->accessibleName() == QStringLiteral("θ")) chips = each;
    }
    ASSERT_NE(chips, nullptr);
    const QStringList before = chips->values();
    chips->beginEdit(0);
    ASSERT_TRUE(isTextField(QApplication::focusWidget()));
    type("777");
    press(Qt::Key_Escape);
    EXPECT_EQ(chips->values(), before);
    EXPECT_TRUE(pictureHasFocus());

    chips->beginEdit(0);
    QApplication::focusWidget()->setProperty("text", "300");
    press(Qt::Key_Return);
    EXPECT_NE(chips->values(), before);
    EXPECT_FALSE(isTextField(QApplication::focusWidget())) << "the chip has the focus, not another field";
}

}  // namespace
}  // namespace ropelab::ui
