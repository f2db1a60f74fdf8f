// The figures of the Results room, as the command line and exported files request them.
#include <QJsonArray>

#include "core/base/error.h"
#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "core/sweep/lab_results.h"
#include "ui/common/text.h"
#include "ui/rooms/results/figure_pane.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

std::int64_t experimentOf(const QString& typed) {
    if (typed == "all"_L1) return RunSelection::all_experiments;
    if (typed == "latest"_L1) return RunSelection::latest_experiment;
    bool isNumber = false;
    const std::int64_t experiment = typed.toLongLong(&isNumber);
    if (isNumber && experiment > 0) return experiment;
    throw BadInput("--experiment is \"" + typed.toStdString() +
                   "\", but it must be latest, all or the number of an experiment.");
}

std::vector<std::string> conditionsOf(const QString& typed) {
    std::vector<std::string> names;
    for (const QString& name : typed.split(QLatin1Char(','), Qt::SkipEmptyParts)) names.push_back(name.toStdString());
    check_split(names);
    return names;
}

RunId excludedRun(const QString& typed) {
    bool isNumber = false;
    const RunId run = typed.toLongLong(&isNumber);
    if (!isNumber)
        throw BadInput("--exclude-run requires the number of a run, such as 3; got \"" + typed.toStdString() + "\".");
    return run;
}

}  // namespace

namespace option {

using Kind = FigureOption::Kind;

constexpr FigureOption compare{"compare", Kind::text,
                               "The measure that the groups of runs are compared by, for example final_training_loss.",
                               "name"};
constexpr FigureOption test{.name = "test",
                            .kind = Kind::text,
                            .help =
                                "The significance test, also used for confidence intervals: student, welch, paired or "
                                "permutation (signs of the differences per seed); auto chooses it for each comparison: "
                                "paired if its groups share seeds, else welch.",
                            .valueName = "name",
                            .standard = "auto",
                            .check = [](const QString& typed) { test_kind(typed.toStdString()); }};
constexpr FigureOption margin{
    .name = "margin",
    .kind = Kind::text,
    .help =
        "The relevance margin in percent of the baseline's mean, or seeds for the standard deviation of the seeds; "
        "differences within it are called equivalent. Default: the margin that the lab stores, else 0.1.",
    .valueName = "percent",
    .check = [](const QString& typed) { parsed_margin(typed.toStdString()); }};
constexpr FigureOption baseline{
    .name = "baseline",
    .kind = Kind::list,
    .help =
        "A setting, key=value, of the baseline: the group of runs that the other groups are compared with. The figure "
        "loss-fit shows only the runs with this setting. Repeatable.",
    .valueName = "key=value",
    .check = [](const QString& typed) { baseline_settings({typed.toStdString()}); }};
constexpr FigureOption published{"published", Kind::flag,
                                 "Also show the values that papers report for the same data set and model."};
constexpr FigureOption experiment{
    .name = "experiment",
    .kind = Kind::text,
    .help =
        "The experiment (sweep) whose runs are shown: latest, all or the number of an experiment; default: the choice "
        "stored in the lab file.",
    .valueName = "name",
    .standard = "all",
    .check = [](const QString& typed) { experimentOf(typed); }};
constexpr FigureOption unfinished{"unfinished", Kind::flag, "Also include runs that were stopped or failed."};
constexpr FigureOption splitBy{.name = "split-by",
                               .kind = Kind::text,
                               .help =
                                   "Put runs with different precision, device or kernels into separate groups. Several "
                                   "names are separated by commas: precision,device.",
                               .valueName = "names",
                               .check = [](const QString& typed) { conditionsOf(typed); }};
constexpr FigureOption excludeRun{.name = "exclude-run",
                                  .kind = Kind::list,
                                  .help = "The number of a run to exclude from the results; repeatable.",
                                  .valueName = "number",
                                  .check = [](const QString& typed) { excludedRun(typed); }};

}  // namespace option

