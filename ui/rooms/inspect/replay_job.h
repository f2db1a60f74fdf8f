#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "core/rope/context.h"
#include "core/run/runner.h"
#include "ui/animation/frame_files.h"
#include "ui/probes/inspect_data.h"
#include "ui/rooms/inspect/inspect_figures.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// One frame per snapshot, each with one or two figures of the Inspect room above the figure of the loss. The job is
/// passed as JSON to a separate process, because painting would block the window's thread.
struct ReplayJob : InspectRequest, FrameFiles {
    QString lab = {};
    /// One or two figures, which are shown side by side. As the second name, secondRun stands for the first figure of
    /// the second run.
    QStringList figures = {};
    int most = 0;  // the most frames; evenly spaced snapshots are used if there are more; 0: no limit

    static constexpr const char* kSecondRun = "second-run";
};

void visitFields(JobFields& fields, ReplayJob& job);
/// Throws BadInput for unknown keys, values out of range, an output with another suffix than .gif, .png or .svg, and
/// for jobs that whyNotReplayable() rejects.
ReplayJob parseReplayJob(const std::string& text);

/// One sentence; "" if the figures can be replayed.
QString whyNotReplayable(const ReplayJob& job);
bool needsModel(const ReplayJob& job);

struct ReplayPicture {
    const InspectFigure* figure = nullptr;
    InspectData data;
};

/// The figures at this step are side by side, above the figure of the loss with its cursor.
Figure replayFrame(std::vector<ReplayPicture> pictures, std::int64_t iteration);

/// At most `most` steps (0: all snapshots), evenly spaced, with the first and the last snapshot; a single frame shows
/// the last one.
std::vector<std::int64_t> replayIterations(const InsideRun& run, int most);

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
