#include "ui/rooms/train/figures/live_figures.h"

#include <QJsonArray>
#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <utility>

#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/plot/distinct_names.h"
#include "ui/probes/interval_bands.h"
#include "ui/probes/spectrum_maps.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

std::optional<ExpertPoint> expertPoint(std::int64_t iteration, const ProbeResult& result) {
    const std::vector<float>& balance = result.expert_balance.values;
    const std::vector<float>& dropped = result.expert_dropped.values;
    ExpertPoint mean{iteration};
    int layers = 0;
    for (std::size_t layer = 0; layer < balance.size(); ++layer) {
        if (balance[layer] <= 0) continue;  // a layer with a dense feed-forward network
        ++layers;
        mean.balance += static_cast<double>(balance[layer]);
        if (layer < dropped.size()) mean.dropped += static_cast<double>(dropped[layer]);
    }
    if (layers == 0) return std::nullopt;
    mean.balance /= layers;
    mean.dropped /= layers;
    return mean;
}

std::int64_t newestStepOf(const LiveSetting& setting) {
    std::int64_t newest = -1;
    for (const LiveRun& run : setting.seeds) {
        if (run.snapshot) newest = std::max(newest, run.snapshot->iteration);
    }
    return newest;
}

QString liveStepText(const LiveData& data) {
    std::vector<std::int64_t> steps;
    std::int64_t all = 0;
    const auto add = [&](std::int64_t step, const RunSpec& spec) {
        steps.push_back(step);
        all = std::max(all, spec.iterations);
    };
    if (data.picked) {
        if (data.picked->snapshot) add(data.picked->snapshot->iteration, *data.picked->spec);
    } else {
        for (const LiveSetting& setting : data.settings) {
            if (const std::int64_t step = newestStepOf(setting); step >= 0) add(step, *setting.seeds.front().spec);
        }
    }
    if (steps.empty()) return {};
    const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
    if (*low == *high) return u"step %1 of %2"_s.arg(groupedText(*low), groupedText(all));
    return u"steps %1 to %2 of %3"_s.arg(groupedText(*low), groupedText(*high), groupedText(all));
}

bool skipsProbes(const LiveData& data) {
    const auto skips = [](const LiveRun& run) {
        const auto next = run.snapshot ? next_probe(*run.spec, run.snapshot->iteration) : std::nullopt;
        return next && *next < run.iteration && run.state != RunState::finished;
    };
    if (data.picked) return skips(*data.picked);
    return std::ranges::any_of(data.settings,
                               [&](const LiveSetting& setting) { return std::ranges::any_of(setting.seeds, skips); });
}

QString whyNoProbe(const LiveRun& run) {
    if (run.snapshot) return {};
    if (run.spec->probe_every == 0) {
        return u"The run %1 trains without the measurements that this figure shows (probes), because probe_every is "
               "0. To record these measurements in the next sweep, set probe_every to 1 under “More settings”."_s.arg(
                   run.name);
    }
    const bool isOver = run.state == RunState::finished || run.state == RunState::failed;
    const bool hasStarted = run.iteration > 0 || run.state == RunState::running || run.state == RunState::paused;
    const auto next = isOver ? std::nullopt : next_probe(*run.spec, hasStarted ? run.iteration : -1);
    if (!next)
        return u"The run %1 stored no measurements during training (probes), so this figure cannot show the run."_s.arg(
            run.name);
    if (*next == 0) {
        return u"The run %1 has not started, so it has no measurement (probe) yet."_s.arg(run.name);
    }
    return u"No measurement (probe) yet; the next one is after step %2 of %3 of the run %1."_s.arg(
        run.name, groupedText(*next), groupedText(run.spec->iterations));
}

