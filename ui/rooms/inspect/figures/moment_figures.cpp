#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/run/probing.h"
#include "ui/common/format.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/figures/figures.h"
#include "ui/rooms/inspect/inspect_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

namespace {

/// The curves of the first snapshot and of the second run are drawn behind that of the cursor.
InspectPicture atCursor(const InspectData& data, const char* name, Axis x, Axis y,
                        const std::function<FigureCurve(const ProbeResult&, Ink)>& make,
                        const std::function<FigureBand(const ProbeResult&, const FigureCurve&)>& band,
                        const std::function<QString(const ProbeResult&)>& counts) {
    const Snapshot* now = data.snapshot();
    if (!now) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name, std::move(x), std::move(y))};
    Figure& figure = picture.figure;
    FigureCurve curve = make(*now->result, data.run->ink);
    if (curve.x.isEmpty()) return withoutNumbers(data, name);
    const Snapshot& first = data.run->snapshots.front();
    if (first.iteration != now->iteration) {
        FigureCurve start = make(*first.result, {Ink::Kind::quiet});
        start.companion = true;
        start.isNamed = true;
        start.label = u"step %1"_s.arg(groupedText(first.iteration));
        start.quantity = u"%1, step %2"_s.arg(figure.y.label, groupedText(first.iteration));
        figure.curves.push_back(std::move(start));
    }
    if (const Snapshot* other = data.ghostSnapshot()) {
        figure.curves.push_back(ghostCurve(make(*other->result, data.ghost->ink), *data.ghost));
        figure.curves.back().label = data.ghost->name;
        figure.curves.back().isNamed = true;
        FigureBand behind = band(*other->result, figure.curves.back());
        behind.label = u"95 % interval, %1"_s.arg(data.ghost->name);
        addBand(figure, std::move(behind));
    }
    addBand(figure, band(*now->result, curve));
    curve.label = !data.run->hasSteps() ? data.run->name : u"step %1"_s.arg(groupedText(now->iteration));
    figure.curves.push_back(std::move(curve));
    figure.note = u"%1; %2"_s.arg(data.run->isOpened() ? data.run->at(0) : data.run->name, counts(*now->result));
    figure.valuesNote = u"numbers at the right: values at the largest %1 shown"_s.arg(figure.x.label);
    figure.summary = u"%1 against %2 for %3; %4."_s.arg(figure.y.label, figure.x.label, data.run->words(now->iteration),
                                                        counts(*now->result));
    return picture;
}

/// The baseline is the value for the first occurrence of the copied tokens, which cannot be predicted by copying.
void addBaseline(Figure& figure, const InspectData& data, const std::function<double(const RetrievalPoint&)>& number) {
    if (figure.curves.empty()) return;
    const ProbeResult& result = *data.snapshot()->result;
    FigureCurve baseline = inspectCurve({}, u"baseline: first occurrence of the tokens"_s, {Ink::Kind::quiet},
                                        lagsOf(result), numbersOf(result.retrieval, number));
    baseline.companion = true;
    baseline.dash = 1;  // another one than that of the first snapshot
    baseline.dots = false;
    baseline.isNamed = true;
    baseline.label = u"baseline"_s;
    figure.curves.insert(figure.curves.begin(), std::move(baseline));
    figure.note += u"; baseline: first occurrence of the copied tokens"_s;
}

/// The losses of single positions of longer sequences would hide their trend.
constexpr std::size_t kMostPositions = 512;

QString intervalLabel() {
    return u"95 % interval"_s;
}

}  // namespace

QList<double> lagsOf(const ProbeResult& result) {
    return numbersOf(result.retrieval, &RetrievalPoint::lag);
}

QList<double> accuraciesOf(const ProbeResult& result) {
    return numbersOf(result.retrieval, [](const RetrievalPoint& point) { return 100 * point.accuracy; });
}

static InspectPicture lossByPosition(const InspectData& data) {
    return atCursor(
        data, "loss-by-position", {u"position"_s, u"tokens"_s}, {u"validation loss"_s, u"nats"_s},
        [](const ProbeResult& result, Ink ink) {
            const std::vector<double>& losses = result.loss_by_position;
            if (losses.size() > kMostPositions) return blockMeans(losses, {}, ink);
            FigureCurve curve = inspectCurve({}, u"validation loss"_s, ink, {}, {losses.begin(), losses.end()});
            for (qsizetype i = 0; i < curve.y.size(); ++i) curve.x.append(static_cast<double>(i));
            return curve;
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            return meanBand(intervalLabel(), curve.ink, curve.x, curve.y, result.loss_by_position_error,
                            result.sequences);
        },
        [](const ProbeResult& result) {
            const std::size_t positions = result.loss_by_position.size();
            if (positions <= kMostPositions) return sequencesNote(result, !result.loss_by_position_error.empty());
            return u"%1; means of %2 positions each"_s.arg(sequencesText(result)).arg(blockSize(positions));
        });
}

