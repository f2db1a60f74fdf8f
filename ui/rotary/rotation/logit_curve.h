#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// The logit (F7) against Δ = m − n, from 0 to the window's end.
struct LogitCurve {
    /// Distances in tokens and logits. Where the window has more distances than asked for, the smallest and the largest
    /// logit of each stretch, at the distances where they are.
    std::vector<double> distances;
    std::vector<double> logits;
    /// The largest of those looked at, and where.
    double bestDistance = 0;
    double best = 0;
    /// 1, or every how many tokens it was looked at.
    std::int64_t stride = 1;
    bool complete = true;  // false where cancelled
};

/// Looks at every `stride`-th distance, and at the scene's r. About `stretches` stretches.
LogitCurve logitCurve(const RotationScene& scene, std::int64_t stride, int stretches, const Cancelled& cancelled = {});

/// The stride at which a curve costs no more than about `budget` steps, a step being one pair at one distance.
std::int64_t strideWithin(const RotationScene& scene, std::int64_t budget);

/// The logit at one distance.
double logitAt(const RotationScene& scene, double distance);

}  // namespace ropelab::ui
