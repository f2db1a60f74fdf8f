#include "ui/rooms/memory/table_measure.h"

#include <QObject>
#include <algorithm>
#include <new>
#include <numeric>

#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "ui/common/format.h"
#include "ui/rooms/memory/memory_sizes.h"

namespace ropelab::ui {
namespace {

constexpr std::int64_t kChunk = 4096;  // positions between two checks for cancellation

std::int64_t pairsOfTable(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    return rotated == 0 ? 0 : (setup.partial == Partial::truncate ? setup.head_dim : rotated) / 2;
}

}  // namespace

std::int64_t plannedTableBytes(const RotarySetup& setup) {
    return rope_cache_bytes(static_cast<int>(2 * pairsOfTable(setup)), setup.context, sizeof(float),
                            TableLayout::single);
}

std::optional<MeasuredTable> measureTable(const RotarySetup& setup, const Cancelled& cancelled) {
    const Frequencies now = frequencies(frequency_settings(setup));
    RotationTable table;
    table.pairs = now.inverse_frequencies.size();
    try {
        const std::size_t numbers = static_cast<std::size_t>(setup.context) * table.pairs;
        table.cosine.reserve(numbers);
        table.sine.reserve(numbers);
        for (std::int64_t first = 0; first < setup.context; first += kChunk) {
            if (cancelled && cancelled()) {
                return std::nullopt;
            }
            std::vector<std::int64_t> positions(static_cast<std::size_t>(std::min(kChunk, setup.context - first)));
            std::iota(positions.begin(), positions.end(), first);
            const RotationTable part = rotation_table(now, positions);
            table.cosine.insert(table.cosine.end(), part.cosine.begin(), part.cosine.end());
            table.sine.insert(table.sine.end(), part.sine.begin(), part.sine.end());
            table.positions += part.positions;
        }
    } catch (const std::bad_alloc&) {
        return std::nullopt;
    }
    return MeasuredTable{static_cast<std::int64_t>(table.positions), static_cast<std::int64_t>(table.pairs),
                         static_cast<std::int64_t>((table.cosine.capacity() + table.sine.capacity()) * sizeof(float))};
}

QString measuredSentence(const RotarySetup& setup, const MeasuredTable& measured) {
    const bool isTruncated = setup.partial == Partial::truncate && rotary_dim(setup) < setup.head_dim;
    return QObject::tr(
               "Allocated: %1 bytes (%2) for cos and sin of %3 positions × %4 pairs in float32, each angle once. "
               "Formula: %5 = %6 bytes.")
        .arg(groupedText(measured.bytes), binarySize(measured.bytes), groupedText(measured.positions),
             groupedText(measured.pairs),
             isTruncated ? QObject::tr("L·d·B (unrotated pairs are stored, too)") : QObject::tr("L·d_r·B"),
             groupedText(plannedTableBytes(setup)));
}

QString longestMeasuredSentence() {
    RotarySetup setup;
    setup.partial = Partial::truncate;
    setup.fraction = 0.5;
    setup.head_dim = 4096;
    setup.context = kMaxMeasuredBytes / (2 * 4 * 2048);
    return measuredSentence(setup, {setup.context, setup.head_dim / 2, plannedTableBytes(setup)});
}

QString refusalSentence(const RotarySetup& setup) {
    if (rotary_dim(setup) == 0) {
        return QObject::tr("No channel rotates, so there is no table to allocate.");
    }
    const std::int64_t planned = plannedTableBytes(setup);
    return planned <= kMaxMeasuredBytes ? QString()
                                        : QObject::tr("The table needs %1, but a measurement allocates at most %2.")
                                              .arg(binarySize(planned), binarySize(kMaxMeasuredBytes));
}

}  // namespace ropelab::ui
