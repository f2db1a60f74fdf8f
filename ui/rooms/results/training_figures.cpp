#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>
#include <set>

#include "core/base/numbers.h"
#include "core/data/corpus.h"
#include "core/results/fits/theta_curve.h"
#include "core/rope/frequencies.h"
#include "core/stats/descriptive.h"
#include "core/stats/token_statistics.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/results/results_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr std::size_t kMaxRunsInFigure = 8;

QList<double> toList(const std::vector<std::int64_t>& values) {
    return {values.begin(), values.end()};
}

QList<double> scaled(const std::vector<double>& values, double factor) {
    QList<double> result;
    result.reserve(static_cast<qsizetype>(values.size()));
    for (const double value : values) result.append(value * factor);
    return result;
}

double lossFactor(const ResultsData& data) {
    return data.inBits() ? 1 / std::numbers::ln2 : 1.0;
}

QString lossUnit(const ResultsData& data) {
    if (!imported_words(data.table()).empty()) return {};
    return data.inBits() ? u"bits"_s : u"nats"_s;
}

bool drawsAll(const ResultsData& data) {
    return data.runs.size() <= kMaxRunsInFigure;
}

/// This group is drawn if there are too many runs for one figure.
std::size_t spikeGroup(const ResultsData& data) {
    return data.picked >= 0 ? static_cast<std::size_t>(data.picked) : data.table().baseline;
}

/// A red point marks the last finite value of a failed run.
void addEnd(Figure& figure, const FigureCurve& curve) {
    for (qsizetype i = std::min(curve.x.size(), curve.y.size()) - 1; i >= 0; --i) {
        if (!std::isfinite(curve.y[i])) continue;
        figure.curves.push_back(dot(curve.x[i], curve.y[i], 6, {Ink::Kind::error}, curve.emphasis));
        return;
    }
}

}  // namespace

ResultsPicture meanCurves(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "learning-curves"), {}};
    Figure& figure = picture.figure;
    figure.x = {u"step"_s, {}};
    figure.y = {u"validation loss"_s, lossUnit(data)};
    figure.emptyText = u"Learning curves appear after the first evaluation of a run."_s;
    const double factor = lossFactor(data);
    int failed = 0;
    bool anyBand = false;
    const QStringList labels = shortLabels(table);
    ShownValues shown{std::vector<std::int64_t>(table.groups.size())};
    for (std::size_t g = 0; g < table.groups.size(); ++g) {
        const ResultGroup& group = table.groups[g];
        const Ink ink = data.results.inkOf(group);
        std::map<std::int64_t, std::vector<double>> values;
        std::size_t runs = 0;
        for (const std::size_t member : group.members) {
            const ResultsRun& run = data.runs[member];
            const auto& evaluations = run.evaluations;
            if (evaluations.iteration.empty()) continue;
            if (group.is_excluded(member)) continue;
            if (run.state == RunState::failed) {
                FigureCurve curve = stroke(toList(evaluations.iteration), scaled(evaluations.validation_loss, factor),
                                           {Ink::Kind::error}, emphasisOf(data, g));
                curve.companion = true;
                curve.quantity = run.name;
                addEnd(figure, curve);
                figure.curves.push_back(std::move(curve));
                ++failed;
                continue;
            }
            const auto& counted = group.counted;
            if (std::find(counted.begin(), counted.end(), member) == counted.end()) continue;
            ++runs;
            ++shown.counts[g];
            for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
                values[evaluations.iteration[i]].push_back(factor * evaluations.validation_loss[i]);
            }
        }
        FigureBand band{longLabel(table, group), ink, {}, {}, {}};
        FigureCurve mean = stroke({}, {}, ink, emphasisOf(data, g));
        mean.label = labels[static_cast<qsizetype>(g)];
        mean.quantity = figure.y.label;
        for (const auto& [iteration, losses] : values) {
            if (losses.size() != runs) continue;
            const Description described = describe(losses);
            // Without a finite value of every seed there is no mean, because a mean over fewer seeds is not comparable.
            const bool all = described.n == static_cast<std::int64_t>(runs);
            mean.x.append(static_cast<double>(iteration));
            mean.y.append(all ? described.mean : std::nan(""));
            if (!all || runs < 2) continue;
            band.add(static_cast<double>(iteration), described.mean - described.standard_deviation,
                     described.mean + described.standard_deviation);
        }
        if (mean.x.isEmpty()) continue;
        figure.curves.push_back(std::move(mean));
        if (band.x.isEmpty()) continue;
        anyBand = true;
        figure.bands.push_back(std::move(band));
    }
    if (figure.curves.empty()) return withoutNumbers(std::move(picture));
    setShown(figure, shown);
    if (anyBand) figure.note = u"shaded: ± std over seeds"_s;
    addTokenizerNote(figure, table);
    addLabelNote(figure, table);
    figure.summary = u"Mean validation loss over seeds against training steps for %1."_s.arg(
        countText(static_cast<std::int64_t>(table.groups.size()), u"group"_s));
    if (failed > 0) {
        const QString words = u"red: %1 that failed; the means exclude these runs"_s.arg(countText(failed, u"run"_s));
        addNote(figure, words);
        figure.summary += QLatin1Char(' ') + words + QLatin1Char('.');
    }
    return picture;
}

