#include "ui/rooms/anatomy/number_map.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace ropelab::ui {
namespace {

constexpr std::int64_t kMostCells = 96;

/// The first and the last index of the numbers that the cell averages.
std::pair<std::int64_t, std::int64_t> cellRange(std::int64_t cell, std::int64_t cells, std::int64_t numbers) {
    return {cell * numbers / cells, std::max(cell * numbers / cells + 1, (cell + 1) * numbers / cells)};
}

}  // namespace

FigureMap numberMap(std::span<const float> numbers, std::int64_t rows, std::int64_t columns, const QString& label) {
    FigureMap map;
    map.label = label;
    map.rows = static_cast<int>(std::min(rows, kMostCells));
    map.columns = static_cast<int>(std::min(columns, kMostCells));
    map.scale = FigureMap::Scale::diverging;
    map.yStep = static_cast<double>(rows) / map.rows;
    map.xStep = static_cast<double>(columns) / map.columns;
    map.yFirst = (map.yStep - 1) / 2;
    map.xFirst = (map.xStep - 1) / 2;
    for (int r = 0; r < map.rows; ++r) {
        const auto [firstRow, lastRow] = cellRange(r, map.rows, rows);
        for (int c = 0; c < map.columns; ++c) {
            const auto [firstColumn, lastColumn] = cellRange(c, map.columns, columns);
            double sum = 0;
            std::int64_t count = 0;
            for (std::int64_t row = firstRow; row < lastRow; ++row) {
                for (std::int64_t column = firstColumn; column < lastColumn; ++column) {
                    const float number = numbers[static_cast<std::size_t>(row * columns + column)];
                    if (!std::isfinite(number)) continue;
                    sum += static_cast<double>(number);
                    ++count;
                }
            }
            map.values.append(count == 0 ? std::numeric_limits<float>::quiet_NaN()
                                         : static_cast<float>(sum / static_cast<double>(count)));
        }
    }
    return map;
}

void setMatrixAxes(Figure& figure, std::int64_t rows, std::int64_t columns) {
    figure.y.downwards = true;
    figure.x.minimum = -0.5;
    figure.x.maximum = static_cast<double>(columns) - 0.5;
    figure.y.minimum = -0.5;
    figure.y.maximum = static_cast<double>(rows) - 0.5;
}

}  // namespace ropelab::ui
