#pragma once

#include <vector>

#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

struct ReplayPicture {
    const InspectFigure* figure = nullptr;
    InspectData data;
};

/// The figures at this step are side by side, above the figure of the loss with its cursor.
Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration);

/// At most `most` steps (0: all snapshots), evenly spaced, with the first and the last snapshot; a single frame shows
/// the last one.
std::vector<std::int64_t> replayIterations(const InsideRun& run, int most);

}  // namespace ropelab::ui
