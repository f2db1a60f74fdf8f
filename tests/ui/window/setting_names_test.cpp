// The user's name for a setting appears wherever the setting does.
#include <QComboBox>
#include <QInputDialog>
#include <QMenu>
#include <QSignalSpy>
#include <QTableView>
#include <stdexcept>

#include "tests/ui/support/window_fixture.h"
#include "ui/plot/curve_plot.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/results/results_room.h"
#include "ui/rooms/train/run_list.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {
namespace {

class SettingNamesTest : public WindowFixture {
 protected:
    void SetUp() override {
        WindowFixture::SetUp();
        workspace().experiment().replace(smallSweep(40));
        workspace().start();
        ASSERT_TRUE(waitForEnd(workspace()));
    }
    Workspace& workspace() { return window->workspace(); }
    TrainRoom& train() { return *window->findChild<TrainRoom*>(); }
    QString nameOf(RunId run) { return workspace().runs().find(run)->name; }
    std::string settingOf(RunId run) { return workspace().runs().find(run)->setting; }
    static QAction* entry(const QMenu& menu, const QString& text) {
        for (QAction* each : menu.actions()) {
            if (each->text() == text) return each;
        }
        throw std::runtime_error("no such entry");
    }
    /// Enters a name in the dialog that an entry of a menu has opened.
    void enter(const QString& name) {
        auto* dialog = window->findChild<QInputDialog*>("setting-name");
        ASSERT_NE(dialog, nullptr);
        EXPECT_FALSE(dialog->isModal());
        dialog->setTextValue(name);
        dialog->accept();
    }
    QTableView* groups() {
        for (auto* view : window->findChildren<QTableView*>()) {
            if (view->accessibleName() == "Groups") return view;
        }
        return nullptr;
    }
    QString groupCell(int row) { return groups()->model()->index(row, 0).data().toString(); }
};

TEST_F(SettingNamesTest, MenuOfARunNamesItsSettingInAllRooms) {
    const QString automatic = nameOf(1);
    RunList& list = train().runList();
    list.pick(1);
    emit list.customContextMenuRequested(list.visualRect(list.currentIndex()).center());
    auto* menu = list.findChild<QMenu*>("run-menu");
    ASSERT_NE(menu, nullptr);
    entry(*menu, "Rename setting …")->trigger();
    enter(" short base ");
    EXPECT_EQ(nameOf(1), "short base");
    EXPECT_EQ(list.table().index(list.table().rowOf(1), RunTable::Name).data().toString(), "short base");
    EXPECT_GE(train().scope().choice()->findText("Setting: short base"), 0);
    train().refreshNow();
    EXPECT_EQ(train().plot().toFigure().curves[0].label, "short base");
    EXPECT_EQ(readInsideRun(*workspace().lab().file(), 1).name, "short base");
    window->showRoom("results");
    window->room().refreshNow();
    EXPECT_EQ(groupCell(0), "short base");
    EXPECT_EQ(groupCell(1), "");

    const QString path = workspace().lab().path();
    workspace().newLab();
    workspace().openLab(path);
    EXPECT_EQ(nameOf(1), "short base") << "the lab file stores the name";
    workspace().renameSetting(settingOf(1), "");
    EXPECT_EQ(nameOf(1), automatic);
    workspace().undo().undo();
    EXPECT_EQ(nameOf(1), "short base");
}

TEST_F(SettingNamesTest, MenuOfAGroupNamesItsSetting) {
    window->showRoom("results");
    window->room().refreshNow();
    ASSERT_NE(groups(), nullptr);
    const QRect row = groups()->visualRect(groups()->model()->index(1, 0));
    emit groups()->customContextMenuRequested(row.center());
    auto* menu = window->room().findChild<QMenu*>("group-menu");
    ASSERT_NE(menu, nullptr);
    entry(*menu, "Rename setting …")->trigger();
    enter("long base");
    window->room().refreshNow();
    EXPECT_EQ(groupCell(1), "long base");
    EXPECT_EQ(nameOf(2), "long base");
}

TEST_F(SettingNamesTest, TwoSettingsCannotHaveTheSameName) {
    workspace().renameSetting(settingOf(1), "base");
    QSignalSpy problem(&workspace(), &SessionActions::problem);
    workspace().renameSetting(settingOf(2), "base");
    ASSERT_EQ(problem.count(), 1);
    EXPECT_TRUE(problem.at(0).at(1).toString().contains("choose another name"));
    EXPECT_EQ(nameOf(1), "base");
    EXPECT_NE(nameOf(2), "base");
}

TEST_F(SettingNamesTest, RunThatTheUserRenamedKeepsItsName) {
    workspace().renameRun(1, "mine");
    workspace().renameSetting(settingOf(1), "base");
    EXPECT_EQ(nameOf(1), "mine");
}

}  // namespace
}  // namespace ropelab::ui
