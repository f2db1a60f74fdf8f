#include "ui/session/run_checkpoint.h"

#include "ui/common/paths.h"

namespace ropelab::ui {

RunCheckpoint checkpointOfRun(const LabFile& lab, const RunRecord& record) {
    const bool wasWritten =
        record.state == RunState::finished || (record.state == RunState::stopped && record.iteration > 0);
    return {lab.checkpoint_path(record.id), wasWritten};
}

std::string whyNoCheckpoint(const RunCheckpoint& checkpoint) {
    if (!checkpoint.wasWritten) {
        return "This run has no checkpoint yet, so its model cannot be evaluated; the checkpoint is written when the "
               "run ends or is paused.";
    }
    return "The checkpoint of this run is missing, so its model cannot be evaluated: it is not at " +
           fromPath(checkpoint.path).toStdString() + "; restore the file, or train the run again.";
}

}  // namespace ropelab::ui
