#include "ui/rooms/inspect/inspect_batch.h"

#include <limits>

#include "core/spec/error.h"
#include "ui/rooms/inspect/probe_work.h"

namespace ropelab::ui {

Figure inspectFigureOf(const LabFile* lab, const Runner::EngineSource& engine, const std::filesystem::path& dataDir,
                       const InspectFigure& figure, const InspectMoment& moment) {
    if (!lab) throw BadInput("This lab has no runs to inspect.");
    InspectData data;
    data.run = std::make_shared<const InsideRun>(readInsideRunOrFirst(*lab, moment.run));
    if (moment.ghost != 0) data.ghost = std::make_shared<const InsideRun>(readInsideRun(*lab, moment.ghost));
    data.choices.head = kAutomaticHead;
    data.choices.difference = moment.ghost != 0;
    data.iteration = moment.iteration < 0 ? std::numeric_limits<std::int64_t>::max() : moment.iteration;
    ModelInputs inputs;
    if (!moment.text.isEmpty()) {
        inputs.text = moment.text;
        data.choices.pair = moment.pair;
        data.textRequested = true;
        data.requestedPair = moment.pair;
    }
    inputs.ablation = pair_range(Ablation::Kind::stop, 0, 0);
    if (moment.choices) {
        data.choices = *moment.choices;
        inputs = moment.inputs;
        data.textRequested = !inputs.text.isEmpty();
        data.requestedPair = data.choices.pair;
    }
    computeInput(data, figure.input, inputs, engine, dataDir, [] { return false; });
    Figure result = figure.make(data).figure;
    if (isEmpty(result)) throw BadInput(result.emptyText.toStdString());
    return result;
}

}  // namespace ropelab::ui
