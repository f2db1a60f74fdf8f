#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/rope/context.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Largest number of distances Δ for which B(Δ) is computed.
constexpr std::int64_t kMaxPositions = 1 << 20;

/// The context bound B(Δ) of a setup (F12, F13), computed for the first distances Δ.
struct BoundData {
    RotarySetup setup;
    std::vector<double> bound;  // B(Δ) with the setup's scaling, Δ = 0, 1, 2 …
    std::vector<double> plain;  // B(Δ) without the scaling, Δ = 0, 1, 2 …; empty if the setup has no scaling
    std::int64_t end = 0;       // end of the figure's distance axis, in tokens; `bound` may still be shorter
    std::optional<std::int64_t> firstNegative;  // smallest Δ with B(Δ) < 0, if it is known
    /// Lowest B(Δ) below the context, if the base does not support it and B(Δ) is computed that far.
    std::optional<LowestBound> lowest;
    std::int64_t computedTo = 0;  // B(Δ) ≥ 0 for all Δ below this position
    bool isComplete = false;      // more positions would not change this result
};

/// B(Δ) cannot become negative if at most half of the channels rotate (F13).
bool canBeNegative(const RotarySetup& setup);
/// Number of distances Δ for which B(Δ) can be computed within one frame of the window.
std::int64_t positionsPerFrame(const RotarySetup& setup);
/// In tokens, with a margin to the right: a power of two, at most kMaxPositions.
std::int64_t distanceAxisEnd(std::int64_t tokens);

/// Computes B(Δ) for Δ < limit. Without `end`, the figure's distance axis shows the context and the first negative Δ.
BoundData boundData(const RotarySetup& setup, std::int64_t limit, std::optional<std::int64_t> end = {},
                    const Cancelled& cancelled = {});

/// The base supports the setup's context (F12); nullopt if B(Δ) is not computed that far.
std::optional<bool> isSupported(const BoundData& data);

}  // namespace ropelab::ui
