#include "ui/models/model_figures.h"

#include <QJsonArray>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/figure/paint/printed_figure.h"
#include "ui/models/model_entry.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kMapHeightMm = 110;  // at which most models have space for their name

void addData(Figure& figure, std::span<const MapPoint> points, const RotarySetup& current) {
    figure.table = FigureTable::of({u"context (tokens)"_s, u"theta"_s, u"head dimension"_s, u"rotary dimension"_s,
                                    u"b_eff"_s, u"slowest wavelength (tokens)"_s});
    QJsonArray names;
    QStringList words;
    for (const MapPoint& point : points) {
        const RotarySetup& setup = point.setup;
        figure.table.addRow({static_cast<double>(setup.context), setup.theta, static_cast<double>(setup.head_dim),
                             static_cast<double>(rotary_dim(setup)), quantityOf(setup, MapQuantity::base),
                             quantityOf(setup, MapQuantity::wavelength)});
        names.append(point.name);
        words << point.name;
    }
    figure.table.words = {{u"model"_s, words}};
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(current))}, {u"models"_s, names}};
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
    std::vector<FigureCurve>& spots = figure.curves;
    for (std::size_t i = 0; i < points.size(); ++i) {
        const bool isPicked = static_cast<int>(i) == picked;
        FigureCurve spot = spotOf(points[i].setup, quantity, {Ink::Kind::rotated}, isPicked);
        spot.label = points[i].name;
        if (std::isfinite(spot.y.first())) spots.insert(isPicked ? spots.begin() : spots.end(), spot);
    }
    joinPoints(spots);
    if (!spots.empty() && spots.front().emphasis == FigureCurve::Emphasis::picked) {
        spots.front().ink = {Ink::Kind::text};
    }
}

/// A crosshair over the whole map, unless no channel rotates.
void addCurrent(Figure& figure, const RotarySetup& current, MapQuantity quantity) {
    FigureCurve spot = spotOf(current, quantity, {Ink::Kind::accent}, false);
    if (std::isfinite(spot.y.first())) {
        spot.emphasis = FigureCurve::Emphasis::picked;  // drawn above the selected model
        figure.verticalLines.push_back({spot.x.first(), u"setup"_s, spot.ink});
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
    figure.note.replace(u"dashed: the setup"_s, u"dashed: the setups A and B"_s);
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
    figure.settings.insert(u"setup"_s, QString::fromStdString(setups_text({a.setup, b.setup})));
    figure.settings.insert(u"compared"_s, names.titleOfBoth(u"; "_s));
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
            return u"effective base"_s;
        case MapQuantity::theta:
            return u"base θ"_s;
        case MapQuantity::wavelength:
            return u"slowest wavelength"_s;
    }
    return {};
}

Figure modelMapFigure(std::span<const MapPoint> points, const RotarySetup& current, MapQuantity quantity, int picked) {
    Figure figure;
    figure.name = u"model-map"_s;
    figure.summary =
        u"The map of models shows %1 models by context length and %2"_s.arg(points.size()).arg(titleOf(quantity));
    if (picked >= 0 && picked < static_cast<int>(points.size())) {
        figure.summary += u"; %1 is selected"_s.arg(points[static_cast<std::size_t>(picked)].name);
    }
    figure.summary += u"."_s;
    figure.emptyText = u"No model matches the search."_s;
    figure.note = u"points: models; +1: one more at the same place; dashed: the setup"_s;
    if (quantity == MapQuantity::base)
        figure.note += u"; effective base: θ of a fully rotated head with equal fast pairs"_s;
    figure.heightMm = kMapHeightMm;
    figure.x = {u"context"_s, u"tokens"_s, true};
    figure.y = {titleOf(quantity), quantity == MapQuantity::wavelength ? u"tokens"_s : QString(), true};
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
    static const RotaryFigure figures[] = {{"model-map", knownMap, comparedMap}};
    return figures;
}

}  // namespace ropelab::ui
