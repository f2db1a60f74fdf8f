#pragma once

#include <cstdint>
#include <span>

#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Returns a matrix, rows × columns and row-major, as a heat map of at most 96 × 96 cells, which show means of
/// neighbouring numbers. The scale is symmetric around 0. Numbers that are not finite are left out of the means; a cell
/// without others is blank.
FigureMap numberMap(std::span<const float> numbers, std::int64_t rows, std::int64_t columns, const QString& label);

/// Sets the axes of a figure to the rows and columns of its matrix, with row 0 at the top.
void setMatrixAxes(Figure& figure, std::int64_t rows, std::int64_t columns);

}  // namespace ropelab::ui