std::vector<std::size_t> spikeRuns(const ResultsData& data) {
    std::vector<std::size_t> result;
    const std::vector<ResultGroup>& groups = data.table().groups;
    for (std::size_t g = 0; g < groups.size(); ++g) {
        if (!drawsAll(data) && g != spikeGroup(data)) continue;
        for (const std::size_t member : groups[g].members) {
            if (!groups[g].is_excluded(member)) result.push_back(member);
        }
    }
    return result;
}

static constexpr double kNormFactor = 0.1;

ResultsPicture spikeFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "spikes"), {}};
    Figure& figure = picture.figure;
    figure.x = {u"step"_s, {}};
    // A tenth of the norms is below the losses, so that neither hides the other.
    figure.y = {Axis{u"training loss"_s, lossUnit(data)}.title() + u", gradient norm / 10"_s, {}, true};
    figure.emptyText =
        u"This figure shows the loss and the gradient norm of every training step. The curves appear when a run has "
        "begun to train."_s;
    const bool all = drawsAll(data);
    const std::size_t chosen = spikeGroup(data);
    ShownValues shown{std::vector<std::int64_t>(table.groups.size())};
    for (std::size_t g = 0; g < table.groups.size(); ++g) {
        const ResultGroup& group = table.groups[g];
        if (!all && g != chosen) continue;
        for (const std::size_t member : group.members) {
            const ResultsRun& run = data.runs[member];
            if (group.is_excluded(member) || !run.steps || run.steps->iteration.empty()) continue;
            const RunMetrics::Steps& steps = *run.steps;
            ++shown.counts[g];
            const bool failed = run.state == RunState::failed;
            // In a figure of one setting, shades of its colour could not be told apart.
            const Ink ink = all ? run.ink : Ink::data(static_cast<int>(shown.counts[g]) - 1);
            const Emphasis emphasis = all ? emphasisOf(data, g) : Emphasis::normal;
            const QString seed = u"seed %1"_s.arg(run.spec.seed);
            const QString label = all && !table.swept.empty() ? shortLabel(table, group) + u" · "_s + seed : seed;
            FigureCurve loss =
                stroke(toList(steps.iteration), scaled(steps.training_loss, lossFactor(data)), ink, emphasis);
            loss.label = failed ? u"%1, failed"_s.arg(label) : label;
            loss.quantity = u"training loss"_s;
            if (failed) addEnd(figure, loss);
            figure.curves.push_back(std::move(loss));
            FigureCurve norm = stroke(toList(steps.iteration), scaled(steps.gradient_norm, kNormFactor), ink, emphasis);
            norm.label = u"%1, gradient norm"_s.arg(label);
            norm.quantity = u"gradient norm / 10"_s;
            norm.companion = true;
            norm.solid = true;  // dots of a noisy line would look like its values
            figure.curves.push_back(std::move(norm));
        }
    }
    const std::int64_t runs = std::accumulate(shown.counts.begin(), shown.counts.end(), std::int64_t{0});
    if (runs == 0) return withoutNumbers(std::move(picture));
    setShown(figure, shown);
    figure.note = u"thick lines: training loss; thin lines of the same colour: gradient norm / 10"_s;
    if (all) {
        addLabelNote(figure, table);
    } else {
        addNote(figure, longLabel(table, table.groups[chosen]));
        QJsonObject results = figure.settings[u"results"_s].toObject();
        results.remove(u"baseline"_s);  // the figure shows one group
        figure.settings[u"results"_s] = results;
    }
    figure.summary = u"Training loss and gradient norm of every step of %1."_s.arg(countText(runs, u"run"_s));
    return picture;
}

