#include "ui/session/engine_work.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/reproduce/rules/measuring.h"
#include "core/sweep/stored_run.h"
#include "ui/common/paths.h"

namespace ropelab::ui {

RunCheckpoint checkpointOfRun(const LabFile& lab, RunId run) {
    RunCheckpoint checkpoint = run_checkpoint(lab, lab.run(run));
    checkpoint.recorded = -1;
    return checkpoint;
}

bool canEvaluate(const RunView& run) {
    return run.last && !run.imported;
}

std::optional<EvaluatedRun> evaluatedRun(const RunAccess& access, RunId id) {
    if (const ModelMark* model = access.lab.model(id))
        return EvaluatedRun{id, QString::fromStdString(model->name), {}, *model};
    const RunView* run = access.runs.find(id);
    return run && canEvaluate(*run) ? std::optional(EvaluatedRun{id, run->name, run->spec}) : std::nullopt;
}

std::function<Checkpoint()> checkpointReader(const RunAccess& access, const EvaluatedRun& run) {
    if (!run.model) return [file = checkpointOfRun(*access.lab.file(), run.id)] { return readCheckpoint(file); };
    return [model = *run.model, dataDir = access.dataDir] {
        require_same_model(model);
        return readCheckpoint(external_run(model.path, {}, dataDir));
    };
}

QString whyEngineIsBusy(const RunAccess& access) {
    using namespace Qt::StringLiterals;
    return access.session.isActive() || access.meter.isActive()
               ? u"The engine, which evaluates models, is busy with a sweep; try again after the sweep has ended."_s
               : QString();
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

Checkpoint readCheckpoint(const RunCheckpoint& run) {
    auto checkpoint = read_checkpoint(run);
    if (!checkpoint) throw BadInput(whyNoCheckpoint(run));
    return std::move(*checkpoint);
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
