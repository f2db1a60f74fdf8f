#include "ui/models/model_figures.h"

#include <QJsonArray>
#include <QPainter>
#include <algorithm>
#include <cmath>
#include <limits>

#include "ui/models/model_entry.h"

namespace ropelab::ui {
namespace {

/// Adds a table with the numbers of every model, and their names in the same order.
void addData(Figure& figure, std::span<const MapPoint> points, const RotarySetup& current) {
    FigureTable table;
    table.names = {QObject::tr("context (tokens)"), QObject::tr("theta"), QObject::tr("head dimension"),
                   QObject::tr("rotary dimension"), QObject::tr("b_eff"), QObject::tr("slowest wavelength (tokens)")};
    table.columns.resize(table.names.size());
    QJsonArray names;
    for (const MapPoint& point : points) {
        const RotarySetup& setup = point.setup;
        const double row[] = {static_cast<double>(setup.context),   setup.theta,
                              static_cast<double>(setup.head_dim),  static_cast<double>(rotary_dim(setup)),
                              quantityOf(setup, MapQuantity::base), quantityOf(setup, MapQuantity::wavelength)};
        for (qsizetype i = 0; i < table.columns.size(); ++i) {
            table.columns[i].append(row[i]);
        }
        names.append(point.name);
    }
    figure.table = table;
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(current))},
                       {QStringLiteral("models"), names}};
}

Figure knownMap(const RotarySetup& setup, const ModelShape&) {
    const std::vector<MapPoint> points = knownPoints();
    return modelMapFigure(points, setup, MapQuantity::base);
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

MapDrawing mapOf(std::span<const MapPoint> points, const RotarySetup& current, MapQuantity quantity, int picked) {
    const auto placeOf = [&](const RotarySetup& setup) {
        return QPointF(static_cast<double>(setup.context), quantityOf(setup, quantity));
    };
    MapDrawing map;
    map.xTitle = QObject::tr("context (tokens)");
    map.yTitle =
        quantity == MapQuantity::wavelength ? QObject::tr("%1 (tokens)").arg(titleOf(quantity)) : titleOf(quantity);
    map.emptyText = QObject::tr("No model matches the search.");
    for (std::size_t i = 0; i < points.size(); ++i) {
        const QPointF at = placeOf(points[i].setup);
        if (!std::isfinite(at.y())) {
            continue;
        }
        auto spot = std::find_if(map.spots.begin(), map.spots.end(),
                                 [&](const MapDrawing::Spot& other) { return other.at == at; });
        if (spot == map.spots.end()) {
            spot = map.spots.insert(spot, {at, {}, false});
        }
        if (static_cast<int>(i) == picked) {
            spot->isPicked = true;
            spot->names.prepend(points[i].name);
        } else {
            spot->names.append(points[i].name);
        }
    }
    if (std::isfinite(placeOf(current).y())) {
        map.current = placeOf(current);
    }
    return map;
}

Figure modelMapFigure(std::span<const MapPoint> points, const RotarySetup& current, MapQuantity quantity, int picked) {
    Figure figure;
    figure.name = QStringLiteral("model-map");
    figure.summary = QObject::tr("The map shows %1 models by context and %2").arg(points.size()).arg(titleOf(quantity));
    if (picked >= 0 && picked < static_cast<int>(points.size())) {
        figure.summary += QObject::tr("; %1 is selected").arg(points[static_cast<std::size_t>(picked)].name);
    }
    figure.summary += QStringLiteral(".");
    figure.drawing = [map = mapOf(points, current, quantity, picked)](QPainter& painter, const QRectF& rect,
                                                                      const FigureStyle& style) {
        paintMap(map, painter, rect, style);
    };
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
    static constexpr RotaryFigure figures[] = {{"model-map", knownMap}};
    return figures;
}

}  // namespace ropelab::ui