namespace {

constexpr std::int64_t kMaxDistance = 5000;    // in tokens
constexpr std::size_t kMaxTokens = 2'000'000;  // the most tokens of the training split that are used
constexpr double kRowFactor = 6;               // between two rows of wavelengths on the logarithmic y axis
constexpr double kSmallestFraction = 1e-4;     // values below this fraction of the largest one are not drawn
constexpr std::size_t kMaxRows = 8;
constexpr double kWavelengthPt = 4.5;

/// Equal for runs with the same data set, tokenizer and split.
std::string textKey(const RunSpec& spec) {
    return spec.data + '|' + std::to_string(spec.data_seed) + '|' + std::to_string(spec.data_length) + '|' +
           std::to_string(static_cast<int>(spec.tokenizer)) + '|' + spec.tokenizer_file + '|' +
           std::to_string(spec.largest_vocabulary()) + '|' + std::to_string(static_cast<int>(spec.split));
}

/// One per swept theta, with the largest rotated fraction; at most kMaxRows.
std::vector<RunSpec> specPerTheta(const ResultsData& data) {
    std::vector<RunSpec> result;
    for (const ResultsRun& run : data.runs) {
        if (!run.spec.rotates() || run.spec.frequencies != "auto") continue;
        if (rotary_dim(run.spec.rotary_head_dim(), run.spec.fraction) == 0) continue;
        const auto known = std::find_if(result.begin(), result.end(),
                                        [&](const RunSpec& spec) { return spec.theta == run.spec.theta; });
        if (known == result.end()) {
            result.push_back(run.spec);
        } else if (run.spec.fraction > known->fraction) {
            *known = run.spec;
        }
    }
    std::sort(result.begin(), result.end(), [](const RunSpec& a, const RunSpec& b) { return a.theta < b.theta; });
    if (result.size() > kMaxRows) result.resize(kMaxRows);
    return result;
}

void addWavelengths(ResultsPicture& picture, const ResultsData& data, double below) {
    Figure& figure = picture.figure;
    double row = below;
    int beyond = 0;
    const std::vector<RunSpec> specs = specPerTheta(data);
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const RunSpec& spec = specs[i];
        row /= kRowFactor;
        const Ink ink{Ink::Kind::rotated};
        const QString name = u"θ %1"_s.arg(settingTitle("theta", spec.theta));
        FigureCurve points;
        points.ink = ink;
        points.shape = FigureCurve::Shape::points;
        points.pointPt = kWavelengthPt;
        const auto lengths = wavelengths(frequencies({.head_dim = spec.rotary_head_dim(),
                                                      .theta = spec.theta,
                                                      .fraction = spec.fraction,
                                                      .partial = spec.partial}));
        for (std::size_t pair = 0; pair < lengths.size(); ++pair) {
            if (!std::isfinite(lengths[pair])) continue;
            if (lengths[pair] > figure.x.maximum) {
                ++beyond;
                continue;
            }
            points.x.append(lengths[pair]);
            points.y.append(row);
            picture.spots.push_back({{lengths[pair], row},
                                     name,
                                     {{u"pair"_s, QString::number(pair)},
                                      {u"wavelength 2π/g"_s, u"%1 tokens"_s.arg(readableCount(lengths[pair]))}}});
        }
        figure.horizontalLines.push_back({.at = row, .label = name, .ink = ink, .labelAtEnd = true});
        figure.curves.push_back(std::move(points));
    }
    figure.y.minimum = row / kRowFactor;
    if (beyond > 0)
        addNote(figure, u"%1 longer than the x axis are not shown"_s.arg(countText(beyond, u"wavelength"_s)));
}

}  // namespace

std::string textsKey(const std::vector<ResultsRun>& runs) {
    std::set<std::string> keys;
    for (const ResultsRun& run : runs) {
        if (!run.imported) keys.insert(textKey(run.spec));
    }
    std::string all;
    for (const std::string& key : keys) all += key + '\n';
    return all;
}