namespace {

/// Runs of the table, unless an option says otherwise.
RunSelection selectionFor(const FigureRequest& request) {
    RunSelection selection{RunSelection::all_experiments};
    if (!request.isRecorded()) selection = stored_selection(request.sources().lab());
    if (request.has(option::experiment) || request.isRecorded()) {
        selection.experiment = experimentOf(request.text(option::experiment));
    }
    if (const auto split = conditionsOf(request.text(option::splitBy)); !split.empty()) selection.split_by = split;
    selection.unfinished = selection.unfinished || request.has(option::unfinished);
    if (request.has(option::margin)) selection.margin = request.text(option::margin).toStdString();
    for (const QString& run : request.list(option::excludeRun)) selection.excluded.insert(excludedRun(run));
    return selection;
}

Figure requestedFigure(const ResultsFigure& figure, const FigureRequest& request) {
    if (!request.isRecorded() && request.has(option::unit) && request.has(option::compare)) {
        throw BadInput(
            "--unit and --compare both choose the compared measure of a figure of results; use only one, such as "
            "--compare bits_per_byte.");
    }
    const RunAccess access = request.sources().runs();
    const RunSelection selection = selectionFor(request);
    ResultsChoices choices;
    choices.experiment = selection.experiment;
    choices.excluded = selection.excluded;
    apply(selection, choices.options);
    std::vector<std::string> baseline;
    for (const QString& setting : request.list(option::baseline)) baseline.push_back(setting.toStdString());
    choices.options.baseline = baseline_settings(baseline);
    choices.options.test = test_kind(request.text(option::test).toStdString());
    const QString unit = request.text(option::unit);
    if (unit == "bits"_L1) choices.options.compare = "bits_per_character";
    if (unit == "bits-per-byte"_L1) choices.options.compare = "bits_per_byte";
    if (request.has(option::compare)) choices.options.compare = request.text(option::compare).toStdString();
    Results results = resultsOf(access.runs, choices);
    if (!results.baselineProblem.empty()) throw BadInput(results.baselineProblem);
    const bool withPublished = request.has(option::published);
    const int picked = request.view()[u"picked"_s].toInt(-1);
    FigureOrigin origin = resultsOrigin(*access.lab.file(), choices, results, withPublished, picked);
    Figure result = resultsFigureOf(access.lab, access.runs, access.dataDir, figure, std::move(results), withPublished,
                                    picked, !choices.options.baseline.empty());
    result.origin = std::move(origin);
    return result;
}

}  // namespace

FigureOrigin resultsOrigin(const LabFile& lab, const ResultsChoices& choices, const Results& results,
                           bool withPublished, int picked) {
    const bool all = results.experiment == RunSelection::all_experiments;
    const ResultsTable& table = results.table;
    QJsonObject flags{{option::experiment.name, all ? u"all"_s : QString::number(results.experiment)},
                      {option::compare.name, text(measures()[table.compared].name)},
                      {option::test.name, table.test ? text(to_string(*table.test)) : u"auto"_s}};
    if (!choices.options.margin.empty()) flags[option::margin.name] = text(choices.options.margin);
    if (choices.options.unfinished) flags[option::unfinished.name] = true;
    if (withPublished) flags[option::published.name] = true;
    const auto& split = choices.options.split_by;
    if (!split.empty()) flags[option::splitBy.name] = texts(split).join(QLatin1Char(','));
    QJsonArray excluded;
    for (const RunId run : choices.excluded) excluded.append(QString::number(run));
    if (!excluded.isEmpty()) flags[option::excludeRun.name] = excluded;
    QJsonArray baseline;
    for (const auto& [key, value] : choices.options.baseline) baseline.append(text(key + "=" + value));
    if (!baseline.isEmpty() && results.baselineProblem.empty()) flags[option::baseline.name] = baseline;
    FigureOrigin origin{.flags = flags, .lab = labOrigin(lab, results.runs)};
    // Some figures show the selected group, others only highlight it.
    if (table.groups.size() > 1 && picked >= 0) origin.view = {{u"picked"_s, picked}};
    return origin;
}

FigureEntries resultsEntries() {
    FigureEntries entries;
    for (const ResultsFigure& figure : resultsFigures()) {
        entries.push_back(
            {.name = QLatin1String(figure.name),
             .room = u"results"_s,
             .part = QLatin1String(figure.name),
             .title = figure.title,
             .why = figure.why,
             .options = {&option::unit, &option::compare, &option::test, &option::margin, &option::baseline,
                         &option::published, &option::experiment, &option::unfinished, &option::splitBy,
                         &option::excludeRun},
             .make = [&figure](const FigureRequest& request) { return requestedFigure(figure, request); }});
    }
    return entries;
}

}  // namespace ropelab::ui
