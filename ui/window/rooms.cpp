#include <vector>

#include "ui/experiment/train_room.h"
#include "ui/window/room.h"

namespace ropelab::ui {

std::span<const RoomEntry> rooms() {
    static const std::vector<RoomEntry> entries = {
        {"train", QObject::tr("Train"), QObject::tr("Train a sweep of small models and watch them learn."),
         "M4 4 V20 H20 M7 6 C8 13 12 16 20 16",
         [](Workspace& workspace, QWidget* parent) -> Room* { return new TrainRoom(workspace, parent); }},
    };
    return entries;
}

}  // namespace ropelab::ui
