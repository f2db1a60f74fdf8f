#pragma once

#include <vector>

#include "ui/inspect/inspect_figures.h"

namespace ropelab::ui {

/// A figure of a frame and all that it is made from; the time cursor goes from snapshot to snapshot.
struct ReplayPicture {
    const InspectFigure* figure = nullptr;
    InspectData data;
};

/// Pictures of the run as they are after so many steps, side by side, with the loss and its cursor beneath.
Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration);

/// The snapshots that a replay of at most so many frames shows (0: all), evenly spread, the first and last among them;
/// of one frame the last.
std::vector<std::int64_t> replayIterations(const InsideRun& run, int most);

}  // namespace ropelab::ui