std::vector<TextInformation> textInformation(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir,
                                             const std::function<bool()>& cancelled) {
    std::vector<TextInformation> result;
    std::set<std::string> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunSpec& spec = runs[i].spec;
        if (cancelled && cancelled()) break;
        if (runs[i].imported) continue;  // their texts are not known
        if (!seen.insert(textKey(spec)).second) continue;
        std::vector<int> taken;
        for (const TextInformation& other : result) taken.push_back(other.colorIndex);
        TextInformation& text = result.emplace_back();
        text.colorIndex = distinctColor(taken, runs[i].ink.index);
        text.key = textKey(spec);
        text.name = QString::fromStdString(std::filesystem::path(spec.data).filename().string());
        try {
            const auto corpus = open_corpus(spec, dataDir);
            text.name = QString::fromStdString(corpus->name);
            const TokenText training = corpus->training_text();
            std::vector<std::int32_t> tokens(std::min(training.size(), kMaxTokens));
            training.copy(0, std::ssize(tokens), tokens.data());
            // At a tenth of the length, the longest distance still has most of its token pairs.
            const auto maxDistance = std::min<std::int64_t>(kMaxDistance, std::ssize(tokens) / 10);
            text.information =
                mutual_information(tokens, corpus->vocabulary.size(), spaced_distances(maxDistance), cancelled);
        } catch (const std::exception& error) {
            text.problem = QString::fromStdString(error.what());
        }
    }
    return result;
}

ResultsPicture informationFigure(const ResultsData& data) {
    ResultsPicture picture{emptyFigure(data, "mutual-information"), {}};
    Figure& figure = picture.figure;
    const bool bits = data.inBits();
    figure.x = {u"distance"_s, u"tokens"_s, true};
    figure.y = {u"mutual information"_s, bits ? u"bits"_s : u"nats"_s, true};
    const double factor = bits ? 1 / std::numbers::ln2 : 1.0;
    QStringList problems;
    double highest = 0;
    for (const TextInformation& text : data.texts) {
        for (const double nats : text.information.nats) highest = std::max(highest, factor * nats);
    }
    const double floor = kSmallestFraction * highest;
    double farthest = 1;
    for (const TextInformation& text : data.texts) {
        if (!text.problem.isEmpty()) problems << text.problem;
        const MutualInformation& information = text.information;
        if (information.distances.empty()) continue;
        FigureCurve curve;
        curve.label = text.name;
        curve.quantity = figure.y.label;
        curve.ink = Ink::data(text.colorIndex);
        for (std::size_t i = 0; i < information.distances.size(); ++i) {
            const double value = factor * information.nats[i];
            const auto x = static_cast<double>(information.distances[i]);
            curve.x.append(x);
            curve.y.append(value >= floor ? value : std::nan(""));
            farthest = std::max(farthest, x);
            if (value < floor) continue;
            picture.spots.push_back(
                {{x, value},
                 text.name,
                 {{u"distance"_s, u"%1 tokens"_s.arg(readableCount(x))},
                  {figure.y.label, readableNumber(value) + QLatin1Char(' ') + figure.y.unit},
                  {u"uncorrected estimate"_s, readableNumber(factor * information.plug_in[i])},
                  {u"sample size"_s, u"%1 tokens"_s.arg(readableCount(static_cast<double>(information.tokens)))}}});
        }
        figure.curves.push_back(std::move(curve));
    }
    if (figure.curves.empty() || !(highest > 0)) {
        figure.curves.clear();
        picture.spots.clear();
        return withoutNumbers(std::move(picture), problems.isEmpty()
                                                      ? u"Computing the mutual information of the data sets …"_s
                                                      : problems.join(QLatin1Char(' ')));
    }
    figure.x.minimum = 0.9;
    figure.x.maximum = 1.1 * farthest;
    figure.y.maximum = 1.3 * highest;
    figure.note =
        u"curves: estimates with Miller–Madow correction; gaps: values below 1/10,000 of the maximum; points: "
        "wavelengths of rotary pairs"_s;
    for (const QString& problem : problems) addNote(figure, problem);
    figure.summary =
        u"Mutual information of two tokens by their distance, with the wavelengths of the rotary pairs for %1."_s.arg(
            countText(static_cast<std::int64_t>(specPerTheta(data).size()), u"theta"_s));
    FigureTable& table = figure.table;
    for (const TextInformation& text : data.texts) {
        if (text.information.distances.empty()) continue;
        table.names << text.name + u" · distance (tokens)"_s << text.name + u" · mutual information (nats)"_s
                    << text.name + u" · plug-in estimate (nats)"_s;
        table.columns.append(QList<double>(text.information.distances.begin(), text.information.distances.end()));
        table.columns.append(QList<double>(text.information.nats.begin(), text.information.nats.end()));
        table.columns.append(QList<double>(text.information.plug_in.begin(), text.information.plug_in.end()));
    }
    addWavelengths(picture, data, floor);
    return picture;
}

