#pragma once

#include <QString>
#include <span>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

struct MapPoint {
    QString name;
    RotarySetup setup;
};

/// Vertical axis: the effective base b_eff, theta, or the wavelength of the slowest rotated pair.
enum class MapQuantity { base, theta, wavelength };
/// NaN if no channel rotates. Wavelengths are in tokens, before scaling.
double quantityOf(const RotarySetup& setup, MapQuantity quantity);
/// "effective base b_eff".
QString titleOf(MapQuantity quantity);

/// `picked` is an index of `points`, −1 for none. Models at one place share a spot; those without rotation are omitted.
Figure modelMapFigure(std::span<const MapPoint> points, const RotarySetup& current, MapQuantity quantity,
                      int picked = -1);

/// Published models, each with the first of its layer types.
std::vector<MapPoint> knownPoints();

/// "model-map".
std::span<const RotaryFigure> modelFigures();

}  // namespace ropelab::ui
