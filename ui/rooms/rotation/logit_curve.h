#pragma once

#include <cstdint>
#include <vector>

#include "core/rope/context.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The logit (formula 7) versus the distance Δ = m − n, from 0 to the context length − 1.
struct LogitCurve {
    /// In tokens. Where the context has more distances than `stretches`, the curve consists of the smallest and the
    /// largest logit of each stretch of neighbouring distances.
    std::vector<double> distances;
    std::vector<double> logits;
    /// The largest logit that was computed, and its distance in tokens.
    double bestDistance = 0;
    double best = 0;
    /// Step between the computed distances, in tokens.
    std::int64_t stride = 1;
    bool complete = true;  // false if the computation was cancelled
};

/// Computes every `stride`-th distance and the aimed distance, reduced to about `stretches` stretches.
LogitCurve logitCurve(const RotationScene& scene, std::int64_t stride, int stretches, const Cancelled& cancelled = {});

/// The stride at which a curve costs about `budget` evaluations of one pair at one distance.
std::int64_t strideWithin(const RotationScene& scene, std::int64_t budget);

double logitAt(const RotationScene& scene, double distance);

}  // namespace ropelab::ui
