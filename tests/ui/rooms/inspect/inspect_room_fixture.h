#pragma once

#include <memory>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/rooms/inspect/inspect_pane.h"
#include "ui/rooms/inspect/inspect_room.h"

namespace ropelab::ui {

/// Fixture with an Inspect room and its own workspace.
class InspectRoomTest : public InspectBench {
 protected:
    void SetUp() override {
        InspectBench::SetUp();
        workspace = std::make_unique<Workspace>(options());
        room = std::make_unique<InspectRoom>(*workspace, workspace->runAccess(), workspace->rotary(),
                                             workspace->settings());
        room->resize(1000, 700);
    }
    void TearDown() override {
        room.reset();
        workspace.reset();
    }
    void openLab(const QString& path) {
        workspace->lab().open(path);
        room->show();
        ASSERT_TRUE(waitUntil([&] { return room->data().run && !room->isBusy(); }));
    }
    /// Waits until the room has finished all work. Returns false after a timeout.
    bool settled() {
        return waitUntil([&] { return !room->isBusy(); });
    }
    /// Returns the figure in the main pane.
    const Figure& figure() { return room->mainPane().picture().figure; }

    std::unique_ptr<Workspace> workspace;
    std::unique_ptr<InspectRoom> room;
};

}  // namespace ropelab::ui
