#include "ui/rooms/train/figures/training_figures.h"

#include <QJsonDocument>
#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/data/corpus.h"
#include "core/data/synthetic/language.h"
#include "core/experiment/halving.h"
#include "core/forecast/likely_data.h"
#include "core/results/run_selection.h"
#include "core/store/run_settings.h"
#include "core/sweep/lab_results.h"
#include "ui/plot/curve_plot.h"
#include "ui/rooms/train/run_scope.h"
#include "ui/session/lab_origin.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace option {

void checkRuns(const QString& typed);

constexpr FigureOption runs{
    .name = "runs",
    .kind = FigureOption::Kind::text,
    .help = "The numbers of the runs to show, separated by commas; default: the runs that the results include.",
    .valueName = "numbers",
    .check = checkRuns};

std::vector<RunId> idsIn(const QString& typed) {
    std::vector<RunId> runs;
    for (const QString& part : typed.split(QLatin1Char(','))) {
        bool isNumber = false;
        runs.push_back(part.trimmed().toLongLong(&isNumber));
        if (!isNumber || runs.back() <= 0) {
            throw BadInput("--runs requires the numbers of runs, separated by commas, for example 1,2,5; got \"" +
                           typed.toStdString() + "\".");
        }
    }
    return runs;
}

void checkRuns(const QString& typed) {
    idsIn(typed);
}

}  // namespace option

namespace {

std::optional<double> findFloor(const RunSpec& spec, const Cancelled& cancelled) {
    const auto floor = entropy_floor_of(spec, cancelled);
    return floor ? std::optional(floor->mean) : std::nullopt;
}

template <typename T>
QList<double> toList(const std::vector<T>& values) {
    return {values.begin(), values.end()};
}

/// A visible run that waits for its first step has no curve.
bool isShown(const RunView& run) {
    return run.visible && (run.record.iteration > 0 || run.last);
}

bool tokenizersDiffer(const std::vector<RunView>& runs) {
    const auto settingsOfTokenizer = [](const RunSpec& spec) {
        return std::tuple(spec.tokenizer, spec.tokenizer_file, spec.has_subwords() ? spec.largest_vocabulary() : 0);
    };
    std::map<std::string, const RunView*> firsts;  // by data set
    for (const RunView& run : runs) {
        if (!run.visible) continue;
        const RunView*& known = firsts[run.spec.data];
        if (!known) known = &run;
        const RunView& first = *known;
        const bool areKnown = !run.record.vocabulary.empty() && !first.record.vocabulary.empty();
        if (areKnown ? run.record.vocabulary != first.record.vocabulary
                     : settingsOfTokenizer(run.spec) != settingsOfTokenizer(first.spec)) {
            return true;
        }
    }
    return false;
}

constexpr int kStepSmoothing = 95;  // in percent, of values of every step in a figure without a choice

/// The runs of --runs, else those that the table of results includes; of a figure that is computed again, all runs.
std::vector<RunId> requestedRuns(const FigureRequest& request, const LabFile& lab) {
    if (request.has(option::runs)) return option::idsIn(request.text(option::runs));
    const RunSelection selection =
        request.isRecorded() ? RunSelection{RunSelection::all_experiments} : stored_selection(lab);
    std::vector<RunId> ids;
    for (const RunRecord& run : lab_runs(lab, selection).selected_records()) {
        if (!selection.excluded.contains(run.id)) ids.push_back(run.id);
    }
    return ids;
}

void showOnly(RunStore& runs, const std::vector<RunId>& shown, const QString& lab) {
    for (const RunId id : shown) {
        if (runs.find(id)) continue;
        throw BadInput("The lab " + lab.toStdString() + " has no run " + std::to_string(id) + ".");
    }
    const std::set<RunId> ids(shown.begin(), shown.end());
    runs.setVisible([&](const RunView& run) { return ids.contains(run.record.id); });
}

Figure trainingFigure(const FigureRequest& request) {
    const RunAccess access = request.sources().runs();
    RunStore& runs = access.runs;
    showOnly(runs, requestedRuns(request, request.sources().lab()), request.sources().labPath());
    const QJsonObject& view = request.view();
    const QString own = request.name().replace(QLatin1Char('-'), QLatin1Char('_'));
    const QString id = view[u"quantity"_s].toString(own);
    const CurveView* quantities = findCurveView(id);
    if (!quantities || quantities->quantities.empty()) {
        throw BadInput("The page Train plots no quantity \"" + id.toStdString() + "\" against training steps.");
    }
    CurvePlot plot;
    const std::array<CurvePlot*, 1> plots = {&plot};
    plot.setShownQuantities(quantities->quantities);
    showRuns(plots, runs);
    showSteps(plot, runs, request.sources().lab());
    showExtent(plots, runs);
    plot.setLossUnit(lossUnit(request.text(option::unit)));
    // Losses and norms of single steps are noise in which the curves cannot be told apart.
    const Quantity first = quantities->quantities.front();
    const bool isNoisy =
        (first == Quantity::gradient_norm || first == Quantity::training_loss) && !request.isRecorded();
    const int smoothing = view[u"smoothing"_s].toInt(isNoisy ? kStepSmoothing : 0);
    plot.setSmoothing(smoothing / 100.0);
    const bool isEarlier = request.isRecorded() && !view.contains(u"smoother"_s);
    if (isEarlier) plot.setSmoothingKind(Smoothing::average);
    plot.setYLogarithmic(view[u"logarithmic"_s].toBool());
    const std::vector<CurveGroup> groups = seedGroups(runs);
    if (anyRepeats(groups) && view[u"bands"_s].toBool(runs.runs().size() > kMaxCurves)) {
        plot.setGroups(groups);
    }
    if (const auto spec = specWithFloor(runs); spec && isLoss(quantities->quantities.front())) {
        plot.setFloor(EntropyFloorJob::now(*spec), u"entropy floor"_s);
    }
    plot.setSettings(shownSettings(runs));
    Figure figure = plot.toFigure();
    figure.origin = trainingOrigin(request.sources().lab(), runs, *quantities, request.text(option::unit), smoothing,
                                   plot.isYLogarithmic(), !plot.groups().empty());
    return figure;
}

}  // namespace

