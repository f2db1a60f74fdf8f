#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <span>

#include "core/rope/memory.h"
#include "ui/figure/figure.h"
#include "ui/rotary/rotary_room.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

inline constexpr double kMiB = 1024.0 * 1024.0;
/// In the order of the list in the panel.
inline constexpr std::array<KvCache, 5> kKinds = {KvCache::multi_head, KvCache::grouped, KvCache::multi_query,
                                                  KvCache::latent, KvCache::sliding};

/// Options that are part of neither the rotary setup nor the model's shape.
struct MemoryOptions {
    TableLayout layout = TableLayout::duplicated;
    bool isPerLayer = false;  // every layer stores its own table
    NumberFormat kvFormat = NumberFormat::bfloat16;
};

/// The head dimension is the model's if the shape belongs to a named model, and the setup's otherwise.
AttentionSizes attentionSizes(const RotarySetup& setup, const ModelShape& shape);

/// Of the layers of the named model, or of the shape's equal layers.
std::vector<CachedLayers> cachesOf(const RotarySetup& setup, const ModelShape& shape);

// Sizes in bytes for one sequence; nullopt if a size exceeds 2^63.

/// The cos/sin table with `rotaryDim` rotated channels in the setup's precision (F31).
std::optional<std::int64_t> tableBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                       int rotaryDim, std::int64_t context);
/// The KV cache (F32).
std::optional<std::int64_t> kvBytes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options,
                                    KvCache kind, std::int64_t context);

/// "MHA", "GQA", "MQA", "MLA" or "sliding window".
QString kindText(KvCache kind);
/// Explains what an attention type caches, with its formula and the current values.
QString kindWhy(const AttentionSizes& sizes);

/// The sizes of the cos/sin table and the KV cache, and their ratio.
QString memorySentence(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options);
/// In bytes; NaN if a size exceeds 2^63.
struct MemorySizes {
    double table = 0;
    double cache = 0;
};
MemorySizes memorySizes(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options);
/// Tooltip with the formulas of both sizes and their current values.
QString memoryWhy(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options);

/// The draggable vertical line at the context.
inline const QString kMemoryContextLine = u"context"_s;

// Both figures have the same axes, so that their sizes can be compared.

/// The rotated fractions are those of the partial-RoPE paper and that of the setup (F31), with the model's KV cache.
Figure ropeCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});
/// Every attention type (F32), with the setup's cos/sin table.
Figure kvCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});

// The same sizes at the context of the setup, as bars to scale; of a compared setup B, its cos/sin table.
Figure ropeCacheBars(const ShapedSetup& a, const MemoryOptions& options = {},
                     const std::optional<ShapedSetup>& b = std::nullopt);
Figure kvCacheBars(const ShapedSetup& a, const MemoryOptions& options = {},
                   const std::optional<ShapedSetup>& b = std::nullopt);

/// Figures of two setups: of B they show only the table and the KV cache of the setup, no other fractions and attention
/// types.
Figure comparedRopeCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options = {},
                               bool editsB = false);
Figure comparedKvCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options = {},
                             bool editsB = false);

/// Named rope-cache, kv-cache, rope-cache-bars, kv-cache-bars.
std::span<const RotaryFigure> memoryFigures();

}  // namespace ropelab::ui
