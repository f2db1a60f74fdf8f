#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// The largest table that a measurement allocates.
constexpr std::int64_t kMaxMeasuredBytes = std::int64_t{1} << 31;

/// As RoPE Lab stores the table: in float32, each angle once, including the unrotated pairs of truncate.
std::int64_t plannedTableBytes(const RotarySetup& setup);

struct MeasuredTable {
    std::int64_t positions = 0;
    std::int64_t pairs = 0;
    std::int64_t bytes = 0;  // capacity of the arrays of cosines and sines
};
/// Allocates and fills the table of positions 0 … context − 1, measures it and frees it. nullopt if the measurement is
/// cancelled or there is not enough memory.
std::optional<MeasuredTable> measureTable(const RotarySetup& setup, const Cancelled& cancelled = {});

/// The measured size and the size by F31 for the same layout.
QString measuredSentence(const RotarySetup& setup, const MeasuredTable& measured);
/// As long as the longest measuredSentence(); a label reserves its space.
QString longestMeasuredSentence();
/// "" if the table can be measured.
QString refusalSentence(const RotarySetup& setup);

}  // namespace ropelab::ui
