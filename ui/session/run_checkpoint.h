#pragma once

#include <filesystem>
#include <string>

#include "core/store/lab_file.h"

namespace ropelab::ui {

/// Place of a run's checkpoint, and whether the run has written it: the run finished, or was stopped after a step.
struct RunCheckpoint {
    std::filesystem::path path;
    bool wasWritten = false;
};

/// Returns the place of a run's checkpoint.
RunCheckpoint checkpointOfRun(const LabFile& lab, const RunRecord& record);
/// Returns why there is no file at the place of a checkpoint: the run has not written one yet, or the file is missing.
std::string whyNoCheckpoint(const RunCheckpoint& checkpoint);

}  // namespace ropelab::ui
