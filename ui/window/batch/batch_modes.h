#pragma once

#include <QTemporaryDir>
#include <vector>

#include "core/run/runner.h"
#include "ui/figure/figure.h"
#include "ui/session/workspace.h"
#include "ui/window/batch/launch_options.h"

namespace ropelab::ui {

class Room;

// Modes of the program `ropelab` that run without interaction. Each function requires a QApplication, does not change
// the user's labs and settings, returns the exit status of the program, and throws BadInput for invalid options.
// `engine` is open_engine by default; tests pass an engine of their own.

/// Settings and labs are in a temporary folder.
WorkspaceOptions temporaryOptions(const QTemporaryDir& folder, const LaunchOptions& options,
                                  Runner::EngineSource engine);
/// Background computations that change a room's figure, such as the entropy floor or the feasible bases.
void waitUntilDone(const Room& room);

/// The figures of the command line. Needs no window. Throws BadInput.
std::vector<Figure> makeFigures(const LaunchOptions& options);

/// Returns 1 if the window reported a problem.
int paintScreenshot(const LaunchOptions& options, Runner::EngineSource engine = {});
/// Trains a sweep in a window without a display and prints the progress to standard output. Saves the lab, the plots
/// (PNG and PDF) and a screenshot in the output folder. Returns 1 if the sweep failed.
int runHeadless(const LaunchOptions& options, Runner::EngineSource engine = {});
int writeFigure(const LaunchOptions& options);
/// The curves of a figure as a WAV file. Throws BadInput if it has none that can be heard.
int writeSound(const LaunchOptions& options);
/// An animation over the snapshots of a run. Prints a line "frame 3 of 120" to standard error for each frame. SIGINT or
/// SIGTERM ends it after the current frame; the exit status is 1 then.
int writeReplay(const LaunchOptions& options);
/// An animation of a rotary figure; prints as writeReplay().
int writeAnimation(const LaunchOptions& options);
/// Prints a line "page 3 of 40" to standard error for each step. SIGINT or SIGTERM ends it after the current step; the
/// exit status is 1 then, and also if standard error names something that could not be shown.
int writeLectureDocument(const LaunchOptions& options, Runner::EngineSource engine = {});

}  // namespace ropelab::ui
