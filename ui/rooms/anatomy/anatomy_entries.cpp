// The figures of a model's stages, as the command line and exported files request them.
#include "core/base/error.h"
#include "core/report/anatomy_report.h"
#include "ui/common/paths.h"
#include "ui/common/text.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/rooms/anatomy/anatomy_figure.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace option {

using Kind = FigureOption::Kind;

constexpr FigureOption settings{
    "settings", Kind::text,
    "The settings of the model, for example \"layers=4 block=llama\"; default: the settings of the run that --lab and "
    "--run name, or without --lab those of a new sweep.",
    "text"};
constexpr FigureOption model{"model", Kind::text, "The name of a known model, for example \"Llama 3 8B\".", "name"};
constexpr FigureOption hfConfig{"hf-config", Kind::text, "A config.json of Hugging Face.", "file", "", 0, 0,
                                nullptr,     true};
constexpr FigureOption vocabulary{
    "vocabulary", Kind::whole, "The number of tokens in the vocabulary; 0: the size of the data set's vocabulary.",
    "number",     "0",         0,
    1 << 24};
constexpr FigureOption stage{"stage", Kind::text,
                             "The stage of the model whose output is shown: its id, layer and head, for example "
                             "attention.weights/0/1.",
                             "stage", "attention.output"};

}  // namespace option

namespace {

// Keys of FigureOrigin::view: the name that the summary says, such as that of a run, and AnatomyView.
const QString kName = u"name"_s;
const QString kFolded = u"folded"_s;
const QString kPicked = u"picked"_s;

void checkModel(const FigureRequest& request) {
    const bool hasLab = !request.sources().labPath().isEmpty();
    const bool isPublished = request.has(option::model) || request.has(option::hfConfig);
    QStringList sources = hasLab ? QStringList{u"--lab"_s} : QStringList();
    for (const FigureOption* source : {&option::settings, &option::model, &option::hfConfig}) {
        if (request.has(*source)) sources << u"--"_s + QLatin1String(source->name);
    }
    // The settings of a lab's run are those of an exported figure.
    if (sources.size() > 1) {
        throw BadInput(sources.join(u" and "_s).toStdString() + " each name a model; use only one of them.");
    }
    if (request.has(option::vocabulary) && (isPublished || hasLab)) {
        throw BadInput(isPublished ? "--vocabulary applies to --settings; a published model has its own vocabulary."
                                   : "--vocabulary applies to --settings; a run has its own vocabulary.");
    }
    if (request.has(option::run) && !hasLab) throw BadInput("--run names a run of a lab; add --lab FILE.");
}

/// The lab's first run by default. Throws BadInput if the lab has no runs.
RunId namedRun(const LabFile& lab, const FigureRequest& request) {
    const std::vector<RunRecord> runs = lab.runs();
    if (runs.empty()) {
        throw BadInput("The lab " + request.sources().labPath().toStdString() + " contains no runs.");
    }
    const RunId run = request.whole(option::run);
    return run == 0 ? runs.front().id : run;
}

AnatomyModel requestedModel(const FigureRequest& request) {
    if (request.has(option::model)) return model_of_name(request.text(option::model).toStdString());
    if (request.has(option::hfConfig)) return model_of_config(toPath(request.text(option::hfConfig)));
    if (!request.sources().labPath().isEmpty() && !request.has(option::settings)) {
        const LabFile& lab = request.sources().lab();
        return model_of_run(lab, namedRun(lab, request));
    }
    return model_of_text(request.text(option::settings).toStdString(), request.whole(option::vocabulary));
}

template <bool isPair>
Figure requestedAnatomy(const FigureRequest& request) {
    AnatomyModel model = requestedModel(request);
    const QJsonObject& recorded = request.view();
    if (recorded.contains(kName)) model.name = recorded[kName].toString().toStdString();
    const AnatomyView view{.isFolded = recorded[kFolded].toBool(), .picked = recorded[kPicked].toString()};
    Figure figure = isPair ? anatomyFigure(traditionalAndModern(model.spec.value(), model.vocabulary), view)
                           : anatomyFigure({model}, view);
    figure.origin = anatomyOrigin(model, view);
    return figure;
}

void checkStage(const FigureRequest& request) {
    const bool isPlaced = request.text(option::stage).contains(QLatin1Char('/'));
    if (isPlaced && (request.has(option::layer) || request.has(option::head))) {
        throw BadInput("--stage names the layer and the head already; leave out --layer and --head.");
    }
    if (request.has(option::head) && !request.has(option::layer)) {
        throw BadInput("--head names a head of a layer; add --layer.");
    }
}

/// The origin has the stage with its layer and head.
Figure requestedActivation(const FigureRequest& request) {
    const LabFile& lab = request.sources().lab();
    QString stage = request.text(option::stage);
    for (const FigureOption* place : {&option::layer, &option::head}) {
        if (request.has(*place)) stage += QLatin1Char('/') + request.text(*place);
    }
    Figure figure = activationFigureOf(request.sources().engine()(), lab, namedRun(lab, request), stage,
                                       request.text(option::text), request.sources().dataDir());
    for (const FigureOption* place : {&option::layer, &option::head}) {
        figure.origin.flags[place->name] = QJsonValue::Null;
    }
    return figure;
}

}  // namespace

FigureOrigin anatomyOrigin(const AnatomyModel& model, const AnatomyView& view) {
    FigureOrigin origin;
    origin.view = {{kName, text(model.name)}, {kFolded, view.isFolded}, {kPicked, view.picked}};
    if (!model.spec) return origin;
    const QString settings = text(anatomy_settings(*model.spec));
    origin.flags = {{option::run.name, QJsonValue::Null},
                    {option::settings.name, settings.isEmpty() ? QJsonValue::Null : QJsonValue(settings)},
                    {option::vocabulary.name, QString::number(model.vocabulary)}};
    return origin;
}

FigureEntries anatomyEntries() {
    using Lab = FigureEntry::Lab;
    const QString room = u"anatomy"_s;
    const QString stages = u"stages"_s;
    return {{.name = QLatin1String(kAnatomyFigure),
             .room = room,
             .part = stages,
             .options = {&option::run, &option::settings, &option::model, &option::hfConfig, &option::vocabulary},
             .lab = Lab::optional,
             .make = requestedAnatomy<false>,
             .check = checkModel},
            {.name = QLatin1String(kComparedAnatomyFigure),
             .room = room,
             .part = QLatin1String(kComparedAnatomyFigure),
             .options = {&option::run, &option::settings, &option::vocabulary},
             .lab = Lab::optional,
             .make = requestedAnatomy<true>,
             .check = checkModel},
            {.name = QLatin1String(kActivationFigure),
             .room = room,
             .part = stages,
             .options = {&option::run, &option::stage, &option::layer, &option::head, &option::text},
             .make = requestedActivation,
             .check = checkStage}};
}

}  // namespace ropelab::ui