const std::vector<CurveView>& curveViews() {
    static const std::vector<CurveView> all = {
        {"validation_loss", {Quantity::validation_loss}},
        {"training_loss", {Quantity::training_loss}},
        {"losses", {Quantity::validation_loss, Quantity::training_loss}},
        {"learning_rate", {Quantity::learning_rate}},
        {"gradient_norm", {Quantity::gradient_norm}},
        {"tokens_per_second", {Quantity::tokens_per_second}},
        {"roofline", {}},
    };
    return all;
}

const CurveView* findCurveView(const QString& id) {
    const std::string given = id.toStdString();
    const std::string_view current = current_name(Alias::Kind::quantity, given);
    const auto& all = curveViews();
    const auto found = std::find_if(all.begin(), all.end(), [&](const CurveView& view) { return current == view.id; });
    return found == all.end() ? nullptr : &*found;
}

std::optional<std::size_t> showRuns(std::span<CurvePlot* const> plots, const RunStore& runs, std::size_t first,
                                    std::size_t most) {
    const std::span all = std::span(runs.runs()).subspan(std::min(first, runs.runs().size()));
    QList<double> steps;
    for (const RunView& run : all.first(std::min(most, all.size()))) {
        const RunId id = run.record.id;
        bool isNew = false;
        for (CurvePlot* plot : plots) {
            isNew = plot->addRun(id, run.name, run.ink);
            showState(*plot, run);
        }
        if (!isNew) continue;
        const auto& evaluations = run.evaluations;
        if (!std::ranges::equal(evaluations.iteration, steps)) steps = toList(evaluations.iteration);
        plots.front()->setCurve({id, Quantity::validation_loss}, steps, toList(evaluations.validation_loss));
    }
    if (most < all.size()) return first + most;
    if (plots.front()->runCount() == runs.runs().size()) return std::nullopt;
    for (const RunId run : plots.front()->runs()) {
        if (runs.find(run)) continue;
        for (CurvePlot* plot : plots) plot->removeRun(run);
    }
    return std::nullopt;
}

