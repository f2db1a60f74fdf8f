#pragma once

#include <cstdint>
#include <span>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// `numbers` are row-major. The map has at most 96 × 96 cells, which show means of neighbouring numbers, on a scale
/// that is symmetric around 0. Numbers that are not finite are left out of the means; a cell without others is blank.
FigureMap numberMap(std::span<const float> numbers, std::int64_t rows, std::int64_t columns, const QString& label);

/// Row 0 is at the top.
void setMatrixAxes(Figure& figure, std::int64_t rows, std::int64_t columns);

}  // namespace ropelab::ui
