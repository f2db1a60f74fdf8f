#include "ui/inspect/inspect_batch.h"

#include <limits>

#include "core/spec/error.h"
#include "ui/inspect/probe_work.h"
#include "ui/window/workspace.h"

namespace ropelab::ui {

Figure inspectFigureOf(Workspace& workspace, const InspectFigure& figure, const InspectMoment& moment) {
    const LabFile* lab = workspace.lab().file();
    if (!lab) throw BadInput("This lab has no runs to look into.");
    InspectData data;
    data.run = std::make_shared<const InsideRun>(readInsideRunOrFirst(*lab, moment.run));
    if (moment.ghost != 0) data.ghost = std::make_shared<const InsideRun>(readInsideRun(*lab, moment.ghost));
    data.choices.difference = moment.ghost != 0;
    data.iteration = moment.iteration < 0 ? std::numeric_limits<std::int64_t>::max() : moment.iteration;
    ModelQuestions questions;
    if (!moment.text.isEmpty()) {
        questions.text = moment.text;
        data.choices.pair = moment.pair;
        data.textAsked = true;
        data.askedPair = moment.pair;
    }
    questions.knockOut = pair_range(KnockOut::Kind::stop, 0, 0);
    askModel(data, figure.reads, questions, workspace.engine(), workspace.dataDir(), [] { return false; });
    Figure made = figure.make(data).figure;
    if (isEmpty(made)) throw BadInput(made.emptyText.toStdString());
    return made;
}

}  // namespace ropelab::ui
