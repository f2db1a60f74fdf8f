#include "ui/inspect/inspect_batch.h"

#include <limits>

#include "core/spec/error.h"
#include "ui/inspect/probe_work.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

Figure inspectFigureOf(Workspace& workspace, const InspectFigure& figure, const InspectMoment& moment) {
    using Reads = InspectFigure::Reads;
    const LabFile* lab = workspace.lab().file();
    const std::vector<RunRecord> runs = lab ? lab->runs() : std::vector<RunRecord>();
    if (runs.empty()) throw BadInput("This lab has no runs to look into.");
    const auto read = [&](RunId id) {
        for (const RunRecord& run : runs) {
            if (run.id == id) return std::make_shared<const InsideRun>(readInsideRun(*lab, id));
        }
        throw BadInput("There is no run " + std::to_string(id) + " in this lab; its runs are " +
                       std::to_string(runs.front().id) + " to " + std::to_string(runs.back().id) + ".");
    };
    InspectData data;
    data.run = read(moment.run == 0 ? runs.front().id : moment.run);
    if (moment.ghost != 0) data.ghost = read(moment.ghost);
    data.choices.difference = moment.ghost != 0;
    data.iteration = moment.iteration < 0 ? std::numeric_limits<std::int64_t>::max() : moment.iteration;
    const Cancelled never = [] { return false; };
    const auto engine = [&workspace]() -> Engine& { return workspace.engine()(); };
    if (figure.reads == Reads::knockOut) {
        data.knockOut =
            askKnockOut(engine(), *data.run, pair_range(KnockOut::Kind::stop, 0, 0), workspace.dataDir(), never);
    } else if (figure.reads == Reads::knockOutCurve) {
        data.knockOutCurve = askKnockOutCurve(engine(), *data.run, KnockOut::Kind::stop, workspace.dataDir(), never);
    } else if (figure.reads == Reads::beyond) {
        data.beyond = askBeyond(engine(), *data.run, 4, workspace.dataDir(), never);
    } else if (figure.reads == Reads::fineTuning) {
        const auto always = [](std::int64_t) { return true; };
        data.fineTunings = {askFineTuning(engine(), *data.run, data.fineTuning, workspace.dataDir(), always)};
    }
    Figure made = figure.make(data).figure;
    if (isEmpty(made)) throw BadInput(made.emptyText.toStdString());
    return made;
}

}  // namespace ropelab::ui
