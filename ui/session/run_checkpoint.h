#pragma once

#include <filesystem>
#include <string>

#include "core/store/lab_file.h"

namespace ropelab::ui {

/// The checkpoint is written once the run finished, or was stopped after a step.
struct RunCheckpoint {
    std::filesystem::path path;
    bool wasWritten = false;
};

RunCheckpoint checkpointOfRun(const LabFile& lab, const RunRecord& record);
/// The run has not written a checkpoint yet, or the file is missing.
std::string whyNoCheckpoint(const RunCheckpoint& checkpoint);

}  // namespace ropelab::ui
