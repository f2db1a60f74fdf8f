#pragma once

#include <span>

#include "ui/figure/figure.h"
#include "ui/rotary/memory/memory_sizes.h"
#include "ui/rotary/rotary_room.h"

namespace ropelab::ui {

/// The name of the context line, which can be dragged.
inline const QString kMemoryContextLine = QStringLiteral("context");

// Both figures have the same axes, so that one is never seen on another scale than the other.

/// The RoPE table against the context for the partial-RoPE paper's fractions and today's, with the model's KV cache
/// (F31).
Figure ropeCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});
/// The KV cache against the context for every kind, with today's table (F32).
Figure kvCacheFigure(const RotarySetup& setup, const ModelShape& shape, const MemoryOptions& options = {});

/// The room's figures by name: rope-cache, kv-cache.
std::span<const RotaryFigure> memoryFigures();

}  // namespace ropelab::ui
