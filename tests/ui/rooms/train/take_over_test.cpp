#include "ui/rooms/train/plan_page.h"

#include "core/store/sqlite.h"
#include "core/sweep/lab_plan.h"
#include "tests/ui/support/workbench.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {
namespace {

class TakeOverTest : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<TrainRoom>(*workspace, workspace->runAccess(), workspace->experiment(),
                                           workspace->settings());
        room->show();
    }
    // Returns the path of a lab with two runs that a program on another machine was training.
    QString claimedLab() {
        const QString path = file("held.ropelab");
        plan_new_runs(*LabFile::create(path.toStdString()), smallSweep(40));
        sqlite::Connection(path.toStdString(), sqlite::Access::write)
            .run("UPDATE run SET writer = 'node7 12 34', state = 'running'");
        return path;
    }
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<TrainRoom> room;
};

TEST_F(TakeOverTest, TakeOverResumesTheRunsOfAnotherMachine) {
    EXPECT_TRUE(room->takeOver().texts().isEmpty());
    workspace->lab().open(claimedLab());
    ASSERT_EQ(room->takeOver().texts().size(), 1);
    EXPECT_TRUE(room->takeOver().texts()[0].startsWith("Another machine (node7) was training 2 runs of this lab"))
        << room->takeOver().texts()[0].toStdString();
    EXPECT_FALSE(workspace->session().isActive());
    ASSERT_TRUE(room->takeOver().choose("take-over", "Take over"));
    EXPECT_TRUE(workspace->session().isActive());
    EXPECT_TRUE(room->takeOver().texts().isEmpty());
    ASSERT_TRUE(waitForEnd(*workspace));
    for (const RunId run : {1, 2}) EXPECT_EQ(workspace->runs().find(run)->record.state, RunState::finished);
    EXPECT_TRUE(workspace->lab().file()->claimed_runs().empty());
}

TEST_F(TakeOverTest, ReadOnlyLabOffersNoTakeOver) {
    workspace->lab().open(claimedLab(), true);
    ASSERT_EQ(room->takeOver().texts().size(), 1);
    EXPECT_TRUE(room->takeOver().texts()[0].endsWith("its runs cannot be resumed here."));
    EXPECT_FALSE(room->takeOver().choose("take-over", "Take over"));
    workspace->lab().startEmptyLab();
    EXPECT_TRUE(room->takeOver().texts().isEmpty());
}

TEST_F(TakeOverTest, ALargeLabIsReadInTheBackground) {
    const QString path = claimedLab();
    LabFile::open(path.toStdString())->set_choice("padding", std::string(9'000'000, 'x'));
    ASSERT_TRUE(LabDocument::isLarge(path));
    workspace->lab().open(path);
    EXPECT_TRUE(room->takeOver().texts().isEmpty());
    ASSERT_TRUE(waitUntil([&] { return !room->takeOver().texts().isEmpty(); }));
    EXPECT_EQ(room->takeOver().runs().size(), 2U);
    workspace->lab().startEmptyLab();
    EXPECT_TRUE(room->takeOver().texts().isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
