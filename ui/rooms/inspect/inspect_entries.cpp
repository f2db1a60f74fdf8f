// The figures of the Inspect room, as the command line and exported files request them.
#include "core/base/error.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/inspect/replay_job.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace option {

constexpr FigureOption beside{"beside",
                              FigureOption::Kind::whole,
                              "The number of a second run to compare with; heat maps show the first run "
                              "minus the second.",
                              "number",
                              "0",
                              0,
                              kMostRuns};
constexpr FigureOption step{"step",
                            FigureOption::Kind::whole,
                            "The training step to show: the figure uses the newest snapshot up to this step; default: "
                            "the newest snapshot.",
                            "number",
                            "-1",
                            -1,
                            kMostRuns};

}  // namespace option

namespace {

using Controls = InspectFigure::Controls;

Figure requestedFigure(const InspectFigure& figure, const FigureRequest& request) {
    const RunAccess access = request.sources().runs();
    InspectMoment moment{.run = request.whole(option::run),
                         .ghost = request.whole(option::beside),
                         .iteration = request.whole(option::step),
                         .text = request.text(option::text),
                         .pair = static_cast<int>(request.whole(option::pair)),
                         .flags = request.flags()};
    if (request.has(option::layer)) moment.layer = request.whole(option::layer);
    if (request.has(option::head)) moment.head = request.whole(option::head);
    if (const QString replay = request.view()[u"replay"_s].toString(); !replay.isEmpty()) {
        const ReplayJob job = parseReplayJob(replay.toStdString());
        moment.choices = job.choices;
        moment.inputs = job.modelInputs;
    }
    const LabFile* lab = access.lab.file();
    Figure result = inspectFigureOf(lab, request.sources().engine(), access.dataDir, figure, moment);
    // The run is named even if it is that of the command line by default.
    const RunId run = result.settings[u"run"_s].toInteger();
    std::vector<RunId> runs = {moment.run == 0 ? run : moment.run};
    if (moment.ghost != 0) runs.push_back(moment.ghost);
    result.origin = {.flags = {{option::run.name, QString::number(run)}}, .lab = labOrigin(*lab, runs)};
    return result;
}

}  // namespace

FigureEntries inspectEntries() {
    FigureEntries entries;
    for (const InspectFigure& figure : inspectFigures()) {
        FigureEntry entry{.name = QLatin1String(figure.name),
                          .room = u"inspect"_s,
                          .part = QLatin1String(figure.name),
                          .title = figure.title,
                          .why = figure.why,
                          .options = {&option::run, &option::beside, &option::step},
                          .make = [&figure](const FigureRequest& request) { return requestedFigure(figure, request); },
                          .check = figure.check};
        if (figure.controls != Controls::none) entry.options.push_back(&option::layer);
        if (figure.controls != Controls::none && figure.controls != Controls::layer) {
            entry.options.push_back(&option::head);
        }
        if (figure.need && (figure.need->fields & InspectNeed::textField) != 0) entry.options.push_back(&option::text);
        entry.options.insert(entry.options.end(), figure.options.begin(), figure.options.end());
        if (figure.hasRows()) {
            entry.check = [](const FigureRequest& request) {
                if (!request.has(option::layer) || !request.has(option::head)) return;
                throw BadInput(
                    "The figure " + request.name().toStdString() +
                    " has one row per layer, or with --layer one row per head; use only one of --layer and --head.");
            };
        }
        entries.push_back(std::move(entry));
    }
    return entries;
}

}  // namespace ropelab::ui
