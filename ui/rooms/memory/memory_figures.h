#pragma once

#include <span>

#include "ui/figure/figure.h"
#include "ui/rooms/memory/memory_sizes.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;

/// The draggable vertical line at the context.
inline const QString kMemoryContextLine = u"context"_s;

// Both figures have the same axes, so that their sizes can be compared.

/// The rotated fractions are those of the partial-RoPE paper and that of the setup (F31), with the model's KV cache.
Figure ropeCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});
/// Every attention type (F32), with the setup's cos/sin table.
Figure kvCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});

/// Figures of two setups: of B they show only the table and the KV cache of the setup, no other fractions and attention
/// types.
Figure comparedRopeCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options = {},
                               bool editsB = false);
Figure comparedKvCacheFigure(const ShapedSetup& a, const ShapedSetup& b, const MemoryOptions& options = {},
                             bool editsB = false);

/// Named rope-cache, kv-cache.
std::span<const RotaryFigure> memoryFigures();

}  // namespace ropelab::ui
