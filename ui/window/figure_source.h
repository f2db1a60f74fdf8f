#pragma once

#include <QTemporaryDir>
#include <vector>

#include "core/run/runner.h"
#include "ui/figure/figure.h"
#include "ui/session/workspace.h"
#include "ui/window/launch_options.h"

namespace ropelab::ui {

class Room;

/// Needs no window. Each figure's origin has the flags that compute it again. Throws BadInput.
std::vector<Figure> makeFigures(const LaunchOptions& options);

/// Settings and labs are in a temporary folder.
WorkspaceOptions temporaryOptions(const QTemporaryDir& folder, const LaunchOptions& options,
                                  Runner::EngineSource engine);

/// Background computations that change a room's figure, such as the entropy floor or the feasible bases.
void waitUntilDone(const Room& room);

}  // namespace ropelab::ui
