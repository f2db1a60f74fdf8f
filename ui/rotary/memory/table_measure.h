#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// A larger table is not allocated for a measurement.
constexpr std::int64_t kMostMeasured = std::int64_t{1} << 31;

/// The bytes of a setup's table as RoPE Lab keeps it: float32, each angle once, stopped pairs of truncate included.
std::int64_t plannedTableBytes(const RotarySetup& setup);

/// What a table took that was allocated and filled.
struct MeasuredTable {
    std::int64_t positions = 0;
    std::int64_t pairs = 0;
    std::int64_t bytes = 0;  // of both arrays, as many as they hold room for
};
/// Allocates and fills the table of positions 0 … context − 1, and lets it go; nullopt where cancelled or where memory
/// does not suffice.
std::optional<MeasuredTable> measureTable(const RotarySetup& setup, const Cancelled& cancelled = {});

/// The measurement beside F31 for the same layout.
QString measuredSentence(const RotarySetup& setup, const MeasuredTable& measured);
/// Why a setup's table is not measured; "" if it can be.
QString refusalSentence(const RotarySetup& setup);

}  // namespace ropelab::ui
