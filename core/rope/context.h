#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

// Context length that a set of RoPE frequencies supports, and the dependence of logits on the distance (formulas 9 and
// 11 to 17 of docs/formulas.md).

/// Function that long computations call regularly; it returns true to cancel them.
using Cancelled = std::function<bool()>;

/// Returns the number of pairs that complete a full period within `context` tokens, λ ≤ context (formula 9).
int complete_pairs(const Frequencies& frequencies, double context);

/// Returns the context bound B(Δ) of Men et al. for Δ = 0 … count − 1 (formula 12). Each of the head_dim/2 pairs that
/// is not rotated adds 1 (formula 13), so B(0) = head_dim/2. The error is below 1e-9 up to a million tokens.
std::vector<double> context_bound(const Frequencies& frequencies, int head_dim, std::size_t count);
/// Returns the smallest Δ in 0 … limit − 1 with B(Δ) < 0, which is the context length that the base supports (formula
/// 12). Returns nullopt if there is none or if the computation was cancelled.
std::optional<std::int64_t> first_negative(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                                           const Cancelled& cancelled = {});
/// Depth of the context bound below 0: how far a base is from supporting a context.
struct LowestBound {
    double value = 0;           // smallest B(Δ), out of B(0) = head_dim/2
    std::int64_t distance = 0;  // smallest Δ with this value
    std::int64_t negative = 0;  // number of distances Δ with B(Δ) < 0
};
/// Returns the lowest value of B(Δ) for 0 ≤ Δ < limit and the number of negative values (formula 12). If the
/// computation was cancelled, the result covers only the distances so far. Throws BadInput if `limit` is below 1.
LowestBound lowest_bound(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                         const Cancelled& cancelled = {});
/// Returns the fraction of causal position pairs, 0 ≤ n ≤ m < context, for which B(m − n) is negative.
double negative_fraction(const Frequencies& frequencies, int head_dim, std::int64_t context);

/// Closed interval of RoPE bases.
struct BaseInterval {
    double low = 0;
    double high = 0;
};
/// Range of RoPE bases to scan, and the step from one base to the next.
struct BaseScan {
    double low = 100;
    double high = 1e6;
    double step = 100;
};
/// Returns a scan up to `high` that takes about two seconds for this context. Its step is 1, 2 or 5 times a power of
/// ten unless one is given; it starts at 100, or at the step if that is larger.
BaseScan base_scan(std::int64_t context, int head_dim, double high, std::optional<double> step = {});
/// Feasible bases that a scan found. A scan misses intervals narrower than its step, so a text that shows the result
/// must state the range and the step.
struct FeasibleBases {
    std::vector<BaseInterval> intervals;  // ascending; the last may be cut off by the end of the range
    bool complete = true;                 // false if the scan was cancelled
};
/// Returns the bases of the scan that support the context length `context`, B(Δ) ≥ 0 for 0 ≤ Δ < context (formula 12).
/// Each base replaces theta in `settings`; the scaling is applied at every base. Calls `progress` with the finished
/// fraction, 0 to 1. Throws BadInput if the scan does not start above 1, ends below its start or has more than ten
/// million steps, or if `context` is below 1.
FeasibleBases feasible_bases(const FrequencySettings& settings, std::int64_t context, const BaseScan& scan,
                             const Cancelled& cancelled = {}, const std::function<void(double)>& progress = {});

/// Returns the critical dimension d_c of Liu et al. (formula 14): the number of channels whose pairs complete a full
/// period within the training context, from 0 to `dimension`. It is 0 if the context is below 2π tokens.
int critical_dimension(int dimension, double theta, double context);
/// Returns the critical base β₀ of Liu et al. for fine-tuning at `tuned_context` tokens (formula 15). Throws BadInput
/// if one of the contexts is not above 2π tokens.
double critical_base(double theta, double context, double tuned_context);
/// Returns the context length T in tokens to which the base `theta` extrapolates, given the critical dimension: the
/// period of the first pair that was not trained for a full period, i = d_c/2 (formula 15).
double extrapolation_limit(int dimension, int critical_dimension, double theta);

/// Returns Su's decay bound (2/d) Σ_j |S_j| at each distance (formula 11), where d is twice the number of frequencies.
std::vector<double> decay_bound(std::span<const double> inverse_frequencies, std::span<const double> distances);

/// Distribution of random queries and keys: every component of q and of k is normal with this mean and with variance 1,
/// and each component of q has this correlation ρ with the same component of k. The defaults are independent q, k ~
/// N(0, I); a correlation of 1 means k = q.
struct RandomVectors {
    double mean = 0;
    double correlation = 0;  // −1 to 1

    bool operator==(const RandomVectors&) const = default;
};
/// Returns E[q_c k_c] = mean² + ρ, the expected product of a component of q with the same component of k, which scales
/// the expected logit (formula 16). Throws BadInput if the mean is not finite or the correlation is not between −1 and
/// 1.
double expected_product(const RandomVectors& vectors);

/// Mean logit over random queries and keys, and its standard error, at each distance.
struct SampledLogits {
    std::vector<double> mean;
    std::vector<double> standard_error;
};
/// Returns the mean of qᵀR_Δ k (not divided by √d) at each distance Δ over `samples` random pairs of q and k (formula
/// 16). The attention factor is not applied. If `cancelled` returns true, the result is the mean over the samples so
/// far. Throws BadInput if `samples` is below 2 or expected_product(vectors) throws.
SampledLogits sampled_logits(const Frequencies& frequencies, int head_dim, std::span<const double> distances,
                             std::int64_t samples, std::uint64_t seed, const RandomVectors& vectors,
                             const Cancelled& cancelled = {});
/// Returns the expected value of qᵀR_Δ k (formula 16): mean² + ρ times the sum of the number of unrotated channels and
/// 2·Σcos(Δω_i). It is 0 at every distance if mean² + ρ = 0. Throws BadInput if expected_product(vectors) throws.
double expected_logit(const Frequencies& frequencies, int head_dim, double distance, const RandomVectors& vectors);

}  // namespace ropelab
