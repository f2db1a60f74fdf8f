#include "ui/rooms/inspect/retrieval_gain.h"

#include <QObject>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/rooms/inspect/course_figures.h"

namespace ropelab::ui {
namespace {

constexpr double kNormalQuantile = 1.96;  // of a 95 % interval; the sequences are many

FigureCurve& addGain(Figure& figure, const ProbeResult& result, std::int64_t seed, Ink ink) {
    FigureCurve curve =
        inspectCurve(QObject::tr("seed %1").arg(seed), QObject::tr("retrieval gain, seed %1").arg(seed), ink, {}, {});
    FigureBand band;
    band.label = QObject::tr("95 % interval, seed %1").arg(seed);
    band.ink = ink;
    for (const RetrievalPoint& point : result.retrieval) {
        const double half = kNormalQuantile * point.gain_standard_error();
        curve.x.append(static_cast<double>(point.distance()));
        curve.y.append(100 * point.gain());
        band.lower.append(100 * (point.gain() - half));
        band.upper.append(100 * (point.gain() + half));
    }
    band.x = curve.x;
    figure.bands.push_back(std::move(band));
    figure.curves.push_back(std::move(curve));
    return figure.curves.back();
}

/// Adds B(Δ)/B(0) in percent, if the run has a context bound.
void addBound(Figure& figure, const InsideRun& run, const ProbeResult& result) {
    ProbeRequest request;
    request.sequences.length = run.spec.context;
    const std::vector<double> bound = bound_by_distance(run.spec, request, result.length);
    if (bound.empty()) return;
    FigureCurve curve =
        inspectCurve(QObject::tr("B(Δ)/B(0)"), QObject::tr("context bound B(Δ)/B(0)"), {Ink::Kind::accent}, {}, {});
    curve.companion = curve.isNamed = true;
    for (std::size_t m = 0; m < bound.size(); ++m) {
        curve.x.append(static_cast<double>(m));
        curve.y.append(100 * bound[m] / bound.front());
    }
    figure.curves.push_back(std::move(curve));
}

/// The mean over all layers and heads, minus its mean, in percent of its largest deviation.
void addLogit(Figure& figure, const InsideRun& run, const ProbeResult& result) {
    if (result.logit_by_distance.empty()) return;
    const auto row = meanRow(result.logit_by_distance, -1, -1, run.spec.heads);
    const std::vector<double> logits(row.begin(), row.end());
    const double mean = std::accumulate(logits.begin(), logits.end(), 0.0) / static_cast<double>(logits.size());
    double largest = 0;
    for (const double logit : logits) largest = std::max(largest, std::abs(logit - mean));
    if (!(largest > 0)) return;
    FigureCurve curve =
        inspectCurve(QObject::tr("logit"), QObject::tr("mean logit, centred and scaled"), {Ink::Kind::quiet}, {}, {});
    curve.companion = curve.isNamed = true;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        curve.x.append(static_cast<double>(result.distances[i]));
        curve.y.append(100 * (logits[i] - mean) / largest);
    }
    figure.curves.push_back(std::move(curve));
}

QString countWords(const RetrievalPoint& point) {
    const QString tokens = countText(point.tokens, QObject::tr("token"));
    if (point.sequences == 0) return QObject::tr("%1 per distance").arg(tokens);
    return QObject::tr("%1 in %2 per distance").arg(tokens, countText(point.sequences, QObject::tr("sequence")));
}

}  // namespace

InspectPicture retrievalGain(const InspectData& data) {
    constexpr const char* name = "retrieval-gain";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->retrieval.empty()) return withoutNumbers(data, name);
    const ProbeResult& result = *now->result;
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("distance Δ"), QObject::tr("tokens")};
    figure.y = {QObject::tr("retrieval gain"), QStringLiteral("%")};
    addBound(figure, *data.run, result);
    addLogit(figure, *data.run, result);
    for (const OtherSeed& other : data.run->otherSeeds) {
        if (other.snapshot.result->retrieval.empty() || (data.ghost && data.ghost->id == other.id)) {
            continue;
        }
        FigureCurve& curve = addGain(figure, *other.snapshot.result, other.seed, other.ink);
        curve.companion = curve.isNamed = true;
    }
    if (const Snapshot* other = data.ghostSnapshot(); other && !other->result->retrieval.empty()) {
        FigureCurve& curve = addGain(figure, *other->result, data.ghost->spec.seed, data.ghost->ink);
        curve = ghostCurve(curve, *data.ghost);
    }
    addGain(figure, result, data.run->spec.seed, data.run->ink);
    figure.horizontalLines.push_back({0, {}});
    const double error = 100 * std::transform_reduce(
                                   result.retrieval.begin(), result.retrieval.end(), 0.0,
                                   [](double a, double b) { return std::max(a, b); },
                                   [](const RetrievalPoint& point) { return point.gain_standard_error(); });
    figure.note = QObject::tr("%1; %2; standard error at most %3 percentage points")
                      .arg(data.run->name, countWords(result.retrieval.front()), QString::number(error, 'f', 1));
    figure.summary =
        QObject::tr(
            "Retrieval gain of %1 after %2 steps by the attended distance, with the context bound and the mean "
            "logit on the same axis.")
            .arg(data.run->name, groupedText(now->iteration));
    return picture;
}

}  // namespace ropelab::ui