namespace {

constexpr std::array<std::pair<Quantity, LabFile::StepValues>, 3> kStepQuantities = {
    {{Quantity::training_loss, &RunMetrics::Steps::training_loss},
     {Quantity::gradient_norm, &RunMetrics::Steps::gradient_norm},
     {Quantity::learning_rate, &RunMetrics::Steps::learning_rate}}};

/// Runs with equal iterations share them: `iterations` are those of the run before.
void readCurve(CurvePlot& plot, RunId run, const LabFile& lab, const auto& quantity, QList<double>& iterations) {
    if (plot.hasCurve({run, quantity.first})) return;
    const RunMetrics::Steps steps = lab.steps(run, quantity.second);
    if (!std::ranges::equal(steps.iteration, iterations)) iterations = toList(steps.iteration);
    plot.setCurve({run, quantity.first}, iterations, toList(steps.*quantity.second));
}

}  // namespace

std::optional<std::set<RunId>> runsToPaint(const RunStore& runs, const std::vector<CurveGroup>& groups, RunId picked) {
    constexpr std::size_t most = 50;
    std::vector<std::pair<double, std::vector<RunId>>> curves;
    const auto add = [&](const std::vector<RunId>& members) {
        double sum = 0;
        for (const RunId member : members) {
            const RunView* run = runs.find(member);
            sum += run->best ? run->best->validation_loss : std::numeric_limits<double>::infinity();
        }
        curves.emplace_back(sum / static_cast<double>(members.size()), members);
    };
    for (const CurveGroup& group : groups) add(group.runs);
    if (groups.empty()) {
        for (const RunView& run : runs.runs()) {
            if (run.visible) add({run.record.id});
        }
    }
    if (curves.size() <= most) return std::nullopt;
    std::ranges::stable_sort(curves, {}, [](const auto& curve) { return curve.first; });
    std::set<RunId> painted;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        const std::vector<RunId>& own = curves[i].second;
        if (i < most || std::ranges::find(own, picked) != own.end()) painted.insert(own.begin(), own.end());
    }
    return painted;
}

bool showSteps(CurvePlot& plot, const RunStore& runs, const LabFile& lab, const std::optional<std::set<RunId>>& only,
               int most) {
    QList<double> iterations;
    for (const auto& quantity : kStepQuantities) {
        const auto& shown = plot.shownQuantities();
        if (std::find(shown.begin(), shown.end(), quantity.first) == shown.end()) continue;
        for (const RunView& run : runs.runs()) {
            if (!run.visible || (only && !only->contains(run.record.id))) continue;
            if (plot.hasCurve({run.record.id, quantity.first})) continue;
            if (most-- == 0) return false;
            readCurve(plot, run.record.id, lab, quantity, iterations);
        }
    }
    return true;
}

void readSteps(CurvePlot& plot, RunId run, const LabFile& lab) {
    QList<double> iterations;
    for (const auto& quantity : kStepQuantities) readCurve(plot, run, lab, quantity, iterations);
}

void showState(CurvePlot& plot, const RunView& run) {
    const RunState state = run.record.state;
    plot.setState(run.record.id, {.visible = run.visible,
                                  .failed = state == RunState::failed,
                                  .ended = state == RunState::finished || state == RunState::stopped,
                                  .rung = stopped_at_rung(run.record).value_or(0),
                                  .bytesPerToken = run.record.bytes_per_token});
}

QJsonObject shownSettings(const RunStore& runs) {
    std::map<std::string, std::set<nlohmann::json>> values;
    for (const RunView& run : runs.runs()) {
        if (!isShown(run)) continue;
        const nlohmann::json settings = to_json(run.spec);
        for (const auto& [key, value] : settings.items()) values[key].insert(value);
    }
    nlohmann::json result = nlohmann::json::object();
    const nlohmann::json standard = to_json(RunSpec());
    for (const auto& [key, each] : values) {
        if (each.size() > 1) {
            result[key] = each;
        } else if (!standard.contains(key) || *each.begin() != standard.at(key)) {
            result[key] = *each.begin();
        }
    }
    return QJsonDocument::fromJson(QByteArray::fromStdString(result.dump())).object();
}

bool showExtent(std::span<CurvePlot* const> plots, const RunStore& runs) {
    double horizon = 0;
    std::set<std::int64_t> rungs;
    bool areImported = false;
    for (const RunView& run : runs.runs()) {
        if (!run.visible) continue;
        horizon = std::max(horizon, static_cast<double>(run.spec.iterations));
        rungs.insert(run.rungs.begin(), run.rungs.end());
        areImported = areImported || run.imported;
    }
    const bool differ = tokenizersDiffer(runs.runs());
    for (CurvePlot* plot : plots) {
        plot->setHorizon(horizon);
        plot->setRungs({rungs.begin(), rungs.end()});
        plot->setTokenizersDiffer(differ);
        plot->setLossUnitKnown(!areImported);
    }
    return differ;
}

