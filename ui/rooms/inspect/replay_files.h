#pragma once

#include <filesystem>
#include <functional>

#include "core/run/runner.h"
#include "core/rope/context.h"
#include "ui/rooms/inspect/replay_job.h"

namespace ropelab::ui {

/// Paints a replay and writes it to files; it can take long and needs a QApplication (the offscreen platform suffices).
/// `engine` is called only if a figure needs the run's model. `progress` is called after each frame with the number of
/// completed frames and of all frames. Files are written atomically: a cancelled animation leaves no file, a cancelled
/// export of separate frames leaves the completed ones. Returns the number of written frames; 0 for a cancelled
/// animation. Throws BadInput, with one sentence, if there are no snapshots, the layer, head or pair does not exist,
/// the model cannot be evaluated, frames of an earlier replay exist, or a file has a wrong name, and WriteError if
/// writing fails.
int writeReplay(const ReplayJob& job, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                const std::function<void(int done, int all)>& progress, const Cancelled& cancelled);

}  // namespace ropelab::ui
