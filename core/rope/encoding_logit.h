#pragma once

#include <cstdint>

#include "core/rope/frequencies.h"

namespace ropelab {

// Changes of an attention logit with the distance Δ, relative to distance 0 (formula 60). The query equals the key, and
// each of their channels has mean square 1, so that ‖q‖² = ‖k‖² = d and every pair contributes 2·cos(Δω_i)/√d.

/// Returns the change of the logit that RoPE causes at a distance, in nats: (2/√d)·f²·Σ_i (cos(Δω_i) − 1) over the
/// rotated pairs, where f is the attention factor. Pairs that are not rotated do not change.
double rotation_change(const Frequencies& frequencies, int head_dim, double distance);

/// Returns the change of the logit that xPos causes (formula 42): as rotation_change, with each cosine multiplied by
/// ζ_i^(Δ/scale_base).
double xpos_change(const Frequencies& frequencies, int head_dim, double distance, double scale_base);

/// Returns the cosine similarity of the sinusoidal embeddings (formula 30) of two positions at a distance, (2/C)·Σ_i
/// cos(Δ·10000^(−2i/C)) for the model's width C, which must be even. It does not depend on the positions themselves.
double sinusoidal_similarity(std::int64_t width, double distance);

}  // namespace ropelab