namespace {

/// The points of a curve, x ascending.
struct Points {
    QList<double> x;
    QList<double> y;
};

struct LiveQuantity {
    const char* name;
    Axis x;
    Axis y;
    QString mean;        // over what a curve averages; "" for none
    bool needsRotation;  // runs that rotate no pairs are omitted
    std::function<Points(const LiveRun&, const ProbeResult&)> points;
    bool needsExperts = false;   // runs without experts have no values
    bool needsCapacity = false;  // experts without a capacity have no values
};

/// By wavelength, averaged over layers and heads.
Points byPairWavelength(const LiveRun& run, const ProbeResult& result, const ProbeArray& array, double factor) {
    std::vector<double> wavelengths = wavelengthsOf(plan_of(*run.spec, 1));
    // A theta that changes during training is probed too.
    const std::vector<double> now = meanRow(result.frequencies, -1, -1, run.spec->heads);
    for (std::size_t i = 0; i < wavelengths.size() && i < now.size(); ++i) {
        if (now[i] > 0) wavelengths[i] = 2 * std::numbers::pi / now[i];
    }
    const std::vector<double> values = meanRow(array, -1, -1, run.spec->heads);
    std::vector<std::pair<double, double>> points;
    for (std::size_t i = 0; i < wavelengths.size() && i < values.size(); ++i) {
        if (std::isfinite(wavelengths[i])) points.emplace_back(wavelengths[i], factor * values[i]);
    }
    std::sort(points.begin(), points.end());
    Points sorted;
    for (const auto& [x, y] : points) {
        sorted.x.append(x);
        sorted.y.append(y);
    }
    return sorted;
}

LiveQuantity frequencyQuantity(const char* name, Axis y, ProbeArray ProbeResult::*array, double factor = 1) {
    return {name,
            {u"wavelength"_s, u"tokens"_s, true},
            std::move(y),
            u"mean over layers and heads"_s,
            true,
            [array, factor](const LiveRun& run, const ProbeResult& result) {
                return byPairWavelength(run, result, result.*array, factor);
            }};
}

LiveQuantity attentionQuantity() {
    return {"attention-by-distance",
            {u"distance Δ"_s, u"tokens"_s},
            {u"mean attention weight"_s, {}, true},
            u"mean over layers and heads"_s,
            false,
            [](const LiveRun& run, const ProbeResult& result) {
                const std::vector<double> row = meanRow(result.attention_by_distance, -1, -1, run.spec->heads);
                return Points{{result.distances.begin(), result.distances.end()}, {row.begin(), row.end()}};
            }};
}

LiveQuantity retrievalQuantity() {
    Axis y{u"retrieval accuracy"_s, u"%"_s};
    y.minimum = 0;
    return {"retrieval-accuracy",
            {u"lag Δ"_s, u"tokens"_s, true},
            y,
            {},
            false,
            [](const LiveRun&, const ProbeResult& result) {
                return Points{
                    numbersOf(result.retrieval, &RetrievalPoint::lag),
                    numbersOf(result.retrieval, [](const RetrievalPoint& point) { return 100 * point.accuracy; })};
            }};
}

/// Uses every `columns`-th number of the array from `column` on.
LiveQuantity layerQuantity(const char* name, const QString& y, ProbeArray ProbeResult::*array, std::size_t column,
                           std::size_t columns) {
    Axis x{u"layer"_s, {}};
    x.whole = true;
    return {name, x, {y, {}, true}, {}, false, [array, column, columns](const LiveRun&, const ProbeResult& result) {
                Points points;
                const std::vector<float>& values = (result.*array).values;
                for (std::size_t i = column; i < values.size(); i += columns) {
                    points.x.append(static_cast<double>(i / columns));
                    points.y.append(static_cast<double>(values[i]));
                }
                return points;
            }};
}

LiveQuantity expertQuantity(const char* name, Axis y, double ExpertPoint::*number, double factor) {
    return {name,
            {u"step"_s, {}},
            std::move(y),
            u"mean over the layers with experts"_s,
            false,
            [number, factor](const LiveRun& run, const ProbeResult&) {
                return Points{numbersOf(run.experts, &ExpertPoint::iteration),
                              numbersOf(run.experts, [&](const ExpertPoint& point) { return factor * point.*number; })};
            },
            true};
}

/// The mean over the seeds of a setting at their newest common step.
struct SettingCurve {
    Points points;
    std::int64_t iteration = 0;
    std::int64_t seeds = 0;
};

/// Seeds of an older step than the newest are left out, because a mean over different steps would show neither.
SettingCurve curveOfSetting(const LiveSetting& setting, const LiveQuantity& quantity) {
    SettingCurve curve;
    curve.iteration = newestStepOf(setting);
    for (const LiveRun& run : setting.seeds) {
        if (!run.snapshot || run.snapshot->iteration != curve.iteration) continue;
        const Points own = quantity.points(run, *run.snapshot->result);
        if (own.x.isEmpty() || own.x.size() != own.y.size()) continue;
        if (curve.seeds == 0) curve.points = {QList<double>(own.x.size(), 0.0), QList<double>(own.x.size(), 0.0)};
        if (own.x.size() != curve.points.x.size()) continue;
        ++curve.seeds;
        for (qsizetype i = 0; i < own.x.size(); ++i) {
            curve.points.x[i] += own.x[i];
            curve.points.y[i] += own.y[i];
        }
    }
    for (QList<double>* values : {&curve.points.x, &curve.points.y}) {
        for (double& value : *values) value /= static_cast<double>(curve.seeds);
    }
    return curve;
}

/// The run that explains why a setting has no curve: one that trains, else the first one.
const LiveRun& explainingRun(const LiveSetting& setting) {
    const auto training = std::find_if(setting.seeds.begin(), setting.seeds.end(),
                                       [](const LiveRun& run) { return run.state == RunState::running; });
    return training == setting.seeds.end() ? setting.seeds.front() : *training;
}

QString whyNoCurve(const LiveSetting& setting, const LiveQuantity& quantity) {
    const LiveRun& run = explainingRun(setting);
    if (quantity.needsRotation && !rotatesPairs(plan_of(*run.spec, 1))) {
        return u"The run %1 rotates no pairs, so it has no values by rotary frequency."_s.arg(setting.label);
    }
    if (quantity.needsExperts && run.spec->expert_layers() == 0) {
        return u"The run %1 has no experts, but this figure shows a mixture of experts. Train a run with a setting "
               "such as experts = 4."_s.arg(setting.label);
    }
    if (quantity.needsCapacity && run.spec->expert_capacity == 0) {
        return u"The experts of the run %1 have no capacity limit (expert_capacity = 0), so the experts drop no "
               "tokens."_s.arg(setting.label);
    }
    const QString why = whyNoProbe(run);
    return why.isEmpty()
               ? u"The measurements during training (probes) of the run %1 do not contain the values of this figure."_s
                     .arg(setting.label)
               : why;
}

InspectPicture emptyLivePicture(Figure figure, const QString& why) {
    figure.emptyText = why;
    figure.summary = why;
    return {std::move(figure)};
}

QJsonObject settingsOf(const std::vector<LiveSetting>& settings) {
    QJsonArray runs;
    for (const LiveSetting& setting : settings) {
        for (const LiveRun& run : setting.seeds) {
            if (!run.snapshot) continue;
            runs.append(QJsonObject{{u"run"_s, static_cast<double>(run.id)},
                                    {u"name"_s, run.name},
                                    {u"snapshot"_s, static_cast<double>(run.snapshot->iteration)}});
        }
    }
    return {{u"runs"_s, runs}};
}

InspectPicture overSettings(const LiveData& data, const LiveQuantity& quantity) {
    Figure figure;
    figure.name = QLatin1String(quantity.name);
    figure.x = quantity.x;
    figure.y = quantity.y;
    figure.settings = settingsOf(data.settings);
    QStringList names;
    QStringList omitted;
    QString why;
    bool whyOmitted = false;  // `why` is about a setting that cannot have the quantity
    std::vector<std::int64_t> steps;
    bool anySeeds = false;
    bool lacksSeeds = false;
    for (const LiveSetting& setting : data.settings) {
        const SettingCurve found = curveOfSetting(setting, quantity);
        // The logit contribution of unrotated pairs is not split by pair, and other quantities have no frequency there.
        const RunSpec& spec = *setting.seeds.front().spec;
        const auto isOmitted = [&] {  // asked only where it counts, since the plans of thousands of settings take long
            return (quantity.needsRotation && !rotatesPairs(plan_of(spec, 1))) ||
                   (quantity.needsCapacity && spec.expert_capacity == 0);
        };
        if (found.seeds == 0 || isOmitted()) {
            const QString seeds = countText(std::ssize(setting.seeds), u"seed"_s);
            omitted << QString(setting.label).replace(u", "_s + seeds, u" (%1)"_s.arg(seeds));
            // The reason of a setting that can have the quantity says what to change, so it precedes the others.
            if (why.isEmpty() || explainingRun(setting).state == RunState::running || (whyOmitted && !isOmitted())) {
                why = whyNoCurve(setting, quantity);
                whyOmitted = isOmitted();
            }
            continue;
        }
        Ink ink = setting.seeds.front().ink;
        if (setting.seeds.size() > 1) ink.shade = 0;
        figure.curves.push_back(inspectCurve({}, figure.y.label, ink, found.points.x, found.points.y));
        // A line through few pairs would invent frequencies in between.
        if (quantity.needsRotation) figure.curves.back().shape = FigureCurve::Shape::points;
        names << setting.label;
        steps.push_back(found.iteration);
        anySeeds = anySeeds || found.seeds > 1;
        lacksSeeds = lacksSeeds || found.seeds < std::ssize(setting.seeds);
    }
    if (figure.curves.empty()) {
        return emptyLivePicture(
            std::move(figure),
            why.isEmpty() ? u"No runs are shown, because none are ticked in the list of runs."_s : why);
    }
    const bool equal = std::all_of(steps.begin(), steps.end(), [&](auto step) { return step == steps.front(); });
    names = distinctNames(names);
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const QString name = names[static_cast<qsizetype>(i)];
        figure.curves[i].label = equal ? name : u"%1, step %2"_s.arg(name, groupedText(steps[i]));
    }
    figure.hasLegend = quantity.needsRotation;
    QStringList note;
    if (!quantity.mean.isEmpty()) note << (anySeeds ? u"%1, and seeds"_s.arg(quantity.mean) : quantity.mean);
    if (quantity.mean.isEmpty() && anySeeds) note << u"mean over seeds"_s;
    if (lacksSeeds) note << u"not all seeds are measured yet"_s;
    if (!omitted.isEmpty()) note << u"not shown: %1"_s.arg(omitted.join(u", "_s));
    figure.note = note.join(u"; "_s);
    figure.summary = u"%1 by %2 of %3: %4; %5."_s.arg(figure.y.label, figure.x.label,
                                                      countText(std::ssize(figure.curves), u"setting"_s),
                                                      names.join(u", "_s), liveStepText(data));
    return {std::move(figure)};
}

