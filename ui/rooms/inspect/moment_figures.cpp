#include "ui/rooms/inspect/moment_figures.h"

#include <QObject>

#include "ui/common/format.h"
#include "ui/probes/interval_bands.h"
#include "ui/rooms/inspect/course_figures.h"

namespace ropelab::ui {
namespace {

/// The curves of the first snapshot and of the second run are drawn behind that of the cursor.
InspectPicture atCursor(const InspectData& data, const char* name, Axis x, Axis y,
                        const std::function<FigureCurve(const ProbeResult&, Ink)>& make,
                        const std::function<FigureBand(const ProbeResult&, const FigureCurve&)>& band,
                        const std::function<QString(const ProbeResult&)>& counts) {
    const Snapshot* now = data.snapshot();
    if (!now) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = std::move(x);
    figure.y = std::move(y);
    FigureCurve curve = make(*now->result, data.run->ink);
    if (curve.x.isEmpty()) return withoutNumbers(data, name);
    const Snapshot& first = data.run->snapshots.front();
    if (first.iteration != now->iteration) {
        FigureCurve start = make(*first.result, {Ink::Kind::quiet});
        start.companion = true;
        start.isNamed = true;
        start.label = QObject::tr("step %1").arg(groupedText(first.iteration));
        start.quantity = QObject::tr("%1, step %2").arg(figure.y.label, groupedText(first.iteration));
        figure.curves.push_back(std::move(start));
    }
    if (const Snapshot* other = data.ghostSnapshot()) {
        figure.curves.push_back(ghostCurve(make(*other->result, data.ghost->ink), *data.ghost));
        FigureBand behind = band(*other->result, figure.curves.back());
        behind.label = QObject::tr("95 % interval, %1").arg(data.ghost->name);
        addBand(figure, std::move(behind));
    }
    addBand(figure, band(*now->result, curve));
    curve.label = QObject::tr("step %1").arg(groupedText(now->iteration));
    figure.curves.push_back(std::move(curve));
    figure.note = QObject::tr("%1; %2").arg(data.run->name, counts(*now->result));
    figure.summary =
        QObject::tr("%1 against %2 of %3 after %4 steps; %5.")
            .arg(figure.y.label, figure.x.label, data.run->name, groupedText(now->iteration), counts(*now->result));
    return picture;
}

/// The baseline is the value for the first occurrence of the copied tokens, which cannot be predicted by copying.
void addBaseline(Figure& figure, const InspectData& data, const std::function<double(const RetrievalPoint&)>& number) {
    if (figure.curves.empty()) return;
    FigureCurve baseline = inspectCurve({}, QObject::tr("baseline: first occurrence"), {Ink::Kind::quiet}, {}, {});
    baseline.shape = FigureCurve::Shape::points;
    baseline.pointPt = 5;
    for (const RetrievalPoint& point : data.snapshot()->result->retrieval) {
        baseline.x.append(static_cast<double>(point.lag));
        baseline.y.append(number(point));
    }
    figure.curves.insert(figure.curves.begin(), std::move(baseline));
    figure.note += QObject::tr("; points: baseline (first occurrence of the copied tokens)");
}

QString intervalLabel() {
    return QObject::tr("95 % interval");
}

}  // namespace

QList<double> lagsOf(const ProbeResult& result) {
    QList<double> x;
    for (const RetrievalPoint& point : result.retrieval) x.append(static_cast<double>(point.lag));
    return x;
}

QList<double> accuraciesOf(const ProbeResult& result) {
    QList<double> y;
    for (const RetrievalPoint& point : result.retrieval) y.append(100 * point.accuracy);
    return y;
}

QList<double> lossesOf(const ProbeResult& result) {
    QList<double> y;
    for (const RetrievalPoint& point : result.retrieval) y.append(point.loss);
    return y;
}

InspectPicture lossByPosition(const InspectData& data) {
    return atCursor(
        data, "loss-by-position", {QObject::tr("position"), QObject::tr("tokens")},
        {QObject::tr("validation loss"), QObject::tr("nats")},
        [](const ProbeResult& result, Ink ink) {
            FigureCurve curve = inspectCurve({}, QObject::tr("validation loss"), ink, {}, {});
            for (std::size_t i = 0; i < result.loss_by_position.size(); ++i) {
                curve.x.append(static_cast<double>(i));
                curve.y.append(result.loss_by_position[i]);
            }
            return curve;
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            return meanBand(intervalLabel(), curve.ink, curve.x, curve.y, result.loss_by_position_error,
                            result.sequences);
        },
        [](const ProbeResult& result) { return sequencesNote(result, !result.loss_by_position_error.empty()); });
}

InspectPicture retrievalAccuracy(const InspectData& data) {
    InspectPicture picture = atCursor(
        data, "retrieval-accuracy", {QObject::tr("lag Δ"), QObject::tr("tokens"), true},
        {QObject::tr("retrieval accuracy"), QStringLiteral("%")},
        [](const ProbeResult& result, Ink ink) {
            return inspectCurve({}, QObject::tr("retrieval accuracy"), ink, lagsOf(result), accuraciesOf(result));
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            return accuracyBand(intervalLabel(), curve.ink, result);
        },
        retrievalNote);
    addBaseline(picture.figure, data, [](const RetrievalPoint& point) { return 100 * point.first_accuracy; });
    if (!picture.figure.curves.empty()) picture.figure.y.minimum = 0;
    return picture;
}

InspectPicture retrievalLoss(const InspectData& data) {
    InspectPicture picture = atCursor(
        data, "retrieval-loss", {QObject::tr("lag Δ"), QObject::tr("tokens"), true},
        {QObject::tr("loss on copied tokens"), QObject::tr("nats")},
        [](const ProbeResult& result, Ink ink) {
            return inspectCurve({}, QObject::tr("loss on copied tokens"), ink, lagsOf(result), lossesOf(result));
        },
        [](const ProbeResult& result, const FigureCurve& curve) {
            std::vector<double> errors;
            for (const RetrievalPoint& point : result.retrieval) errors.push_back(point.loss_error);
            const std::int64_t sequences = result.retrieval.empty() ? 0 : result.retrieval.front().sequences;
            return meanBand(intervalLabel(), curve.ink, curve.x, curve.y, errors, sequences);
        },
        retrievalNote);
    addBaseline(picture.figure, data, [](const RetrievalPoint& point) { return point.first_loss; });
    return picture;
}

InspectPicture logitByDistance(const InspectData& data) {
    constexpr const char* name = "logit-by-distance";
    const Snapshot* now = data.snapshot();
    if (!now || now->result->logit_by_distance.empty()) return withoutNumbers(data, name);
    InspectPicture picture{inspectFigure(data, name)};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("distance Δ"), QObject::tr("tokens")};
    figure.y = {QObject::tr("mean logit"), {}};
    int index = 0;
    for (const HeadLine& line : headLines(data)) {
        const auto curveOf = [&](const ProbeResult& result, Ink ink) {
            const auto row = meanRow(result.logit_by_distance, line.layer, line.head, data.run->spec.heads);
            FigureCurve curve = inspectCurve(line.label, figure.y.label, ink, {}, {row.begin(), row.end()});
            for (const std::int64_t distance : result.distances) curve.x.append(static_cast<double>(distance));
            return curve;
        };
        const Ink ink = Ink::data(index++);
        if (const Snapshot* other = data.ghostSnapshot()) {
            figure.curves.push_back(ghostCurve(curveOf(*other->result, ink), *data.ghost));
        }
        figure.curves.push_back(curveOf(*now->result, ink));
        const FigureCurve& curve = figure.curves.back();
        addBand(figure,
                meanBand(QObject::tr("%1, 95 % interval").arg(line.label), ink, curve.x, curve.y,
                         meanRow(now->result->logit_by_distance_error, line.layer, line.head, data.run->spec.heads),
                         now->result->sequences));
    }
    figure.note = QObject::tr("step %2: %1; %3")
                      .arg(data.run->name, groupedText(now->iteration),
                           headsNote(sequencesNote(*now->result, !figure.bands.empty()), data, !figure.bands.empty()));
    figure.summary =
        QObject::tr("Mean logit by distance of %1 after %2 steps.").arg(data.run->name, groupedText(now->iteration));
    return picture;
}

}  // namespace ropelab::ui
