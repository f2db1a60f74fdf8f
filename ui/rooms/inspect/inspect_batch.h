#pragma once

#include <filesystem>
#include <optional>

#include "core/run/runner.h"
#include "core/store/lab_file.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

struct InspectMoment {
    RunId run = 0;                // 0: the lab's first run
    RunId ghost = 0;              // the second run; heat maps show the difference to it; 0: no second run
    std::int64_t iteration = -1;  // −1: the newest snapshot
    QString text = {};            // the text of attention figures; "": the text of the snapshot
    int pair = 0;                 // the pair whose logit term is shown
    /// All choices and inputs of the window, instead of `text` and `pair`; nullopt: those of the command line.
    std::optional<InspectChoices> choices = {};
    ModelInputs inputs = {};
};

/// Runs the checkpoint's model if the figure needs it. Throws BadInput, with a sentence on what is missing, if the
/// figure would be empty.
Figure inspectFigureOf(const LabFile* lab, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                       const InspectFigure& figure, const InspectMoment& moment);

}  // namespace ropelab::ui