InspectData inspectDataOf(const LiveRun& run) {
    auto inside = std::make_shared<InsideRun>();
    inside->id = run.id;
    inside->name = run.name;
    inside->spec = *run.spec;
    inside->plan = plan_of(*run.spec, 1);
    inside->ink = run.ink;
    if (run.snapshot) inside->snapshots.push_back(*run.snapshot);
    InspectData data;
    data.iteration = run.snapshot ? run.snapshot->iteration : 0;
    data.run = std::move(inside);
    return data;
}

/// The picked run without the others, else all settings.
LiveData shownOf(const LiveData& data) {
    LiveData alone;
    if (data.picked) alone.settings.push_back({data.picked->name, {*data.picked}});
    return data.picked ? alone : data;
}

/// The map of the picked run, else the curves of all settings.
InspectPicture byFrequency(const LiveData& data, const LiveQuantity& quantity,
                           InspectPicture (*map)(const InspectData& data)) {
    if (!data.picked) return overSettings(data, quantity);
    const LiveRun& run = *data.picked;
    const InspectData inside = inspectDataOf(run);
    if (run.snapshot && rotatesPairs(plan_of(*run.spec, 1))) return map(inside);
    return emptyLivePicture(inspectFigure(inside, quantity.name), whyNoCurve({run.name, {run}}, quantity));
}

