// The keys of the window's actions, as the list of keyboard shortcuts (Shift+F1) and docs/window.md name them.
#include <QFile>
#include <QGridLayout>
#include <QLabel>
#include <QRegularExpression>

#include "tests/support/source_file.h"
#include "tests/ui/support/window_fixture.h"
#include "ui/help/keyboard_sheet.h"
#include "ui/shell/actions.h"

namespace ropelab::ui {
namespace {

using Shortcuts = WindowFixture;
using Keys = QMap<QString, QStringList>;  // by the id of an action

// Every action of the window that has a key, with all its keys.
const Keys& expectedKeys() {
    static const Keys keys = {{"edit.redo", {"Ctrl+Shift+Z", "Ctrl+Y"}},
                              {"edit.undo", {"Ctrl+Z"}},
                              {"figure.copy", {"Ctrl+Shift+C"}},
                              {"figure.export", {"Ctrl+E"}},
                              {"figure.listen", {"F4"}},
                              {"lecture.present", {"F5"}},
                              {"help.formulas", {"Ctrl+F1"}},
                              {"help.keyboard", {"Shift+F1"}},
                              {"help.palette", {"Ctrl+K"}},
                              {"help.why", {"F1"}},
                              {"lab.new", {"Ctrl+N"}},
                              {"lab.open", {"Ctrl+O"}},
                              {"lab.quit", {"Ctrl+Q"}},
                              {"lab.save", {"Ctrl+S", "Ctrl+Shift+S"}},
                              {"plot.log", {"Ctrl+L"}},
                              {"plot.reset", {"Ctrl+R"}},
                              {"room.train", {"1"}},
                              {"room.rotation", {"2"}},
                              {"room.spectrum", {"3"}},
                              {"room.table", {"4"}},
                              {"room.context", {"5"}},
                              {"room.memory", {"6"}},
                              {"room.results", {"7"}},
                              {"room.reproduce", {"8"}},
                              {"room.inspect", {"9"}},
                              {"room.anatomy", {"0"}},
                              {"rotary.models", {"Ctrl+M"}},
                              {"room.play", {"Space"}},
                              {"run.continue", {"Ctrl+Shift+Return"}},
                              {"run.pause", {"Ctrl+Shift+P"}},
                              {"run.start", {"Ctrl+Return", "Ctrl+Enter"}},
                              {"run.stop", {"Ctrl+."}},
                              {"view.fullscreen", {"F11"}},
                              {"view.larger", {"Ctrl++", "Ctrl+="}},
                              {"view.panel", {"F9"}},
                              {"view.rail", {"Shift+F9"}},
                              {"view.scale100", {"Ctrl+0"}},
                              {"view.smaller", {"Ctrl+-"}}};
    return keys;
}

QStringList keysOf(const QAction& action) {
    QStringList keys;
    for (const QKeySequence& sequence : action.shortcuts()) keys << sequence.toString(QKeySequence::PortableText);
    return keys;
}

// Returns the keys by action, one line each, which a failing test prints.
std::string linesOf(const Keys& keys) {
    std::string lines;
    for (auto it = keys.begin(); it != keys.end(); ++it) {
        lines += it.key().toStdString() + ": " + it.value().join(", ").toStdString() + '\n';
    }
    return lines;
}

// Shortcuts outside the registry of actions would be missing in the menus and in the list of shortcuts.
TEST_F(Shortcuts, EveryActionHasItsKeys) {
    Keys keys;
    for (const QAction* action : window->findChildren<QAction*>()) {
        if (!action->shortcuts().isEmpty()) keys.insert(action->objectName(), keysOf(*action));
    }
    EXPECT_EQ(linesOf(keys), linesOf(expectedKeys()));
    for (const QString& id : window->actions().ids()) {
        EXPECT_EQ(keysOf(*window->actions().action(id)), expectedKeys().value(id)) << qPrintable(id);
    }
}

TEST_F(Shortcuts, NoTwoActionsShareAKey) {
    QStringList all;
    for (const QAction* action : window->findChildren<QAction*>()) all << keysOf(*action);
    EXPECT_EQ(all.removeDuplicates(), 0) << all.join(' ').toStdString();
}

TEST_F(Shortcuts, TheListOfShortcutsHasTheSameKeys) {
    window->actions().action("help.keyboard")->trigger();
    ASSERT_TRUE(window->keyboardSheet().isVisible());
    Keys expected;  // by the text of an action
    for (auto it = expectedKeys().begin(); it != expectedKeys().end(); ++it) {
        expected.insert(window->actions().action(it.key())->text(), it.value());
    }
    Keys listed;
    for (const QGridLayout* grid : window->keyboardSheet().findChildren<QGridLayout*>()) {
        for (int row = 0; row < grid->rowCount(); ++row) {
            QLayoutItem* text = grid->itemAtPosition(row, 0);
            QLayoutItem* keys = grid->itemAtPosition(row, 1);
            if (!text || !keys || text == keys) continue;  // an empty row, or a heading over both columns
            const auto* label = qobject_cast<QLabel*>(keys->widget());
            listed.insert(qobject_cast<QLabel*>(text->widget())->text(), label->text().split("  or  "));
        }
    }
    // The list also has the keys of figures and fields, which are no actions.
    for (auto it = expected.begin(); it != expected.end(); ++it) {
        EXPECT_EQ(listed.value(it.key()), it.value()) << it.key().toStdString();
    }
}

TEST_F(Shortcuts, GuideNamesExistingKeys) {
    QFile page(QString::fromStdString(source_file("docs/window.md")));
    ASSERT_TRUE(page.open(QIODevice::ReadOnly));
    const QString text = QString::fromUtf8(page.readAll());
    QStringList known;
    for (const QStringList& keys : expectedKeys()) known << keys;
    known << QStringLiteral("F2");  // a key of figures, which is no action
    int named = 0;
    QRegularExpressionMatchIterator matches =
        QRegularExpression(QStringLiteral(R"(\b(?:(?:Ctrl|Shift|Alt)\+)+\w+|\bF\d{1,2}\b)")).globalMatch(text);
    while (matches.hasNext()) {
        const QString key = matches.next().captured();
        EXPECT_TRUE(known.contains(key)) << qPrintable(key);
        ++named;
    }
    EXPECT_GE(named, 6);
}

}  // namespace
}  // namespace ropelab::ui
