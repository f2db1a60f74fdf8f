#include "ui/window/figure_source.h"

#include <QElapsedTimer>
#include <QEventLoop>
#include <QJsonArray>
#include <QTimer>
#include <algorithm>
#include <set>
#include <utility>

#include "core/machine/engine_loader.h"
#include "core/reproduce/sheet_lab.h"
#include "core/spec/error.h"
#include "core/sweep/lab_results.h"
#include "ui/common/paths.h"
#include "ui/common/room.h"
#include "ui/lecture/answers_figure.h"
#include "ui/rooms/anatomy/activation_figure.h"
#include "ui/rooms/anatomy/anatomy_figure.h"
#include "ui/rooms/context/context_figures.h"
#include "ui/rooms/inspect/probe_work.h"
#include "ui/rooms/reproduce/forest_figure.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/rooms/rotation/rotation_figures.h"
#include "ui/rooms/spectrum/encoding_panels.h"
#include "ui/rooms/train/train_room.h"
#include "ui/rotary/comparison.h"
#include "ui/session/lab_origin.h"
#include "ui/window/rotary_figures.h"

namespace ropelab::ui {

namespace {

/// Newest sheet of the lab.
Figure forestPlotOf(const LabDocument& lab, const LaunchOptions& options) {
    const auto sheet = stored_sheet(*lab.file());
    if (!sheet) {
        throw BadInput("The lab " + options.lab.toStdString() +
                       " contains no reproduction sheet, so there are no effects to plot.");
    }
    const std::vector<Claim>& claims = sheet->plan.claims;
    std::string chosen = options.claim;
    for (std::size_t i = 0; i < claims.size(); ++i) {
        if (chosen == std::to_string(i + 1)) chosen = claims[i].id;
    }
    if (!chosen.empty() &&
        std::none_of(claims.begin(), claims.end(), [&](const Claim& claim) { return claim.id == chosen; })) {
        std::string names;
        for (const Claim& claim : claims) names += (names.empty() ? "" : ", ") + claim.id;
        throw BadInput("The sheet " + sheet->plan.sheet + " has no claim \"" + options.claim + "\"; its claims are " +
                       names + ".");
    }
    Figure figure =
        forestFigure(sheet->plan, evaluate(sheet->plan, sheet_runs(*lab.file(), sheet->experiment)), chosen);
    if (figure.curves.empty() && figure.horizontalLines.empty()) throw BadInput(figure.emptyText.toStdString());
    return figure;
}

std::vector<RunId> idsOf(const RunStore& runs) {
    std::vector<RunId> ids;
    for (const RunView& run : runs.runs()) ids.push_back(run.record.id);
    return ids;
}

/// Runs of the table, unless a flag says otherwise.
RunSelection selectionFor(const LabFile& lab, const LaunchOptions& options) {
    if (!options.usesStoredSelection) return options.selection;
    RunSelection selection = stored_selection(lab);
    if (options.isExperimentChosen) selection.experiment = options.selection.experiment;
    if (!options.selection.split_by.empty()) selection.split_by = options.selection.split_by;
    selection.unfinished = selection.unfinished || options.selection.unfinished;
    selection.excluded.insert(options.selection.excluded.begin(), options.selection.excluded.end());
    return selection;
}

/// Runs that the lab's selection includes; for a figure that is computed again, all runs.
std::vector<RunId> selectedIds(const LabFile& lab, const LaunchOptions& options) {
    const RunSelection selection =
        options.usesStoredSelection ? stored_selection(lab) : RunSelection{RunSelection::all_experiments};
    std::vector<RunId> ids;
    for (const RunRecord& run : lab_runs(lab, selection).selected_records()) {
        if (!selection.excluded.contains(run.id)) ids.push_back(run.id);
    }
    return ids;
}

/// Choose the same runs, without the lab's stored selection.
QJsonObject selectionFlags(const RunSelection& selection, const Results& results) {
    const bool all = results.experiment == RunSelection::all_experiments;
    QJsonObject flags{
        {QStringLiteral("experiment"), all ? QStringLiteral("all") : QString::number(results.experiment)}};
    if (selection.unfinished) flags[QStringLiteral("unfinished")] = true;
    for (const std::string& name : selection.split_by) flags[QStringLiteral("split-by")] = QString::fromStdString(name);
    QJsonArray excluded;
    for (const RunId run : selection.excluded) excluded.append(QString::number(run));
    if (!excluded.isEmpty()) flags[QStringLiteral("exclude-run")] = excluded;
    return flags;
}

Figure resultsFigure(Workspace& workspace, const LaunchOptions& options, const ResultsFigure& figure) {
    const RunSelection selection = selectionFor(*workspace.lab().file(), options);
    ResultsChoices choices;
    choices.experiment = selection.experiment;
    choices.excluded = selection.excluded;
    apply(selection, choices.options);
    choices.options.baseline = options.baseline;
    choices.options.test = options.test;
    if (options.unit == QStringLiteral("bits")) choices.options.compare = "bits_per_character";
    if (options.unit == QStringLiteral("bits-per-byte")) choices.options.compare = "bits_per_byte";
    if (!options.compare.empty()) choices.options.compare = options.compare;
    const Results results = resultsOf(workspace.runs(), choices);
    if (results.baselineIsMissing) {
        throw BadInput("No group of runs in this lab has the settings " + assignments_text(options.baseline) +
                       "; the baseline must be one of the groups.");
    }
    Figure result = resultsFigureOf(workspace.lab(), workspace.runs(), workspace.dataDir(), figure, choices,
                                    options.withPublished, options.view[QStringLiteral("picked")].toInt(-1));
    result.origin.lab = labOrigin(*workspace.lab().file(), results.runs);
    result.origin.flags = selectionFlags(selection, results);
    return result;
}

Figure inspectFigureFrom(Workspace& workspace, const LaunchOptions& options, const InspectFigure& figure) {
    InspectMoment moment{options.run, options.beside, options.step, options.text, options.pair};
    if (const QString replay = options.view[QStringLiteral("replay")].toString(); !replay.isEmpty()) {
        const ReplayJob job = parseReplayJob(replay.toStdString());
        moment.choices = job.choices;
        moment.inputs = job.modelInputs;
    }
    Figure result = inspectFigureOf(workspace.lab().file(), workspace.engine(), workspace.dataDir(), figure, moment);
    std::vector<RunId> runs = {options.run};
    if (const QJsonValue shown = result.settings[QStringLiteral("run")]; options.run == 0) runs = {shown.toInteger()};
    if (options.beside != 0) runs.push_back(options.beside);
    result.origin.lab = labOrigin(*workspace.lab().file(), runs);
    return result;
}

Figure trainingFigure(Workspace& workspace, const LaunchOptions& options, const QString& name) {
    const std::vector<RunId> all = idsOf(workspace.runs());
    // Without --runs, the figure shows the runs of the table of results.
    const std::vector<RunId> shown =
        options.runs.empty() ? selectedIds(*workspace.lab().file(), options) : options.runs;
    for (const RunId id : shown) {
        if (!workspace.runs().find(id)) {
            throw BadInput("The lab " + options.lab.toStdString() + " has no run " + std::to_string(id) + ".");
        }
    }
    for (const RunId id : all) {
        const bool isShown = std::find(shown.begin(), shown.end(), id) != shown.end();
        workspace.runs().setVisible(id, isShown);
    }
    Settings& settings = workspace.settings();
    settings.setValue("train/unit", options.unit);
    const QJsonObject& view = options.view;
    settings.setValue("train/smoothing", view[QStringLiteral("smoothing")].toInt());
    settings.setValue("train/logarithmic", view[QStringLiteral("logarithmic")].toBool());
    if (view.contains(QStringLiteral("bands"))) {
        const bool bands = view[QStringLiteral("bands")].toBool();
        settings.setValue("train/bands", bands ? QStringLiteral("on") : QStringLiteral("off"));
    }
    TrainRoom room(workspace, workspace.runAccess(), workspace.experiment(), workspace.settings());
    room.resize(options.size);
    room.showQuantity(
        view[QStringLiteral("quantity")].toString(QString(name).replace(QLatin1Char('-'), QLatin1Char('_'))));
    if (name.endsWith(QStringLiteral("-loss"))) waitUntilDone(room);
    room.refreshNow();
    return room.exportedFigure();
}

Figure answersOf(const LabFile& lab, const LaunchOptions& options) {
    const std::vector<AnsweredQuestion> questions = answered_questions(lab.answers());
    const auto count = static_cast<int>(questions.size());
    if (count == 0) {
        throw BadInput("The lab " + options.lab.toStdString() + " has no answers to questions of lectures.");
    }
    if (options.question > count) {
        throw BadInput("The lab " + options.lab.toStdString() + " has answers to " + std::to_string(count) +
                       " questions, so there is no question " + std::to_string(options.question) +
                       "; \"ropelab-cli lecture answers\" lists them.");
    }
    const int number = options.question == 0 ? count : options.question;
    Figure result = answersFigure(questions[static_cast<std::size_t>(number - 1)]);
    result.origin.flags = {{QStringLiteral("question"), QString::number(number)}};
    return result;
}

Figure labFigure(Workspace& workspace, const LaunchOptions& options, const QString& name) {
    if (name == QLatin1String(kAnswersFigure)) {
        Figure result = answersOf(*workspace.lab().file(), options);
        result.origin.lab = labOrigin(*workspace.lab().file(), {});
        return result;
    }
    if (name == QLatin1String(kForestPlot)) {
        Figure result = forestPlotOf(workspace.lab(), options);
        result.origin.lab = labOrigin(*workspace.lab().file(), idsOf(workspace.runs()));
        return result;
    }
    if (const ResultsFigure* results = findResultsFigure(name)) return resultsFigure(workspace, options, *results);
    if (const InspectFigure* inspect = findInspectFigure(name)) return inspectFigureFrom(workspace, options, *inspect);
    return trainingFigure(workspace, options, name);
}

/// With the learned encodings of the lab if one is given.
Figure encodingsOf(const LaunchOptions& options, const ShapedSetup& a) {
    LearnedPanels learned;
    std::unique_ptr<LabFile> lab;
    if (!options.lab.isEmpty()) {
        lab = LabFile::open(toPath(options.lab), LabFile::Mode::read);
        learned = learnedPanels(*lab, options.encodings.head, encodingDistances(a.setup, options.encodings));
    }
    Figure figure = options.otherSetup ? comparedEncodings(a, {*options.otherSetup, {}}, options.encodings, learned)
                                       : encodingsFigure(a.setup, options.encodings, learned);
    if (!learned.empty()) figure.origin.lab = labOrigin(*lab, runsOf(learned));
    return figure;
}

Figure rotaryFigure(const LaunchOptions& options, const QString& name) {
    const ShapedSetup a{options.setup.value_or(RotarySetup{}), {}};
    const bool isRandom = name == kRandomFigure;
    const bool isText = showsTokens(name) && !options.text.isEmpty();
    const auto withOptions = [&](const RotarySetup& setup) {
        return isRandom ? randomFigure(setup, options.vectors) : rotationFigureOfText(name, setup, options.text);
    };
    if (name == QLatin1String("encodings")) return encodingsOf(options, a);
    if (name == QLatin1String("window-reach")) {
        const Figure figure = reachFigure(a.setup, options.encodings);
        if (!options.otherSetup) return figure;
        const ShapedSetup b{*options.otherSetup, {}};
        return comparedFigure(figure, reachFigure(b.setup, options.encodings), a, b);
    }
    if (!options.otherSetup) {
        return isRandom || isText ? withOptions(a.setup) : findRotaryFigure(name)->make(a.setup, a.shape);
    }
    const ShapedSetup b{*options.otherSetup, {}};
    if (!isRandom && !isText) return findRotaryFigure(name)->ofBoth(a, b);
    return comparedFigure(withOptions(a.setup), withOptions(b.setup), a, b);
}

/// The lab's first run by default. Throws BadInput if the lab has no runs.
RunId namedRun(const LabFile& lab, const LaunchOptions& options) {
    const std::vector<RunRecord> runs = lab.runs();
    if (runs.empty()) throw BadInput("The lab " + options.lab.toStdString() + " contains no runs.");
    return options.run == 0 ? runs.front().id : options.run;
}

AnatomyModel runModel(const LaunchOptions& options) {
    const auto lab = LabFile::open(options.lab.toStdString(), LabFile::Mode::read);
    return model_of_run(*lab, namedRun(*lab, options));
}

Figure stagesFigure(const LaunchOptions& options, const QString& name) {
    if (name == QLatin1String(kActivationFigure)) {
        const auto lab = LabFile::open(toPath(options.lab), LabFile::Mode::read);
        return activationFigureOf(open_engine(), *lab, namedRun(*lab, options), options.stage, options.text,
                                  options.dataDir);
    }
    if (!options.knownModel.isEmpty()) return anatomyFigure({model_of_name(options.knownModel.toStdString())});
    if (!options.hfConfig.isEmpty()) return anatomyFigure({model_of_config(toPath(options.hfConfig))});
    const bool isRun = !options.lab.isEmpty() && options.modelSettings.isEmpty();
    const AnatomyModel model =
        isRun ? runModel(options) : model_of_text(options.modelSettings.toStdString(), options.vocabulary);
    Figure figure = name == QLatin1String(kAnatomyFigure)
                        ? anatomyFigure({model})
                        : anatomyFigure(traditionalAndModern(model.spec.value(), model.vocabulary));
    const QString settings = QString::fromStdString(anatomy_settings(model.spec.value()));
    if (!settings.isEmpty()) figure.origin.flags[QStringLiteral("settings")] = settings;
    figure.origin.flags[QStringLiteral("vocabulary")] = QString::number(model.vocabulary);
    return figure;
}

QJsonObject flagsFor(const QString& name, const Figure& figure, const QJsonObject& all) {
    QStringList applicable;
    const InspectFigure* inspect = findInspectFigure(name);
    if (findRotaryFigure(name)) {
        if (name == kRandomFigure) applicable = {QStringLiteral("mean"), QStringLiteral("correlation")};
        if (showsTokens(name)) applicable = {QStringLiteral("text")};
        if (name == QLatin1String("encodings")) applicable = {QStringLiteral("head"), QStringLiteral("distances")};
        if (name == QLatin1String("window-reach")) {
            applicable = {QStringLiteral("layers"), QStringLiteral("attention-layers")};
        }
    } else if (anatomyFigureNames().contains(name)) {
        applicable = {QStringLiteral("model"), QStringLiteral("hf-config")};
    } else if (name == QLatin1String(kForestPlot)) {
        applicable = {QStringLiteral("claim")};
    } else if (name == QLatin1String(kAnswersFigure)) {
        // The figure's origin has the number of the question.
    } else if (findResultsFigure(name)) {
        applicable = {QStringLiteral("unit"), QStringLiteral("compare"), QStringLiteral("test"),
                      QStringLiteral("baseline"), QStringLiteral("published")};
    } else if (inspect) {
        applicable = {QStringLiteral("run"), QStringLiteral("beside"), QStringLiteral("step")};
        if (inspect->input == InspectFigure::Input::text || inspect->input == InspectFigure::Input::bits) {
            applicable << QStringLiteral("text");
        }
        if (name == QLatin1String("pair-logits")) applicable << QStringLiteral("pair");
    } else {
        applicable = {QStringLiteral("unit")};
    }
    // Of a figure of training: quantity, unit and runs; of results: which runs it shows; of answers: the question.
    QJsonObject flags = figure.origin.flags;
    flags[QStringLiteral("figure")] = name;
    for (const QString& flag : std::as_const(applicable)) {
        if (all.contains(flag)) flags[flag] = all[flag];
    }
    // The setup and the run are named even if they are those that the command line uses by default.
    if (findRotaryFigure(name)) flags[QStringLiteral("setup")] = figure.settings[QStringLiteral("setup")];
    if (inspect) flags[QStringLiteral("run")] = QString::number(figure.settings[QStringLiteral("run")].toInteger());
    return flags;
}

}  // namespace

std::vector<Figure> makeFigures(const LaunchOptions& options) {
    const QTemporaryDir folder;
    std::unique_ptr<Workspace> workspace;
    std::vector<Figure> figures;
    for (const QString& name : options.figures) {
        if (anatomyFigureNames().contains(name)) {
            Figure figure = stagesFigure(options, name);
            figure.origin.flags = flagsFor(name, figure, options.figureFlags);
            figures.push_back(std::move(figure));
            continue;
        }
        const bool isRotary = findRotaryFigure(name) != nullptr;
        if (!isRotary && !workspace) {
            workspace = std::make_unique<Workspace>(temporaryOptions(folder, options, {}));
            workspace->lab().open(options.lab, true);
        }
        if (!isRotary && name != QLatin1String(kAnswersFigure)) {
            if (workspace->runs().runs().empty()) {
                throw BadInput("The lab " + options.lab.toStdString() +
                               " contains no runs, so there is nothing to plot.");
            }
        }
        Figure figure = isRotary ? rotaryFigure(options, name) : labFigure(*workspace, options, name);
        figure.origin.flags = flagsFor(name, figure, options.figureFlags);
        figures.push_back(std::move(figure));
    }
    return figures;
}

WorkspaceOptions temporaryOptions(const QTemporaryDir& folder, const LaunchOptions& options,
                                  Runner::EngineSource engine) {
    return {.settingsFile = folder.filePath(QStringLiteral("settings.ini")),
            .labsFolder = folder.filePath(QStringLiteral("labs")),
            .dataDir = options.dataDir,
            .engine = std::move(engine)};
}

void waitUntilDone(const Room& room) {
    constexpr int longestMs = 120'000;
    constexpr int stepMs = 50;
    QElapsedTimer since;
    since.start();
    while (room.isBusy() && since.elapsed() < longestMs) {
        QEventLoop loop;
        QTimer::singleShot(stepMs, &loop, &QEventLoop::quit);
        loop.exec();
    }
}

}  // namespace ropelab::ui
