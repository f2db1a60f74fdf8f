#pragma once

#include <QString>
#include <span>
#include <vector>

#include "ui/rotary/models/map_drawing.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// A model on the map.
struct MapPoint {
    QString name;
    RotarySetup setup;
};

/// What stands up the map: b_eff, theta, or the wavelength of the slowest pair that turns.
enum class MapHeight { base, theta, wavelength };
/// The height of a setup; NaN where nothing turns. Wavelengths are those before scaling.
double heightOf(const RotarySetup& setup, MapHeight height);
/// "b_eff, base of the whole head".
QString titleOf(MapHeight height);

/// The models by context and height, those at one place as one spot, with the present setup and the picked model
/// marked. What has no height is left out.
MapDrawing mapOf(std::span<const MapPoint> points, const RotarySetup& present, MapHeight height, int picked = -1);
/// The same as a figure, with the numbers of every model.
Figure modelMapFigure(std::span<const MapPoint> points, const RotarySetup& present, MapHeight height, int picked = -1);

/// The published models, each with its first layer type.
std::vector<MapPoint> knownPoints();

/// The figures by name: "model-map".
std::span<const RotaryFigure> modelFigures();

}  // namespace ropelab::ui