static InspectPicture retrievalAccuracy(const InspectData& data) {
    InspectPicture picture = atCursor(
        data, "retrieval-accuracy", {u"lag Δ"_s, u"tokens"_s, true}, {u"retrieval accuracy"_s, u"%"_s},
        [](const ProbeResult& result, Ink ink) {
            return inspectCurve({}, u"retrieval accuracy"_s, ink, lagsOf(result), accuraciesOf(result));
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            return accuracyBand(intervalLabel(), curve.ink, result);
        },
        [](const ProbeResult& result) { return retrievalNote(result); });
    addBaseline(picture.figure, data, [](const RetrievalPoint& point) { return 100 * point.first_accuracy; });
    if (!picture.figure.curves.empty()) picture.figure.y.minimum = 0;
    return picture;
}

static InspectPicture retrievalLoss(const InspectData& data) {
    InspectPicture picture = atCursor(
        data, "retrieval-loss", {u"lag Δ"_s, u"tokens"_s, true}, {u"loss on copied tokens"_s, u"nats"_s},
        [](const ProbeResult& result, Ink ink) {
            return inspectCurve({}, u"loss on copied tokens"_s, ink, lagsOf(result),
                                numbersOf(result.retrieval, &RetrievalPoint::loss));
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            std::vector<double> errors;
            for (const RetrievalPoint& point : result.retrieval) errors.push_back(point.loss_error);
            const std::int64_t sequences = result.retrieval.empty() ? 0 : result.retrieval.front().sequences;
            return meanBand(intervalLabel(), curve.ink, curve.x, curve.y, errors, sequences);
        },
        [](const ProbeResult& result) { return retrievalNote(result); });
    addBaseline(picture.figure, data, [](const RetrievalPoint& point) { return point.first_loss; });
    return picture;
}

static InspectPicture logitByDistance(const InspectData& data) {
    constexpr const char* name = "logit-by-distance";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->logit_by_distance.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name, {u"distance Δ"_s, u"tokens"_s}, {u"mean logit"_s, {}})};
    Figure& figure = picture.figure;
    int index = 0;
    for (const HeadLine& line : headLines(data)) {
        const auto curveOf = [&](const ProbeResult& result, Ink ink) {
            const auto row = meanRow(result.logit_by_distance, line.layer, line.head, data.run->spec.heads);
            return inspectCurve(line.label, figure.y.label, ink, {result.distances.begin(), result.distances.end()},
                                {row.begin(), row.end()});
        };
        const Ink ink = Ink::data(index++);
        if (const Snapshot* other = data.ghostSnapshot()) {
            figure.curves.push_back(ghostCurve(curveOf(*other->result, ink), *data.ghost));
        }
        figure.curves.push_back(curveOf(*now->result, ink));
        const FigureCurve& curve = figure.curves.back();
        addBand(figure,
                meanBand(u"%1, 95 % interval"_s.arg(line.label), ink, curve.x, curve.y,
                         meanRow(now->result->logit_by_distance_error, line.layer, line.head, data.run->spec.heads),
                         now->result->sequences));
    }
    figure.note =
        u"%1; %2"_s.arg(data.run->at(now->iteration),
                        headsNote(sequencesNote(*now->result, !figure.bands.empty()), data, !figure.bands.empty()));
    figure.summary = u"Mean attention logit by distance for %1."_s.arg(data.run->words(now->iteration));
    return picture;
}

namespace {

constexpr double kNormalQuantile = 1.96;  // of a 95 % interval; the sequences are many

FigureCurve& addGain(Figure& figure, const ProbeResult& result, std::int64_t seed, Ink ink) {
    FigureCurve curve = inspectCurve(u"seed %1"_s.arg(seed), u"retrieval gain, seed %1"_s.arg(seed), ink);
    FigureBand band;
    band.label = u"95 % interval, seed %1"_s.arg(seed);
    band.ink = ink;
    for (const RetrievalPoint& point : result.retrieval) {
        const double half = kNormalQuantile * point.gain_standard_error();
        curve.x.append(static_cast<double>(point.distance()));
        curve.y.append(100 * point.gain());
        // Without sequences, the error is that over tokens, which are many.
        if (point.sequences < 2 || degreesOf(point.sequences) > 0)
            band.add(curve.x.last(), 100 * (point.gain() - half), 100 * (point.gain() + half));
    }
    addBand(figure, std::move(band));
    figure.curves.push_back(std::move(curve));
    return figure.curves.back();
}

/// Adds B(Δ)/B(0) in percent, if the run has a context bound.
void addBound(Figure& figure, const InsideRun& run, const ProbeResult& result) {
    ProbeRequest request;
    request.sequences.length = run.spec.context;
    const std::vector<double> bound = bound_by_distance(run.plan, request, result.length);
    if (bound.empty()) return;
    FigureCurve curve = inspectCurve(u"B(Δ)/B(0)"_s, u"context bound B(Δ)/B(0)"_s, {Ink::Kind::text});
    curve.companion = curve.isNamed = true;
    curve.dash = 3;  // unlike that of the logit
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
    FigureCurve curve = inspectCurve(u"logit"_s, u"mean logit, centred and scaled"_s, {Ink::Kind::quiet});
    curve.companion = curve.isNamed = true;
    for (std::size_t i = 0; i < logits.size(); ++i) {
        curve.x.append(static_cast<double>(result.distances[i]));
        curve.y.append(100 * (logits[i] - mean) / largest);
    }
    figure.curves.push_back(std::move(curve));
}

QString countWords(const RetrievalPoint& point) {
    const QString tokens = countText(point.tokens, u"token"_s);
    if (point.sequences == 0) return u"%1 per distance"_s.arg(tokens);
    return u"%1 in %2 per distance"_s.arg(tokens, countText(point.sequences, u"sequence"_s));
}

}  // namespace

