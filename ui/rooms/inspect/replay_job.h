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
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// One frame per snapshot, each with one or two figures of the Inspect room above the figure of the loss. The job is
/// passed as JSON to a separate process, because painting would block the window's thread.
struct ReplayJob {
    QString lab;
    /// .gif gives one animation; .png and .svg give one file per frame, named replay-0001.png and so on.
    QString output;
    /// One or two figures, which are shown side by side. As the second name, secondRun stands for the first figure of
    /// the second run.
    QStringList figures;
    RunId run = 0;     // 0: the lab's first run
    RunId beside = 0;  // the second run; 0: none
    InspectChoices choices;
    ModelInputs modelInputs;
    QJsonObject flags;  // as InspectData::flags

    int width = 960;             // in pixels, 320 to 3840
    double framesPerSecond = 4;  // frame rate of an animation, 0.1 to 50
    int most = 0;                // the most frames; evenly spaced snapshots are used if there are more; 0: no limit
    Appearance appearance = Appearance::light;

    static constexpr const char* kSecondRun = "second-run";
    /// A .gif file or standard output ("-").
    bool isAnimated() const;
    /// The last frame is shown for at least 2 s.
    double secondsOf(bool last) const { return frameSeconds(framesPerSecond, last); }
    /// In pixels, proportional to the width.
    int height() const;
};

/// Omits values that equal their default.
std::string replayJobText(const ReplayJob& job);
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
