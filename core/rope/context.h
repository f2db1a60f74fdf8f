#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

// How far a set of frequencies reaches (F9, F11–F17).

/// Asked now and then by what takes long: whether nobody waits for the result any more.
using Cancelled = std::function<bool()>;

/// Pairs that complete a turn within `context` tokens: λ ≤ context (F9).
int complete_pairs(const Frequencies& frequencies, double context);

/// B(m) for m = 0 … count − 1 (F12), each pair that does not turn adding 1 (F13): head_dim/2 at m = 0. `head_dim`
/// decides how many pairs pass unrotated. Divided by nothing. Within 1e-9 of the sum of cosines up to a million tokens.
std::vector<double> context_bound(const Frequencies& frequencies, int head_dim, std::size_t count);
/// The first m in 0 … limit − 1 with B(m) < 0, nullopt where there is none or the work was cancelled.
std::optional<std::int64_t> first_negative(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                                           const Cancelled& cancelled = {});
/// Share of the pairs 0 ≤ n ≤ m < context (Δ = m − n) whose B(Δ) is negative.
double negative_share(const Frequencies& frequencies, int head_dim, std::int64_t context);

/// Bases, both ends included.
struct BaseInterval {
    double low = 0;
    double high = 0;
};
/// Where to look for bases: from, to, and the step between.
struct BaseScan {
    double low = 100;
    double high = 1e6;
    double step = 100;
};
/// What a scan found. Who shows it states its step and range, because islands narrower than a step are missed.
struct FeasibleBases {
    std::vector<BaseInterval> intervals;  // ascending; the last may end at the scan's end
    bool complete = true;                 // false where cancelled
};
/// The bases of the scan that carry `context` by F12 (plain frequencies of that head, fraction and partial; the rest of
/// `settings` is not read). `progress` hears the share that is done, 0 to 1. Throws BadInput for a scan that does not
/// start above 1, ends below its start or has more than ten million steps, and for a context below 1.
FeasibleBases feasible_bases(const FrequencySettings& settings, std::int64_t context, const BaseScan& scan,
                             const Cancelled& cancelled = {}, const std::function<void(double)>& progress = {});

/// d_c (F14): channels that saw a full period in training, 0 to `dimension`; 0 for a context below 2π.
int critical_dimension(int dimension, double theta, double context);
/// β₀ (F15). Throws BadInput for a context that is not above 2π.
double critical_base(double theta, double context, double tuned_context);
/// T (F15): the context to which base `theta` extrapolates given the critical dimension.
double extrapolation_limit(int dimension, int critical_dimension, double theta);

/// (2/d) Σ_j |S_j| at each distance (F11), d being twice the number of frequencies.
std::vector<double> decay_bound(std::span<const double> inverse_frequencies, std::span<const double> distances);

/// Means over drawn q and k with their standard errors.
struct SampledLogits {
    std::vector<double> mean;
    std::vector<double> standard_error;
};
/// qᵀR_Δ k at each distance, undivided, over `draws` (2 or more) of q, k ~ N(0, I) (F16); `equal`: k = q. The attention
/// factor is left out. Cancelled, it returns what the draws so far gave.
SampledLogits sampled_logits(const Frequencies& frequencies, int head_dim, std::span<const double> distances,
                             std::int64_t draws, std::uint64_t seed, bool equal, const Cancelled& cancelled = {});
/// What F16 says that mean is: 0, or the unrotated channels plus 2·Σcos(Δg_i).
double expected_logit(const Frequencies& frequencies, int head_dim, double distance, bool equal);

}  // namespace ropelab
