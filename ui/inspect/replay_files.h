#pragma once

#include <filesystem>
#include <functional>

#include "core/experiment/runner.h"
#include "core/rope/context.h"
#include "ui/inspect/replay_job.h"

namespace ropelab::ui {

/// Paints a replay and writes it; needs a QApplication (offscreen will do) and takes as long as it takes. `engine` is
/// asked only where a figure reads the run's model. Each file is written whole or not at all; an animated picture that
/// is cancelled is not there, and frames of their own that were finished stay. Returns how many frames are there: as
/// many as `progress` calls `all` where nothing is missing, even if it was cancelled after the last one. Throws
/// BadInput, one sentence, where there is nothing to replay, the run has no such layer, head or pair, its model does
/// not answer, frames of an earlier replay are in the way, or a file cannot be written.
int writeReplay(const ReplayJob& job, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                const std::function<void(int done, int all)>& progress, const Cancelled& cancelled);

}  // namespace ropelab::ui
