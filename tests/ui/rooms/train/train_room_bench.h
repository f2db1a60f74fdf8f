#pragma once

#include <memory>

#include "tests/ui/support/workbench.h"
#include "ui/rooms/train/train_room.h"

namespace ropelab::ui {

/// Fixture with a visible Train room, whose sweep has two runs of 60 steps.
class TrainRoomBench : public Workbench {
 protected:
    void SetUp() override {
        Workbench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        workspace->experiment().replace(smallSweep(60));
        room = std::make_unique<TrainRoom>(*workspace, workspace->runAccess(), workspace->experiment(),
                                           workspace->settings());
        room->resize(900, 600);
        room->show();
    }
    void train() {
        workspace->start();
        ASSERT_TRUE(waitForEnd(*workspace));
    }
    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<TrainRoom> room;
};

}  // namespace ropelab::ui
