#pragma once

#include <QString>
#include <QStringList>
#include <algorithm>
#include <string>

#include "ui/inspect/inspect_data.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// A replay to be written: one picture a snapshot, each with one or two figures of the Inspect room and the loss with
/// its cursor beneath. It is handed to a program of its own as JSON, since painting takes longer than the window's
/// thread may.
struct ReplayJob {
    QString lab;
    /// What ends with .gif becomes one animated picture; .png and .svg one file a frame, replay-0001.png and so on.
    QString output;
    /// Names of figures, the second one beside the first; as the second, secondRun means the first one of the second
    /// run.
    QStringList figures;
    RunId run = 0;     // 0: the lab's first
    RunId beside = 0;  // 0: none
    InspectChoices choices;
    ModelQuestions asked;

    int width = 960;             // pixels; 320 to 3840
    double framesPerSecond = 4;  // of an animated picture; 0.1 to 50
    int most = 0;                // frames; fewer than snapshots: evenly thinned out. 0: all
    Appearance appearance = Appearance::light;

    static constexpr const char* secondRun = "second-run";
    bool isAnimated() const;
    /// How long an animated picture shows a frame; the last one stays for 2 s or longer.
    double secondsOf(bool last) const { return last ? std::max(2.0, 1 / framesPerSecond) : 1 / framesPerSecond; }
    /// The height in pixels that goes with the width.
    int height() const;
};

/// Back and forth; what has its default is left out. Throws BadInput for what is unknown or out of range, for an output
/// that ends otherwise, and for what whyNotReplayed() tells.
std::string replayJobText(const ReplayJob& job);
ReplayJob parseReplayJob(const std::string& text);

/// Why these figures cannot be replayed, one sentence; "" where they can.
QString whyNotReplayed(const ReplayJob& job);
/// Whether a figure reads an answer of the run's model, which an engine has to give.
bool asksModel(const ReplayJob& job);

/// `stem-0001.png` for the first frame.
QString framePath(const QString& output, int frame);
/// Why frames cannot be numbered there: some of an earlier replay would stay among them, or be lost. One sentence; ""
/// for an animated picture and where there are none.
QString whyNoRoomForFrames(const QString& output);

}  // namespace ropelab::ui
