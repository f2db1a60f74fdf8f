#include "ui/session/engine_work.h"

#include <algorithm>

#include "core/reproduce/rules/measuring.h"
#include "core/sweep/stored_run.h"
#include "ui/common/paths.h"

namespace ropelab::ui {

RunCheckpoint checkpointOfRun(const LabFile& lab, RunId run) {
    RunCheckpoint checkpoint = run_checkpoint(lab, lab.run(run));
    checkpoint.recorded = -1;
    return checkpoint;
}

std::string whyNoCheckpoint(const RunCheckpoint& checkpoint) {
    if (checkpoint.path.empty()) return no_model_words(checkpoint.name);
    if (!checkpoint.is_written) {
        return "This run has no checkpoint yet, so its model cannot be evaluated; a checkpoint is written at each "
               "evaluation, and when the run is paused or ends.";
    }
    return "The checkpoint of this run is missing, so its model cannot be evaluated: it is not at " +
           fromPath(checkpoint.path).toStdString() + "; restore the file, or train the run again.";
}

QString measureWithLock(EngineLock& engineLock, const QString& lab, const std::vector<StoredSheet>& sheets,
                        const std::filesystem::path& dataDir, const Cancelled& cancelled) {
    const auto outcome = withEngine<bool>(engineLock, cancelled, [&](Engine& engine, const Cancelled& ends) {
        const auto lockedEngine = [&engine]() -> Engine& { return engine; };
        const auto file = LabFile::open(toPath(lab));
        return std::all_of(sheets.begin(), sheets.end(), [&](const StoredSheet& sheet) {
            return measure_runs(*file, sheet.experiment, sheet.plan, dataDir, lockedEngine, ends);
        });
    });
    return outcome.problem;
}

}  // namespace ropelab::ui