ResultsPicture optimumFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "optimum-by-width"), {}};
    Figure& figure = picture.figure;
    figure.x = {u"distance of half the mutual information"_s, u"tokens"_s, true};
    figure.y = {u"best θ"_s, {}, true};
    FigureTable& rows = figure.table =
        FigureTable::of({u"width (tokens)"_s, u"best θ"_s, u"95 % interval, low"_s, u"95 % interval, high"_s});
    QStringList names, ends;
    QList<double> widths;
    for (const SettingOptimum& optimum : setting_optima(table, "theta")) {
        const auto group = std::ranges::find_if(table.groups, [&](const ResultGroup& each) {
            return std::ranges::all_of(optimum.settings, [&](const auto& setting) {
                return each.settings.at(setting.first) == setting.second;
            });
        });
        const std::string key = textKey(data.exampleOf(*group).spec);
        const auto text = std::ranges::find(data.texts, key, &TextInformation::key);
        if (text == data.texts.end()) continue;
        const double width = dependency_width(text->information);
        if (!std::isfinite(width)) continue;
        QString name = text->name;
        for (const auto& [setting, value] : optimum.settings) {
            if (!is_text_setting(setting)) name += u", "_s + settingTitle(setting, value, head_dim_of(table));
        }
        const Ink ink = Ink::data(text->colorIndex);
        figure.curves.push_back(
            dotWithBar(width, optimum.at, optimum.interval.low, optimum.interval.high, kMeanPt, ink));
        figure.curves.back().label = name;
        addErrorBar(figure, width, optimum.interval.low, optimum.interval.high, 1.03, ink);
        picture.spots.push_back({{width, optimum.at},
                                 name,
                                 {{u"width"_s, u"%1 tokens"_s.arg(readableNumber(width))},
                                  {u"best θ"_s, readableNumber(optimum.at)},
                                  {u"best swept θ"_s, readableNumber(optimum.values[optimum.best])},
                                  {u"seeds"_s, QString::number(optimum.seeds)}}});
        rows.addRow({width, optimum.at, optimum.interval.low, optimum.interval.high});
        names << name;
        widths << width;
        if (optimum.is_end()) ends << name;
    }
    if (figure.curves.empty()) {
        return withoutNumbers(std::move(picture),
                              data.texts.empty() ? u"Computing the mutual information of the data sets …"_s
                                                 : u"This figure needs finished runs with at least three values of "
                                                   "θ, for example on several data sets."_s);
    }
    if (names.size() == 1) {
        const Spot& only = picture.spots.front();
        const QString sentence =
            u"This figure needs a second data set: the best θ of %1 alone is %2, at a width of %3."_s.arg(
                names.front(), only.rows[1].second, only.rows[0].second);
        figure.curves.clear();
        picture.spots.clear();
        return withoutNumbers(std::move(picture), sentence);
    }
    rows.words.append({u"data set"_s, names});
    padX(figure, widths);
    figure.note = u"bars: 95 % bootstrap interval over seeds, too narrow for few seeds"_s;
    if (!ends.isEmpty())
        addNote(figure, u"at an end of the sweep, so that the optimum may lie beyond: %1"_s.arg(ends.join(u"; "_s)));
    figure.summary =
        u"θ of the best mean %1 against the distance at which the mutual information of the data set falls to half of "
        "its largest value."_s.arg(measureTitle(data.measure()));
    return picture;
}

}  // namespace ropelab::ui
