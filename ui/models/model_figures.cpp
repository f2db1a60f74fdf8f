#include "ui/models/model_figures.h"

#include <QJsonArray>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/model_entry.h"

namespace ropelab::ui {
namespace {

void addData(Figure& figure, std::span<const MapPoint> points, const RotarySetup& current) {
    figure.table.names = {
        QObject::tr("context (tokens)"), QObject::tr("theta"), QObject::tr("head dimension"),
        QObject::tr("rotary dimension"), QObject::tr("b_eff"), QObject::tr("slowest wavelength (tokens)")};
    figure.table.columns.resize(figure.table.names.size());  // also without rows
    QJsonArray names;
    for (const MapPoint& point : points) {
        const RotarySetup& setup = point.setup;
        figure.table.addRow({static_cast<double>(setup.context), setup.theta, static_cast<double>(setup.head_dim),
                             static_cast<double>(rotary_dim(setup)), quantityOf(setup, MapQuantity::base),
                             quantityOf(setup, MapQuantity::wavelength)});
        names.append(point.name);
    }
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(current))},
                       {QStringLiteral("models"), names}};
}

FigureCurve spotOf(const RotarySetup& setup, MapQuantity quantity, Ink ink, bool isPicked) {
    FigureCurve spot;
    spot.quantity = titleOf(quantity);
    spot.ink = ink;
    spot.x = {static_cast<double>(setup.context)};
    spot.y = {quantityOf(setup, quantity)};
    spot.shape = FigureCurve::Shape::points;
    spot.pointPt = isPicked ? 8 : 5;
    spot.emphasis = isPicked ? FigureCurve::Emphasis::picked : FigureCurve::Emphasis::normal;
    spot.companion = !isPicked;
    return spot;
}

/// All models at the same place share one spot, with the name of the selected or else the first of them.
void addSpots(Figure& figure, std::span<const MapPoint> points, MapQuantity quantity, int picked) {
    std::vector<QStringList> names;  // by spot
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool isPicked = static_cast<int>(i) == picked;
        const FigureCurve spot =
            spotOf(points[i].setup, quantity, {isPicked ? Ink::Kind::text : Ink::Kind::rotated}, isPicked);
        if (!std::isfinite(spot.y.first())) {
            continue;
        }
        const auto same = std::find_if(figure.curves.begin(), figure.curves.end(), [&](const FigureCurve& other) {
            return other.x == spot.x && other.y == spot.y;
        });
        QStringList& here = same == figure.curves.end() ? names.emplace_back() : names[same - figure.curves.begin()];
        here.insert(isPicked ? 0 : here.size(), points[i].name);
        if (same == figure.curves.end()) {
            figure.curves.push_back(spot);
        } else if (isPicked) {
            *same = spot;
        }
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        figure.curves[i].label = names[i].first();
        if (names[i].size() > 1) figure.curves[i].label += QStringLiteral(" +%1").arg(names[i].size() - 1);
    }
}

/// A crosshair over the whole map, unless no channel rotates.
void addCurrent(Figure& figure, const RotarySetup& current, MapQuantity quantity) {
    FigureCurve spot = spotOf(current, quantity, {Ink::Kind::accent}, false);
    if (std::isfinite(spot.y.first())) {
        spot.emphasis = FigureCurve::Emphasis::picked;  // drawn above the selected model
        figure.verticalLines.push_back({spot.x.first(), QObject::tr("current setup"), spot.ink});
        figure.horizontalLines.push_back({spot.y.first(), {}, spot.ink});
        figure.curves.push_back(spot);
    }
}

void fitAxis(Axis& axis, const std::vector<FigureCurve>& spots, QList<double> FigureCurve::*values) {
    const auto [low, high] = std::minmax_element(
        spots.begin(), spots.end(),
        [&](const FigureCurve& a, const FigureCurve& b) { return (a.*values).first() < (b.*values).first(); });
    const double least = ((*low).*values).first();
    const double most = ((*high).*values).first();
    const double margin = std::max(1.3, std::pow(most / least, 0.06));
    axis.minimum = least / margin;
    axis.maximum = most * margin;
}

