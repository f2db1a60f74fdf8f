// The figures of the Inspect room, as the command line and exported files request them.
#include <QJsonDocument>

#include "core/base/error.h"
#include "ui/figures/job_fields.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/inspect/replay_job.h"
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
constexpr FigureOption rows{.name = "rows",
                            .kind = FigureOption::Kind::choice,
                            .help =
                                "Rows of a heat map: layers, all-heads (each head of all layers), or sorted (these in "
                                "the order of their strongest pair); --layer shows the heads of one layer.",
                            .valueName = "name",
                            .standard = "layers",
                            .words = "layers|all-heads|sorted"};
constexpr FigureOption model{.name = "model",
                             .kind = FigureOption::Kind::text,
                             .help =
                                 "A model that others trained, instead of a run: a folder with config.json and "
                                 "weights, a folder of such folders (the checkpoints of a training), or a file of "
                                 "weights (safetensors, GGUF); of the figure anatomy, the name of a known model.",
                             .valueName = "folder or file",
                             .namesFile = true};
constexpr FigureOption textFile{.name = "text-file",
                                .kind = FigureOption::Kind::text,
                                .help =
                                    "With --model: the text on which the model is measured, a file or the name of a "
                                    "data set (default: the program's guide).",
                                .valueName = "file",
                                .namesFile = true};
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

/// The choices of the window that exported the figure; nullopt for a request of the command line.
std::optional<InspectRequest> recordedChoices(const QJsonObject& view) {
    if (const QJsonValue replay = view[u"replay"_s]; replay.isString()) {  // of earlier versions
        return parseReplayJob(replay.toString().toStdString());
    }
    const QJsonValue choices = view[kRecordedChoices];
    if (!choices.isObject()) return std::nullopt;
    return readJob<InspectRequest>(QJsonDocument(choices.toObject()).toJson().toStdString(), "The record of a figure");
}

InspectRequest requestOf(const InspectFigure& figure, const FigureRequest& request) {
    InspectRequest result{
        .run = request.whole(option::run),
        .model = request.text(option::model),
        .modelText = request.text(option::textFile),
        .beside = request.whole(option::beside),
        .iteration = request.whole(option::step),
        .modelInputs = {.text = request.text(option::text), .ablation = pair_range(Ablation::Kind::stop, 0, 0)},
        .flags = request.flags()};
    InspectChoices& choices = result.choices;
    if (const auto recorded = recordedChoices(request.view())) {
        choices = recorded->choices;
        result.modelInputs = recorded->modelInputs;
        result.flags = recorded->flags;
        return result;
    }
    if (request.has(option::layer)) choices.layer = request.whole(option::layer);
    choices.head = request.has(option::head) ? request.whole(option::head) : kAutomaticHead;
    const QString rows = request.text(option::rows);
    if (figure.hasRows() && choices.layer >= 0) choices.rows = InspectRows::headsOfLayer;
    if (rows == "all-heads"_L1) choices.rows = InspectRows::allHeads;
    if (rows == "sorted"_L1) choices.rows = InspectRows::sorted;
    choices.difference = result.beside != 0;
    if (!result.modelInputs.text.isEmpty()) choices.pair = static_cast<int>(request.whole(option::pair));
    return result;
}

Figure requestedFigure(const InspectFigure& figure, const FigureRequest& request) {
    const InspectRequest asked = requestOf(figure, request);
    FigureSources& sources = request.sources();
    const bool needsLab = asked.model.isEmpty() || !sources.labPath().isEmpty();
    return inspectFigureOf(needsLab ? sources.runs().lab.file() : nullptr, sources.engine(), sources.dataDir(), figure,
                           asked);
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
                          .options = {&option::run, &option::beside, &option::step, &option::model, &option::textFile},
                          .make = [&figure](const FigureRequest& request) { return requestedFigure(figure, request); },
                          .check = figure.check};
        if (figure.controls != Controls::none) entry.options.push_back(&option::layer);
        if (figure.controls != Controls::none && figure.controls != Controls::layer) {
            entry.options.push_back(&option::head);
        }
        if (figure.need && (figure.need->fields & InspectNeed::textField) != 0) entry.options.push_back(&option::text);
        entry.options.insert(entry.options.end(), figure.options.begin(), figure.options.end());
        if (figure.hasRows()) {
            entry.options.push_back(&option::rows);
            entry.check = [](const FigureRequest& request) {
                const bool hasRows = request.has(option::rows);
                if (hasRows && (request.has(option::layer) || request.has(option::head)))
                    throw BadInput("--rows shows all layers and heads; leave out --layer and --head.");
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
