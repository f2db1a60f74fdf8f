#include "ui/rooms/results/loss_fit_figure.h"

#include <QJsonDocument>
#include <algorithm>
#include <cmath>

#include "core/results/loss_fit.h"
#include "core/results/results_cells.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "ui/common/format.h"
#include "ui/common/results_words.h"
#include "ui/common/text.h"

namespace ropelab::ui {

namespace {

constexpr int kCurvePoints = 61;
constexpr std::size_t kMostFitBands = 4;   // more bands cover each other
constexpr double kFitCapFraction = 0.008;  // half the width of a bar's caps, as a fraction of the x axis

/// Groups of equal size and number of tokens, which share a fitted curve.
struct FitCurve {
    double parameters = 0;
    double tokens = 0;
    std::vector<std::size_t> groups;  // indices in the table

    bool contains(int group) const {
        return std::any_of(groups.begin(), groups.end(),
                           [&](std::size_t own) { return static_cast<int>(own) == group; });
    }
};

TableLossFit fitOf(const ResultsData& data) {
    std::vector<LossFitSource> sources;
    for (const ResultsRun& run : data.runs) sources.push_back({run.spec, run.state});
    LossFitChoice choice;
    choice.like = data.picked >= 0 ? std::optional(static_cast<std::size_t>(data.picked)) : data.fitLike;
    choice.how_to_choose = QObject::tr(
                               "Select a group in the table (in the terminal: --baseline key=value) to fit only "
                               "the runs that agree with it in these settings.")
                               .toStdString();
    TableLossFit fit = fit_table(data.table(), sources, choice);
    if (fit.fit.fraction.low == fit.fit.fraction.high) {
        throw BadInput(QObject::tr("This figure needs runs at two or more rotated fractions: sweep the fraction in "
                                   "Train, e.g. 0, 25 %, 100 %.")
                           .toStdString());
    }
    return fit;
}

std::vector<FitCurve> curvesOf(const TableLossFit& fit) {
    std::vector<FitCurve> curves;
    for (std::size_t i = 0; i < fit.points.size(); ++i) {
        if (!fit.points[i]) continue;
        const LossPoint& at = *fit.points[i];
        auto known = std::find_if(curves.begin(), curves.end(), [&](const FitCurve& curve) {
            return curve.parameters == at.parameters && curve.tokens == at.tokens;
        });
        if (known == curves.end()) {
            known = curves.insert(curves.end(), {at.parameters, at.tokens, {}});
        }
        known->groups.push_back(i);
    }
    return curves;
}

QString curveLabel(const FitCurve& curve, const LossFit& fit) {
    QStringList words;
    if (fit.parameters.low < fit.parameters.high) words << QObject::tr("N %1").arg(roundText(curve.parameters));
    if (fit.tokens.low < fit.tokens.high) words << QObject::tr("D %1").arg(roundText(curve.tokens));
    return words.join(QStringLiteral(", "));
}

void addFitCurve(Figure& figure, const FitCurve& curve, const TableLossFit& fit, Ink ink, bool withBand) {
    double low = 1;
    double high = 0;
    for (const std::size_t group : curve.groups) {
        low = std::min(low, fit.points[group]->fraction);
        high = std::max(high, fit.points[group]->fraction);
    }
    FigureCurve line = stroke({}, {}, ink);
    FigureBand band{QObject::tr("95 % prediction interval"), ink, {}, {}, {}};
    for (int i = 0; i < kCurvePoints; ++i) {
        // The curve is steepest near 0, where points at equal distances of √p are dense.
        const double root = std::lerp(std::sqrt(low), std::sqrt(high), i / (kCurvePoints - 1.0));
        const double fraction = std::clamp(root * root, low, high);
        const LossPrediction at = predict_loss(fit.fit, {fraction, curve.parameters, curve.tokens}, true);
        line.x.append(100 * fraction);
        line.y.append(at.loss);
        band.lower.append(at.low);
        band.upper.append(at.high);
    }
    band.x = line.x;
    line.dots = false;
    line.label = curveLabel(curve, fit.fit);
    line.quantity = QObject::tr("fit");
    figure.curves.push_back(std::move(line));
    if (withBand) figure.bands.push_back(std::move(band));
}

QString intervalWords(const Measure& measure, const LossPrediction& prediction) {
    return QObject::tr("%1 … %2").arg(text(fixed_text(prediction.low, measure.decimals)),
                                      text(fixed_text(prediction.high, measure.decimals)));
}

void addFitNote(Figure& figure, const TableLossFit& fit, bool allBands) {
    const LossFit& own = fit.fit;
    addNote(figure, QObject::tr("curves: fit to %1 at %2 settings, residual deviation %3 % of the loss")
                        .arg(text(counted(own.n, "run")))
                        .arg(own.settings)
                        .arg(text(rough_text(100 * std::expm1(own.residual_deviation)))));
    addNote(figure, allBands
                        ? QObject::tr("shaded: 95 % prediction interval of one run")
                        : QObject::tr("shaded: 95 % prediction interval of one run, for the selected group's curve"));
    addNote(figure, QObject::tr("bars: ± standard deviation over seeds"));
    if (own.parameters.low < own.parameters.high) addNote(figure, QObject::tr("N: parameters without embeddings"));
    if (own.tokens.low < own.tokens.high) addNote(figure, QObject::tr("D: training tokens"));
    if (own.lack_of_fit && own.lack_of_fit->p < 0.05) {
        addNote(figure, QObject::tr("the settings deviate from the formula by more than the scatter of the seeds (%1)")
                            .arg(text(p_words(own.lack_of_fit->p))));
    }
    if (fit.other_runs > 0) {
        QStringList names;
        for (const std::string& name : fit.chosen_by) names << keyTitle(name);
        addNote(figure, QObject::tr("%1 not in the fit (other values of %2)")
                            .arg(text(counted(fit.other_runs, "run")), names.join(QStringLiteral(", "))));
    }
    figure.note = withUnbreakablePercent(figure.note);
}

QString fitSummary(const TableLossFit& fit) {
    QStringList lines;
    for (const std::string& line : loss_fit_words(fit)) lines << numberText(line).trimmed();
    return withUnbreakablePercent(lines.join(QLatin1Char(' ')));
}

void addFitPoint(ResultsPicture& picture, const ResultsData& data, const TableLossFit& fit, std::size_t group,
                 Ink ink) {
    const Description& described = data.table().groups[group].described[data.table().compared];
    const LossPoint& at = *fit.points[group];
    const LossPrediction fitted = predict_loss(fit.fit, at, true);
    const double x = 100 * at.fraction;
    Figure& figure = picture.figure;
    const double cap = kFitCapFraction * (figure.x.maximum - figure.x.minimum);
    figure.curves.push_back(dot(x, described.mean, kMeanPt, ink, emphasisOf(data, group)));
    addErrorBar(figure, x, described.mean - described.standard_deviation, described.mean + described.standard_deviation,
                cap, ink, emphasisOf(data, group));
    Spot spot = groupSpot(data, group, {x, described.mean});
    spot.rows.append({QObject::tr("fit"), valueText(data.measure(), fitted.loss)});
    spot.rows.append({QObject::tr("95 % prediction interval"), intervalWords(data.measure(), fitted)});
    spot.rows.append({QObject::tr("parameters (N)"), groupedText(std::llround(at.parameters))});
    spot.rows.append({QObject::tr("training tokens (D)"), groupedText(std::llround(at.tokens))});
    picture.spots.push_back(std::move(spot));
    const double numbers[] = {x,
                              at.parameters,
                              at.tokens,
                              static_cast<double>(described.n),
                              described.mean,
                              described.standard_deviation,
                              fitted.loss,
                              fitted.low,
                              fitted.high};
    for (qsizetype i = 0; i < figure.table.columns.size(); ++i) figure.table.columns[i].append(numbers[i]);
}

}  // namespace

ResultsPicture lossFitFigure(const ResultsData& data) {
    ResultsPicture picture{emptyFigure(data, "loss-fit"), {}};
    Figure& figure = picture.figure;
    figure.x = {QObject::tr("rotated fraction of a head"), QStringLiteral("%")};
    figure.y = {measureTitle(data.measure()), measureUnit(data.measure())};
    std::optional<TableLossFit> made;
    try {
        made = fitOf(data);
    } catch (const BadInput& problem) {
        figure.emptyText = withUnbreakablePercent(text(problem.what()));
        figure.summary = figure.emptyText;
        return picture;
    }
    const TableLossFit& fit = *made;
    figure.settings.insert(QStringLiteral("loss_fit"),
                           QJsonDocument::fromJson(QByteArray::fromStdString(loss_fit_json(fit).dump())).object());
    figure.summary = fitSummary(fit);
    figure.table.names = {QObject::tr("rotated fraction (%)"),
                          QObject::tr("parameters without embeddings"),
                          QObject::tr("training tokens"),
                          QObject::tr("n"),
                          QObject::tr("mean"),
                          QObject::tr("standard deviation"),
                          QObject::tr("fit"),
                          QObject::tr("95 % prediction interval, low"),
                          QObject::tr("95 % prediction interval, high")};
    figure.table.columns.resize(figure.table.names.size());
    QList<double> places;
    for (const auto& point : fit.points) places.append(point ? 100 * point->fraction : std::nan(""));
    padX(figure, places);
    for (const double x : std::as_const(places)) {
        if (std::isfinite(x) && !figure.x.marks.contains(x)) figure.x.marks.append(x);
    }
    const std::vector<FitCurve> curves = curvesOf(fit);
    const bool allBands = curves.size() <= kMostFitBands;
    std::vector<std::size_t> first;
    for (const FitCurve& curve : curves) first.push_back(curve.groups.front());
    const std::vector<Ink> inks = seriesInks(data, first);
    for (std::size_t i = 0; i < curves.size(); ++i) {
        addFitCurve(figure, curves[i], fit, inks[i], allBands || curves[i].contains(data.picked));
    }
    std::vector<std::size_t> drawn;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        for (const std::size_t group : curves[i].groups) {
            const Ink own = data.results.inkOf(data.table().groups[group]);
            addFitPoint(picture, data, fit, group, curves.size() > 1 ? inks[i] : own);
            drawn.push_back(group);
        }
    }
    addKeys(figure.table, data.table(), drawn);
    addFitNote(figure, fit, allBands);
    addDiverged(picture, data, places);
    return picture;
}

}  // namespace ropelab::ui
