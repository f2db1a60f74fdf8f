#pragma once

#include <vector>

#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

/// A figure of a replay's frames and the data from which it is made.
struct ReplayPicture {
    const InspectFigure* figure = nullptr;
    InspectData data;
};

/// Returns one frame of a replay: the figures at this step side by side, above the figure of the loss with its cursor.
Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration);

/// Returns the steps of the snapshots that a replay of at most `most` frames shows (0: all snapshots). They are evenly
/// spaced and include the first and the last snapshot; a single frame shows the last one.
std::vector<std::int64_t> replayIterations(const InsideRun& run, int most);

}  // namespace ropelab::ui
