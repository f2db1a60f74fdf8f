#include "ui/shell/actions.h"

#include <QAbstractSpinBox>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QScrollBar>

#include "tests/ui/support/window_fixture.h"
#include "ui/help/command_palette.h"
#include "ui/help/keyboard_sheet.h"
#include "ui/window/frame/rooms.h"

namespace ropelab::ui {
namespace {

using Actions = WindowFixture;

TEST_F(Actions, ShortcutsAreUniqueAndActionsHaveTexts) {
    QMap<QString, QString> owners;
    for (const QString& id : window->actions().ids()) {
        const QAction* action = window->actions().action(id);
        EXPECT_FALSE(action->text().isEmpty()) << qPrintable(id);
        for (const QKeySequence& keys : action->shortcuts()) {
            const QString name = keys.toString();
            if (name.isEmpty()) continue;
            EXPECT_FALSE(owners.contains(name) && owners[name] != id)
                << qPrintable(name + " is the shortcut of " + owners[name] + " and of " + id);
            owners[name] = id;
        }
    }
    EXPECT_GT(owners.size(), 15);
}

TEST_F(Actions, PaletteFindsByWordsAndByLetters) {
    const CommandPalette& palette = window->commandPalette();
    EXPECT_EQ(palette.matches("larger").value(0), "view.larger");
    EXPECT_EQ(palette.matches("save").value(0), "lab.save");
    EXPECT_TRUE(palette.matches("fscr").contains("view.fullscreen"));
    EXPECT_TRUE(palette.matches("xyzzy").isEmpty());
    EXPECT_FALSE(palette.matches("").contains("run.stop")) << "no sweep is active, so it cannot be stopped";
}

TEST_F(Actions, PaletteTriggersTheMatchingAction) {
    QTest::keyClick(window.get(), Qt::Key_K, Qt::ControlModifier);
    ASSERT_TRUE(window->commandPalette().isVisible());
    auto* search = window->commandPalette().findChild<QLineEdit*>();
    ASSERT_TRUE(waitUntil([search] { return search->hasFocus(); }));
    QTest::keyClicks(search, "settings panel");
    QWidget* start = window->findChild<QPushButton*>("start");
    ASSERT_TRUE(start->isVisible());
    QTest::keyClick(search, Qt::Key_Return);
    EXPECT_FALSE(window->commandPalette().isVisible());
    EXPECT_FALSE(start->isVisible()) << "the panel is folded";
    EXPECT_TRUE(window->workspace().settings().value("window/panel_folded").toBool());
}

TEST_F(Actions, EscapeClosesThePalette) {
    window->commandPalette().open();
    QTest::keyClick(window->commandPalette().findChild<QLineEdit*>(), Qt::Key_Escape);
    EXPECT_FALSE(window->commandPalette().isVisible());
}

TEST_F(Actions, KeyboardSheetListsEveryShortcut) {
    QTest::keyClick(window.get(), Qt::Key_F1, Qt::ShiftModifier);
    ASSERT_TRUE(window->keyboardSheet().isVisible());
    QStringList texts;
    for (const QLabel* label : window->keyboardSheet().findChildren<QLabel*>()) texts << label->text();
    for (const QString& id : window->actions().ids()) {
        const QAction* action = window->actions().action(id);
        if (action->shortcuts().isEmpty()) continue;
        EXPECT_TRUE(texts.contains(action->text())) << qPrintable(id);
    }
    EXPECT_TRUE(texts.contains("Restore the field's former value and leave the field")) << "keys of fields and figures";
    EXPECT_TRUE(texts.contains("Play or pause the animation (Rotation, Inspect)"));
    QTest::keyClick(&window->keyboardSheet(), Qt::Key_Escape);
    EXPECT_FALSE(window->keyboardSheet().isVisible());
}

TEST_F(Actions, KeyboardSheetRestoresTheFocus) {
    window->showRoom("spectrum");
    const QList<QLineEdit*> fields = window->findChildren<QLineEdit*>();
    const auto shown = std::find_if(fields.begin(), fields.end(), [](QLineEdit* each) { return each->isVisible(); });
    ASSERT_NE(shown, fields.end());
    QLineEdit* field = *shown;
    field->setFocus();
    window->actions().action("help.keyboard")->trigger();
    EXPECT_TRUE(window->keyboardSheet().hasFocus());
    QTest::keyClick(&window->keyboardSheet(), Qt::Key_Escape);
    EXPECT_TRUE(field->hasFocus());
}

TEST_F(Actions, KeyboardSheetScrollsInALowWindow) {
    ThemeManager::instance().setScale(200);
    window->resize(1280, 720);
    window->actions().action("help.keyboard")->trigger();
    KeyboardSheet& sheet = window->keyboardSheet();
    EXPECT_TRUE(window->rect().contains(sheet.geometry()));
    const QScrollBar* bar = sheet.findChild<QScrollArea*>()->verticalScrollBar();
    EXPECT_TRUE(waitUntil([bar] { return bar->maximum() > 0; }));
    for (const QLabel* label : sheet.findChildren<QLabel*>()) {
        EXPECT_GE(label->width(), label->sizeHint().width()) << label->text().toStdString();
        EXPECT_LE(label->mapTo(&sheet, label->rect().topRight()).x(), sheet.width()) << label->text().toStdString();
    }
    QTest::keyClick(&sheet, Qt::Key_PageDown);
    EXPECT_GT(bar->value(), 0);
}

TEST_F(Actions, ShortcutChecksWhetherItsActionIsEnabled) {
    bool isPossible = false;
    int done = 0;
    window->actions().add({.id = "test.now",
                           .menu = "",
                           .text = "Now",
                           .shortcuts = {QKeySequence(Qt::CTRL | Qt::Key_J)},
                           .handler = [&done] { ++done; },
                           .enabled = [&isPossible] { return isPossible; }});
    window->actions().refresh();
    QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
    EXPECT_EQ(done, 0);
    isPossible = true;  // without refresh()
    QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
    EXPECT_EQ(done, 1);
    isPossible = false;
    QTest::keyClick(window.get(), Qt::Key_J, Qt::ControlModifier);
    EXPECT_EQ(done, 1);
}

TEST_F(Actions, DigitsShowRoomsUnlessAFieldHasTheFocus) {
    EXPECT_NO_THROW(window->actions().action("room.train"));
    EXPECT_EQ(window->actions().action("room.train")->shortcut(), QKeySequence(Qt::Key_1));
    QStringList shortcuts;
    for (int number = 1; number <= 19; ++number) shortcuts << roomShortcut(number).toString();
    EXPECT_EQ(shortcuts.mid(8, 3), (QStringList{"9", "0", "Alt+1"}));
    EXPECT_EQ(shortcuts.removeDuplicates(), 0);
    EXPECT_TRUE(roomShortcut(20).isEmpty());
    QLineEdit* field = nullptr;  // of text; that of a spin box takes numbers alone
    for (auto* each : window->findChildren<QLineEdit*>()) {
        if (!field && !qobject_cast<QAbstractSpinBox*>(each->parentWidget())) field = each;
    }
    ASSERT_NE(field, nullptr);
    field->setFocus();
    field->clear();
    QTest::keyClicks(field, "1 2");
    EXPECT_EQ(field->text(), "1 2") << "digits and spaces typed in a field stay there";
    EXPECT_FALSE(window->workspace().session().isActive());
}

TEST_F(Actions, ThemeAndScaleAreAppliedAndStored) {
    window->restoreSettings();
    window->actions().action("view.dark")->trigger();
    window->actions().action("view.larger")->trigger();
    EXPECT_EQ(ThemeManager::instance().choice(), ThemeManager::Choice::dark);
    EXPECT_TRUE(window->actions().action("view.dark")->isChecked());
    Settings settings(file("settings.ini"));
    EXPECT_EQ(settings.value("window/theme").toString(), "dark");
    EXPECT_GT(settings.value("window/scale").toInt(), 100);
    window->actions().action("view.scale100")->trigger();
    window->actions().action("view.system")->trigger();
}

TEST_F(Actions, ExceptionsAreShownAsBanners) {
    window->actions().add({.id = "test.throw", .menu = "", .text = "throw", .handler = [] {
                               throw std::runtime_error("The disk is full.");
                           }});
    window->actions().action("test.throw")->trigger();
    EXPECT_TRUE(window->banners().texts().contains("The disk is full."));
}

}  // namespace
}  // namespace ropelab::ui
