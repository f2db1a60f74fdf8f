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

struct CacheOptions {
    /// Compute the angles in the setup's precision instead of double.
    bool anglesInFormat = false;
    /// First of kRangeLength consecutive positions. Without it the figure shows the whole context with a stride.
    std::optional<std::int64_t> rangeStart = {};
    int maxColumns = 1024;

    bool operator==(const CacheOptions&) const = default;
};
constexpr std::int64_t kRangeLength = 256;

/// Shown are first, first + stride, …, one per column.
struct ShownPositions {
    std::int64_t first = 0;
    std::int64_t middle = 0;  // place within a column of the position that it shows, with the mean of all of them
    std::int64_t stride = 1;  // odd: at an even stride, short formats would represent every shown position exactly
    int columns = 0;
};
ShownPositions shownPositions(const RotarySetup& setup, const CacheOptions& options);

/// The table has d_r channels for slice and the whole head's for truncate. Each angle occurs at both channels of its
/// pair, as in Hugging Face transformers.
std::vector<int> pairsByChannel(const RotarySetup& setup);

/// Values as the table stores them, positions × channels.
Figure cacheTableFigure(const RotarySetup& setup, TablePart part, const CacheOptions& options = {});
void markChannels(Figure& figure, const RotarySetup& setup, std::optional<int> pair);
/// Each pair's largest absolute error against double, once for entries that are rounded to the setup's precision and
/// once for angles that are computed in it.
Figure cacheErrorFigure(const RotarySetup& setup);
void markPair(Figure& figure, std::optional<int> pair);

/// The first position that the setup's precision cannot represent, and the largest error of a position in the context.
QString positionsSentence(const RotarySetup& setup);
/// The size of the table in both layouts (F31).
QString bytesSentence(const RotarySetup& setup);

/// Named cosine-table, sine-table, table-error.
std::span<const RotaryFigure> cacheFigures();

}  // namespace ropelab::ui
