#include "ui/window/room.h"

#include "ui/figure/export.h"
#include "ui/figure/export_dialog.h"

namespace ropelab::ui {

void Room::openExport() {
    if (hasFigure()) (new ExportDialog([this] { return figure(); }, window()))->show();
}

void Room::copy() {
    if (hasFigure()) copyFigure(figure(), ExportOptions{});
}

}  // namespace ropelab::ui
