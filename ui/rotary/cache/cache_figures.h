#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

enum class TablePart { cosine, sine };

/// What is shown of the cos/sin table.
struct CacheOptions {
    /// Angles computed in the setup's precision in place of double.
    bool anglesInFormat = false;
    /// A stretch of kStretch positions from here on; without, the whole context with a stride.
    std::optional<std::int64_t> stretchFrom = {};
    /// At most so many positions side by side.
    int mostColumns = 1024;

    bool operator==(const CacheOptions&) const = default;
};
constexpr std::int64_t kStretch = 256;

/// Positions on show: first, first + stride, …, one a column.
struct ShownPositions {
    std::int64_t first = 0;
    std::int64_t stride = 1;  // odd, so that it does not meet only what a short significand can hold
    int columns = 0;
};
ShownPositions shownPositions(const RotarySetup& setup, const CacheOptions& options);

/// The pair that each channel of the table belongs to, in the setup's pairing: d_r channels for slice, the head's for
/// truncate, each angle standing at both channels of its pair as Hugging Face lays it out.
std::vector<int> channelsOfTable(const RotarySetup& setup);

/// The table as it is stored, positions × channels.
Figure cacheTableFigure(const RotarySetup& setup, TablePart part, const CacheOptions& options = {});
/// Marks the two channels of a pair in it.
void markChannels(Figure& figure, const RotarySetup& setup, std::optional<int> pair);
/// The largest error of every pair against double, for storing and for computing angles in the setup's precision.
Figure cacheErrorFigure(const RotarySetup& setup);
/// Marks a pair in it.
void markPair(Figure& figure, std::optional<int> pair);

/// From which position on the precision miscounts, and by how much in this context; one or two sentences.
QString positionsSentence(const RotarySetup& setup);
/// The table's bytes in both layouts (F31).
QString bytesSentence(const RotarySetup& setup);

/// The room's figures by name: cache-table (cosines), cache-table-sine, cache-error.
std::span<const RotaryFigure> cacheFigures();

}  // namespace ropelab::ui
