#pragma once

#include <QString>
#include <cstdint>
#include <optional>

#include "core/rope/memory.h"
#include "ui/rotary/rotary_model.h"

namespace ropelab::ui {

/// How tables and caches are kept, beyond what setup and shape say.
struct MemoryOptions {
    TableLayout layout = TableLayout::duplicated;
    bool isPerLayer = false;  // each layer keeps a table of its own
    NumberFormat kvFormat = NumberFormat::bfloat16;
};

/// The shape with the head that the setup turns: a shape of a model keeps its own head dimension, one that was set by
/// hand takes the setup's.
CacheShape keyShape(const RotarySetup& setup, const ModelShape& shape);

// Bytes for one sequence; nullopt past 2^63.

/// F31 for d_r channels in the setup's precision.
std::optional<std::int64_t> tableBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                       int rotaryDim, std::int64_t context);
/// F32 for a kind of cache.
std::optional<std::int64_t> kvBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                    KvCache kind, std::int64_t context);

/// "128 MiB": powers of 1,024, as the papers count tables.
QString binarySize(std::int64_t bytes);
/// "MHA", "GQA", "MQA", "MLA", "sliding window".
QString kindText(KvCache kind);
/// What a kind keeps: its formula with today's values, and its source.
QString kindWhy(KvCache kind, const CacheShape& shape);
QString formatText(NumberFormat format);

/// Today's table beside today's KV cache, and how many times as much that is.
QString memorySentence(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options);
/// The formulas behind it, with today's values.
QString memoryWhy(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options);

}  // namespace ropelab::ui