InspectPicture curveOfPicked(const LiveData& data, const LiveQuantity& quantity,
                             const std::function<FigureBand(const FigureCurve&)>& band, const QString& counts) {
    InspectPicture picture = overSettings(shownOf(data), quantity);
    Figure& figure = picture.figure;
    if (figure.curves.empty()) return picture;
    figure.settings = inspectFigure(inspectDataOf(*data.picked), quantity.name).settings;
    addBand(figure, band(figure.curves.front()));
    figure.note = figure.note.isEmpty() ? counts : u"%1; %2"_s.arg(figure.note, counts);
    return picture;
}

InspectPicture liveContribution(const LiveData& data) {
    return byFrequency(
        data,
        frequencyQuantity("logit-contribution", {u"logit contribution"_s, u"% of the logits' variance"_s},
                          &ProbeResult::logit_contribution, 100),
        contributionSpectrum);
}

InspectPicture liveQueryNorm(const LiveData& data) {
    return byFrequency(data, frequencyQuantity("query-spectrum", {u"query norm"_s, {}}, &ProbeResult::query_usage),
                       querySpectrum);
}

InspectPicture liveKeyNorm(const LiveData& data) {
    return byFrequency(data, frequencyQuantity("key-spectrum", {u"key norm"_s, {}}, &ProbeResult::key_usage),
                       keySpectrum);
}

InspectPicture liveAttention(const LiveData& data) {
    const LiveQuantity quantity = attentionQuantity();
    if (!data.picked || !data.picked->snapshot) return overSettings(shownOf(data), quantity);
    const LiveRun& run = *data.picked;
    const ProbeResult& result = *run.snapshot->result;
    const auto band = [&](const FigureCurve& curve) {
        return meanBand(u"95 % interval"_s, curve.ink, curve.x, curve.y,
                        meanRow(result.attention_by_distance_error, -1, -1, run.spec->heads), result.sequences);
    };
    const bool hasBand = !result.attention_by_distance_error.empty() && degreesOf(result.sequences) > 0;
    return curveOfPicked(data, quantity, band, headsNote(sequencesNote(result, hasBand), inspectDataOf(run), hasBand));
}

