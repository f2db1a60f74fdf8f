#pragma once

#include "core/experiment/runner.h"
#include "ui/window/launch_options.h"

namespace ropelab::ui {

// What `ropelab` does without a person at the window. Each needs a QApplication, leaves the user's labs and settings
// alone, and returns the program's exit status; BadInput comes through. `engine` is open_engine unless a test has its
// own.

/// Paints the real window into a picture.
int paintScreenshot(const LaunchOptions& options, Runner::EngineSource engine = {});
/// Runs a sweep through the window, with progress on standard output, and writes lab, plots (PNG and PDF) and a picture
/// of the window into the output folder. 1 where the sweep failed.
int runHeadless(const LaunchOptions& options, Runner::EngineSource engine = {});
/// Writes a figure of a lab or of a rotary setup.
int writeFigure(const LaunchOptions& options);
/// Writes a replay, with a line "frame 3 of 120" on standard error for each frame. An interrupt or termination signal
/// ends it after the frame at hand; then the status is 1.
int writeReplay(const LaunchOptions& options);

}  // namespace ropelab::ui