Figure knownMap(const RotarySetup& setup, const ModelShape&) {
    const std::vector<MapPoint> points = knownPoints();
    return modelMapFigure(points, setup, MapQuantity::base);
}

/// Both setups are crosshairs: the models are the same for both.
Figure comparedMap(const ShapedSetup& a, const ShapedSetup& b) {
    Figure figure = knownMap(a.setup, a.shape);
    const ComparedNames names = comparedNames(a, b);
    for (FigureLine& line : figure.verticalLines) line.label = names.titleA();
    FigureCurve spot = spotOf(b.setup, MapQuantity::base, {Ink::Kind::compared}, false);
    if (std::isfinite(spot.y.first())) {
        spot.emphasis = FigureCurve::Emphasis::picked;
        figure.verticalLines.push_back({spot.x.first(), names.titleB(), spot.ink});
        figure.horizontalLines.push_back({spot.y.first(), {}, spot.ink});
        figure.curves.push_back(spot);
    }
    fitAxis(figure.x, figure.curves, &FigureCurve::x);
    fitAxis(figure.y, figure.curves, &FigureCurve::y);
    figure.settings.insert(QStringLiteral("setup"), QString::fromStdString(setups_text({a.setup, b.setup})));
    figure.settings.insert(QStringLiteral("compared"), names.titleOfBoth(QStringLiteral("; ")));
    return figure;
}

}  // namespace

double quantityOf(const RotarySetup& setup, MapQuantity quantity) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) {
        return std::numeric_limits<double>::quiet_NaN();
    }
    switch (quantity) {
        case MapQuantity::base:
            return effectiveBase(setup);
        case MapQuantity::theta:
            return setup.theta;
        case MapQuantity::wavelength:
            break;
    }
    const auto waves = wavelengths(frequencies(plain_settings(setup)));
    return waves[static_cast<std::size_t>(rotated / 2 - 1)];
}

QString titleOf(MapQuantity quantity) {
    switch (quantity) {
        case MapQuantity::base:
            return QObject::tr("effective base b_eff");
        case MapQuantity::theta:
            return QObject::tr("base θ");
        case MapQuantity::wavelength:
            return QObject::tr("slowest wavelength");
    }
    return {};
}

Figure modelMapFigure(std::span<const MapPoint> points, const RotarySetup& current, MapQuantity quantity, int picked) {
    Figure figure;
    figure.name = QStringLiteral("model-map");
    figure.summary = QObject::tr("The map shows %1 models by context and %2").arg(points.size()).arg(titleOf(quantity));
    if (picked >= 0 && picked < static_cast<int>(points.size())) {
        figure.summary += QObject::tr("; %1 is selected").arg(points[static_cast<std::size_t>(picked)].name);
    }
    figure.summary += QStringLiteral(".");
    figure.emptyText = QObject::tr("No model matches the search.");
    figure.x = {QObject::tr("context"), QObject::tr("tokens"), true};
    figure.y = {titleOf(quantity), quantity == MapQuantity::wavelength ? QObject::tr("tokens") : QString(), true};
    addSpots(figure, points, quantity, picked);
    if (!figure.curves.empty()) {
        addCurrent(figure, current, quantity);
        fitAxis(figure.x, figure.curves, &FigureCurve::x);
        fitAxis(figure.y, figure.curves, &FigureCurve::y);
    }
    addData(figure, points, current);
    return figure;
}

std::vector<MapPoint> knownPoints() {
    std::vector<MapPoint> points;
    for (const ModelEntry& entry : knownModels()) {
        points.push_back({entry.name, entry.rotary(0).setup});
    }
    return points;
}

std::span<const RotaryFigure> modelFigures() {
    static constexpr RotaryFigure figures[] = {{"model-map", knownMap, comparedMap}};
    return figures;
}

}  // namespace ropelab::ui
