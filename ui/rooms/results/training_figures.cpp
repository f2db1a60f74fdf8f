#include "ui/rooms/results/training_figures.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "core/stats/descriptive.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"

namespace ropelab::ui {

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
    return data.inBits() ? QStringLiteral("bits") : QStringLiteral("nats");
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
    figure.x = {QObject::tr("step"), {}};
    figure.y = {QObject::tr("validation loss"), lossUnit(data)};
    figure.emptyText = QObject::tr("Learning curves appear after the first evaluation of a run.");
    const double factor = lossFactor(data);
    int failed = 0;
    bool anyBand = false;
    for (const std::size_t g : groupsInOrder(table)) {
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
            for (std::size_t i = 0; i < evaluations.iteration.size(); ++i) {
                values[evaluations.iteration[i]].push_back(factor * evaluations.validation_loss[i]);
            }
        }
        FigureBand band{longLabel(table, group), ink, {}, {}, {}};
        FigureCurve mean = stroke({}, {}, ink, emphasisOf(data, g));
        mean.label = shortLabel(table, group);
        mean.quantity = figure.y.label;
        for (const auto& [iteration, losses] : values) {
            if (losses.size() != runs) continue;
            const Description described = describe(losses);
            // Without a finite value of every seed there is no mean, because a mean over fewer seeds is not comparable.
            const bool all = described.n == static_cast<std::int64_t>(runs);
            mean.x.append(static_cast<double>(iteration));
            mean.y.append(all ? described.mean : std::nan(""));
            if (!all || runs < 2) continue;
            band.x.append(static_cast<double>(iteration));
            band.lower.append(described.mean - described.standard_deviation);
            band.upper.append(described.mean + described.standard_deviation);
        }
        if (mean.x.isEmpty()) continue;
        figure.curves.push_back(std::move(mean));
        if (band.x.isEmpty()) continue;
        anyBand = true;
        figure.bands.push_back(std::move(band));
    }
    if (figure.curves.empty()) {
        figure.summary = figure.emptyText;
        return picture;
    }
    if (anyBand) figure.note = QObject::tr("shaded: mean ± standard deviation over seeds");
    addLabelNote(figure, table);
    figure.summary = QObject::tr("Mean validation loss over seeds against steps for %1.")
                         .arg(countText(static_cast<std::int64_t>(table.groups.size()), QObject::tr("group")));
    if (failed > 0) {
        const QString words =
            QObject::tr("red: %1 that failed, not in any mean").arg(countText(failed, QObject::tr("run")));
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

ResultsPicture spikeFigure(const ResultsData& data) {
    const ResultsTable& table = data.table();
    ResultsPicture picture{emptyFigure(data, "spikes"), {}};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("step"), {}};
    figure.y = {QObject::tr("training loss (%1), gradient norm").arg(lossUnit(data)), {}, true};
    figure.emptyText = QObject::tr("This figure shows every training step; it appears when a run has begun to train.");
    const bool all = drawsAll(data);
    const std::size_t chosen = spikeGroup(data);
    int shown = 0;
    for (const std::size_t g : groupsInOrder(table)) {
        const ResultGroup& group = table.groups[g];
        if (!all && g != chosen) continue;
        for (const std::size_t member : group.members) {
            const ResultsRun& run = data.runs[member];
            if (group.is_excluded(member) || !run.steps || run.steps->iteration.empty()) continue;
            const RunMetrics::Steps& steps = *run.steps;
            ++shown;
            const bool failed = run.state == RunState::failed;
            const Ink ink = run.ink;
            const Emphasis emphasis = all ? emphasisOf(data, g) : Emphasis::normal;
            const QString seed = QObject::tr("seed %1").arg(run.spec.seed);
            const QString label =
                all && !table.swept.empty() ? shortLabel(table, group) + QStringLiteral(" · ") + seed : seed;
            FigureCurve loss =
                stroke(toList(steps.iteration), scaled(steps.training_loss, lossFactor(data)), ink, emphasis);
            loss.label = failed ? QObject::tr("%1, failed").arg(label) : label;
            loss.quantity = QObject::tr("training loss");
            if (failed) addEnd(figure, loss);
            figure.curves.push_back(std::move(loss));
            FigureCurve norm = stroke(toList(steps.iteration), scaled(steps.gradient_norm, 1), ink, emphasis);
            norm.label = QObject::tr("%1, gradient norm").arg(label);
            norm.quantity = QObject::tr("gradient norm");
            norm.companion = true;
            figure.curves.push_back(std::move(norm));
        }
    }
    if (shown == 0) {
        figure.summary = figure.emptyText;
        return picture;
    }
    figure.note = QObject::tr("thick lines: training loss; thin dotted lines: gradient norm");
    if (all) {
        addLabelNote(figure, table);
    } else {
        addNote(figure, longLabel(table, table.groups[chosen]));
    }
    figure.summary =
        QObject::tr("Training loss and gradient norm of every step of %1.").arg(countText(shown, QObject::tr("run")));
    return picture;
}

}  // namespace ropelab::ui