/// The retrieval gain at the time cursor by attended distance (lag − 1), with its 95 % interval over the sequences. The
/// same axis shows the context bound B(Δ) of the run's frequencies as a percentage of B(0), and the run's own mean
/// logit by distance, centred and as a percentage of its largest deviation. The gains of the lab's other seeds of this
/// run (their newest snapshots) and of the second run are drawn with their own intervals.
static InspectPicture retrievalGain(const InspectData& data) {
    constexpr const char* name = "retrieval-gain";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->retrieval.empty()) return withoutNumbers(data, name);
    const ProbeResult& result = *now->result;
    InspectPicture picture{inspectFigure(data, name, {u"distance Δ"_s, u"tokens"_s}, {u"retrieval gain"_s, u"%"_s})};
    Figure& figure = picture.figure;
    QStringList others;
    addBound(figure, *data.run, result);
    if (!figure.curves.empty()) others << u"B(Δ)/B(0): context bound in % of its value at distance 0"_s;
    const std::size_t bounds = figure.curves.size();
    addLogit(figure, *data.run, result);
    if (figure.curves.size() > bounds) {
        others << u"logit: mean attention logit, centred, in % of its largest deviation"_s;
    }
    QStringList seeds;
    for (const OtherSeed& other : data.run->otherSeeds) {
        if (other.snapshot.result->retrieval.empty() || (data.ghost && data.ghost->id == other.id)) {
            continue;
        }
        FigureCurve& curve = addGain(figure, *other.snapshot.result, other.seed, other.ink);
        curve.companion = curve.isNamed = true;
        seeds << u"seed %1"_s.arg(other.seed);
    }
    if (!seeds.isEmpty()) others << u"also shown: %1"_s.arg(seeds.join(u", "_s));
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
    figure.note = u"%1; %2; standard error of the gain at most %3 percentage points"_s.arg(
        data.run->name, countWords(result.retrieval.front()), QString::number(error, 'f', 1));
    for (const QString& words : std::as_const(others)) figure.note += u"; "_s + words;
    figure.summary =
        u"Retrieval gain of %1 by the attended distance, with the context bound and the mean attention logit on the "
        u"same "
        "axis."_s.arg(data.run->words(now->iteration));
    return picture;
}

InspectFigures momentFigures() {
    using Controls = InspectFigure::Controls;
    return {
        {"loss-by-position", InspectGroup::moment, u"loss by position"_s,
         u"Shows the validation loss at each position of a sequence: later positions have a longer context."_s, nullptr,
         Controls::none, lossByPosition},
        {"retrieval-accuracy", InspectGroup::moment, u"retrieval by distance"_s,
         u"Shows the percentage of copied tokens that the model predicts, by their distance to the original (lag). The "
         "context bound predicts the lags at which this percentage drops. Men et al. 2024; formula 12 of the guide"_s,
         nullptr, Controls::none, retrievalAccuracy},
        {"retrieval-gain", InspectGroup::moment, u"retrieval gain and context bound"_s,
         u"Shows three quantities by the attended distance. The retrieval gain is the accuracy on copied tokens "
         "minus the accuracy on their first occurrence, with a 95 % confidence interval. The context bound B(Δ) is the "
         "mean "
         "logit advantage of similar keys at distance Δ, as a percentage of B(0). The mean attention logit is "
         "centred and scaled. The last snapshot has the most distances. Men et al. 2024; formulas 12 and 13 of the "
         "guide"_s,
         nullptr, Controls::none, retrievalGain},
        {"retrieval-loss", InspectGroup::moment, u"loss on copied tokens by distance"_s,
         u"Shows the loss of copied tokens by their distance to the original (lag)."_s, nullptr, Controls::none,
         retrievalLoss},
        {"logit-by-distance", InspectGroup::moment, u"logit by distance"_s,
         u"Shows the mean attention logit by the distance between query and key."_s, nullptr, Controls::layerAndHead,
         logitByDistance},
    };
}

}  // namespace ropelab::ui