EntropyFloorJob::EntropyFloorJob(QObject* parent, Find find)
    : QObject(parent), m_find(find ? std::move(find) : Find(&findFloor)) {}

void EntropyFloorJob::ask(const std::optional<RunSpec>& spec) {
    const std::string key = spec ? keyOf(*spec) : std::string();
    if (key == m_asked) return;
    m_asked = key;
    m_job.cancel();
    const auto known = m_known.find(key);
    emit found(known == m_known.end() ? std::nullopt : known->second);
    if (!spec || !find_language(spec->data) || known != m_known.end()) return;
    m_job.start([this, key, find = m_find, run = *spec](const Cancelled& cancelled) -> std::function<void()> {
        std::optional<double> nats;
        try {
            nats = find(run, cancelled);
        } catch (const std::exception&) {
            nats = std::nullopt;  // Training reports why the data set cannot be opened.
        }
        return [this, key, nats] {
            m_known[key] = nats;
            emit found(nats);
        };
    });
}

std::optional<double> EntropyFloorJob::now(const RunSpec& spec) {
    try {
        return find_language(spec.data) ? findFloor(spec, {}) : std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

namespace {

auto settingsOfFloor(const RunSpec& spec) {
    return std::tie(spec.data, spec.data_seed, spec.data_length, spec.context, spec.split);
}

}  // namespace

std::string EntropyFloorJob::keyOf(const RunSpec& spec) {
    const auto& [data, seed, length, context, split] = settingsOfFloor(spec);
    return data + '|' + std::to_string(seed) + '|' + std::to_string(length) + '|' + std::to_string(context) + '|' +
           std::to_string(static_cast<int>(split));
}

std::optional<RunSpec> specWithFloor(const RunStore& runs) {
    const RunSpec* common = nullptr;
    for (const RunView& run : runs.runs()) {
        if (!run.visible) continue;
        if (run.imported) return std::nullopt;  // its data are not known
        if (common && settingsOfFloor(*common) != settingsOfFloor(run.spec)) return std::nullopt;
        common = &run.spec;
    }
    return common ? std::optional(*common) : std::nullopt;
}

std::vector<RunId> shownRuns(const RunStore& runs) {
    std::vector<RunId> shown;
    for (const RunView& run : runs.runs()) {
        if (isShown(run)) shown.push_back(run.record.id);
    }
    return shown;
}

FigureOrigin trainingOrigin(const LabFile& lab, const RunStore& runs, const CurveView& view, const QString& unit,
                            int smoothing, bool isLogarithmic, bool hasBands) {
    const std::vector<RunId> shown = shownRuns(runs);
    QStringList ids;
    for (const RunId id : shown) ids << QString::number(id);
    return {.flags = {{u"figure"_s, nameOf(view.quantities.front()).replace(QLatin1Char(' '), QLatin1Char('-'))},
                      {QLatin1String(option::unit.name), unit},
                      {QLatin1String(option::runs.name), ids.join(QLatin1Char(','))}},
            .lab = labOrigin(lab, shown),
            .view = {{u"quantity"_s, QLatin1String(view.id)},
                     {u"smoothing"_s, smoothing},
                     {u"smoother"_s, u"line"_s},
                     {u"logarithmic"_s, isLogarithmic},
                     {u"bands"_s, hasBands}}};
}

FigureEntries trainingEntries() {
    FigureEntries entries;
    for (const Quantity quantity :
         {Quantity::validation_loss, Quantity::training_loss, Quantity::learning_rate, Quantity::gradient_norm}) {
        entries.push_back({.name = nameOf(quantity).replace(QLatin1Char(' '), QLatin1Char('-')),
                           .room = u"train"_s,
                           .part = {},
                           .title = nameOf(quantity),
                           .options = {&option::unit, &option::runs},
                           .make = trainingFigure});
    }
    return entries;
}

}  // namespace ropelab::ui

#include "moc_training_figures.cpp"