InspectPicture liveRetrieval(const LiveData& data) {
    const LiveQuantity quantity = retrievalQuantity();
    if (!data.picked || !data.picked->snapshot) return overSettings(shownOf(data), quantity);
    const ProbeResult& result = *data.picked->snapshot->result;
    const auto band = [&](const FigureCurve& curve) { return accuracyBand(u"95 % interval"_s, curve.ink, result); };
    return curveOfPicked(data, quantity, band, retrievalNote(result));
}

InspectPicture liveGradient(const LiveData& data) {
    return overSettings(shownOf(data), layerQuantity("gradient-norm-by-layer", u"gradient norm of the MLP"_s,
                                                     &ProbeResult::gradient_norm, 1, 2));
}

InspectPicture liveStream(const LiveData& data) {
    LiveQuantity stream = layerQuantity("residual-stream-by-layer", u"root mean square of the residual stream"_s,
                                        &ProbeResult::stream_rms, 0, 1);
    stream.x.label = u"number of layers passed (0: embeddings)"_s;
    return overSettings(shownOf(data), stream);
}

InspectPicture liveExpertBalance(const LiveData& data) {
    return overSettings(shownOf(data),
                        expertQuantity("expert-balance", {u"load-balancing loss"_s, {}}, &ExpertPoint::balance, 1));
}

InspectPicture liveExpertDropped(const LiveData& data) {
    Axis y{u"choices beyond the capacity"_s, u"%"_s};
    y.minimum = 0;
    LiveQuantity quantity = expertQuantity("expert-dropped", y, &ExpertPoint::dropped, 100);
    quantity.needsCapacity = true;
    return overSettings(shownOf(data), quantity);
}

}  // namespace

std::span<const LiveFigure> liveFigures() {
    static const std::vector<LiveFigure> figures = {
        {"logit-contribution", u"Logit contribution"_s,
         u"Shows each rotary pair's contribution to the variance of the attention logits, by the pair's wavelength λ "
         "in tokens: Cov(pair's term, logit) / Var(logit). Formula 8 of the guide. Without a selected run the "
         "figure shows one curve per setting, the mean over layers and heads; for a selected run the figure shows "
         "every layer."_s,
         liveContribution},
        {"query-spectrum", u"Query norm by frequency"_s,
         u"Shows the mean norm of each rotary pair's two channels in the queries, by the pair's wavelength λ in "
         "tokens. A large norm does not show that the model uses the pair. Barbero et al. 2024; formula 33 of the "
         "guide"_s,
         liveQueryNorm},
        {"key-spectrum", u"Key norm by frequency"_s,
         u"Shows the mean norm of each rotary pair's two channels in the keys, by the pair's wavelength λ in tokens. "
         "A large norm does not show that the model uses the pair. Barbero et al. 2024; formula 33 of the guide"_s,
         liveKeyNorm},
        {"attention-by-distance", u"Attention by distance"_s,
         u"Shows the mean attention weight at each distance between query and key, averaged over layers and "
         "heads."_s,
         liveAttention},
        {"retrieval-accuracy", u"Retrieval accuracy by distance"_s,
         u"Shows the percentage of copied tokens that the model predicts correctly, by the distance between the copy "
         "and the original. Men et al. 2024; formula 12 of the guide"_s,
         liveRetrieval},
        {"gradient-norm-by-layer", u"Gradient norm by layer"_s,
         u"Shows the gradient norm of each layer's MLP at the training step before the newest measurement (probe). It "
         "allows comparing pre-norm with post-norm runs. Xiong et al. 2020; formula 56 of the guide"_s,
         liveGradient},
        {"residual-stream-by-layer", u"Residual stream by layer"_s,
         u"Shows the root mean square of the residual stream before each layer and after the last one. "
         "Formula 56 of the guide"_s,
         liveStream},
        {"expert-balance", u"Load-balancing loss over training"_s,
         u"Shows the load-balancing loss of a mixture of experts over training, the mean over the layers with "
         "experts. The loss is 1 if all experts have equal loads. Fedus et al. 2022; formula 50 of the guide"_s,
         liveExpertBalance, true},
        {"expert-dropped", u"Dropped expert choices over training"_s,
         u"Shows how many of the tokens' choices of experts are dropped because the expert is over its capacity, in "
         "percent over training: the mean over the layers with experts. Formula 51 of the guide"_s,
         liveExpertDropped, true},
    };
    return figures;
}

const LiveFigure* findLiveFigure(const QString& name) {
    for (const LiveFigure& figure : liveFigures()) {
        if (name == QLatin1String(figure.name)) return &figure;
    }
    return nullptr;
}

}  // namespace ropelab::ui
