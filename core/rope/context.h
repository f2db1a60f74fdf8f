#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

// Supported context length, and dependence of logits on the distance (formulas 9 and 11 to 17 of docs/formulas.md).

/// Called regularly by long computations; true cancels them.
using Cancelled = std::function<bool()>;

/// Within `context` tokens, λ ≤ context (formula 9).
int complete_pairs(const Frequencies& frequencies, double context);

/// B(Δ) of Men et al. for Δ = 0 … count − 1 (formula 12). Each of the head_dim/2 pairs that is not rotated adds 1
/// (formula 13), so B(0) = head_dim/2. The error is below 1e-9 up to a million tokens.
std::vector<double> context_bound(const Frequencies& frequencies, int head_dim, std::size_t count);
/// Smallest Δ < limit with B(Δ) < 0, the supported context (formula 12); nullopt if there is none or if cancelled.
std::optional<std::int64_t> first_negative(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                                           const Cancelled& cancelled = {});
/// Depth below 0: how far a base is from supporting a context.
struct LowestBound {
    double value = 0;           // smallest B(Δ), out of B(0) = head_dim/2
    std::int64_t distance = 0;  // smallest Δ with this value
    std::int64_t negative = 0;  // number of distances Δ with B(Δ) < 0
};
/// For 0 ≤ Δ < limit (formula 12). If cancelled, only the distances so far. Throws BadInput if `limit` is below 1.
LowestBound lowest_bound(const Frequencies& frequencies, int head_dim, std::int64_t limit,
                         const Cancelled& cancelled = {});
/// Pairs 0 ≤ n ≤ m < context with negative B(m − n).
double negative_fraction(const Frequencies& frequencies, int head_dim, std::int64_t context);

struct BaseInterval {
    double low = 0;
    double high = 0;
};
struct BaseScan {
    double low = 100;
    double high = 1e6;
    double step = 100;
};
/// Takes about two seconds. Steps of 1, 2 or 5 times a power of ten unless given, from 100 or the step on.
BaseScan base_scan(std::int64_t context, int head_dim, double high, std::optional<double> step = {});
/// A scan misses intervals narrower than its step, so a text that shows the result must state the range and the step.
struct FeasibleBases {
    std::vector<BaseInterval> intervals;  // ascending; the last may be cut off by the end of the range
    bool complete = true;                 // false if the scan was cancelled
    BaseScan scan;
};
/// B(Δ) ≥ 0 for 0 ≤ Δ < context (formula 12). Each base replaces theta in `settings`; the scaling is applied at every
/// base. `progress`: finished fraction, 0 to 1. Throws BadInput if the scan does not start above 1, ends below its
/// start or has more than ten million steps, or if `context` is below 1.
FeasibleBases feasible_bases(const FrequencySettings& settings, std::int64_t context, const BaseScan& scan,
                             const Cancelled& cancelled = {}, const std::function<void(double)>& progress = {});
/// The base farthest from `inside` towards `outside`, in four significant digits, that supports the context, by
/// bisection; `inside` supports it and `outside` does not. Returns `inside` if no such base lies between them.
double interval_end(const FrequencySettings& settings, std::int64_t context, double inside, double outside);
/// What a user chose of a scan.
struct ScanChoice {
    std::optional<double> low = {};
    std::optional<double> high = {};
    std::optional<double> step = {};
};
/// By default to 1M, or to 2θ if that is larger, with the step of base_scan().
BaseScan scan_of(const ScanChoice& choice, double theta, std::int64_t context, int head_dim);
/// The bases of scan_of(), with interval_end() at both ends of the intervals unless a step was chosen. If none supports
/// the context, and neither the end nor the step was chosen, the scan is repeated to ten times as far, at most to 1e15.
/// Throws BadInput as feasible_bases() does.
FeasibleBases search_bases(const FrequencySettings& settings, std::int64_t context, const ScanChoice& choice,
                           const Cancelled& cancelled = {}, const std::function<void(double)>& progress = {});

/// d_c of Liu et al. (formula 14): channels whose pairs complete a period within the context; 0 below 2π tokens.
int critical_dimension(int dimension, double theta, double context);
/// β₀ of Liu et al. for fine-tuning at `tuned_context` tokens (formula 15). BadInput unless both contexts exceed 2π.
double critical_base(double theta, double context, double tuned_context);
/// T in tokens, the period of the first pair that was not trained for a full period, i = d_c/2 (formula 15).
double extrapolation_limit(int dimension, int critical_dimension, double theta);

/// Su: (2/d) Σ_j |S_j| at each distance (formula 11), where d is twice the number of frequencies.
std::vector<double> decay_bound(std::span<const double> inverse_frequencies, std::span<const double> distances);

/// Components of q and k are normal with this mean and variance 1, and equal ones have this correlation ρ. The defaults
/// are independent q, k ~ N(0, I); a correlation of 1 means k = q.
struct RandomVectors {
    double mean = 0;
    double correlation = 0;  // −1 to 1

    bool operator==(const RandomVectors&) const = default;
};
/// E[q_c k_c] = mean² + ρ (formula 16). Throws BadInput unless the mean is finite and −1 ≤ ρ ≤ 1.
double expected_product(const RandomVectors& vectors);

struct SampledLogits {
    std::vector<double> mean;
    std::vector<double> standard_error;
};
/// Mean of qᵀR(−Δ)k (not divided by √d) at each distance Δ over `samples` random pairs of q and k (formula 16). Without
/// the attention factor. If cancelled, over the samples so far. Throws BadInput for `samples` below 2.
SampledLogits sampled_logits(const Frequencies& frequencies, int head_dim, std::span<const double> distances,
                             std::int64_t samples, std::uint64_t seed, const RandomVectors& vectors,
                             const Cancelled& cancelled = {});
/// Mean of qᵀR(−Δ)k (formula 16): (mean² + ρ)·(number of unrotated channels + 2·Σcos(Δω_i)).
double expected_logit(const Frequencies& frequencies, int head_dim, double distance, const RandomVectors& vectors);

}  // namespace ropelab
