#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/spec/probe.h"

namespace ropelab {

// Controls of an ablation. Any ablation changes the logits in a way that training never saw, so the rise of the loss
// alone does not show that a model needs these pairs. Random other pairs that contribute as much to the logits show how
// far the loss rises anyway.

/// One ablation of random other pairs.
struct AblationControl {
    std::vector<std::int64_t> pairs;            // ascending
    double contribution = 0;                    // their total logit contribution (see pair_contributions)
    std::shared_ptr<const ProbeResult> result;  // with these pairs ablated
};

/// The controls of one ablation.
struct AblationControls {
    double contribution = 0;  // total logit contribution of the ablated pairs
    /// The controls; empty if no pairs were ablated, or if no set of other pairs has about the same contribution.
    std::vector<AblationControl> draws;
};

/// Returns the logit contribution (formula 8) of each pair, as the mean over all layers and heads. `result` must be
/// measured with ProbeRequest::splits_unrotated.
std::vector<double> pair_contributions(const ProbeResult& result);

/// Returns the sum of the contributions of these pairs.
double total_contribution(std::span<const double> contributions, std::span<const std::int64_t> pairs);

/// Returns at most `count` different sets of pairs as controls for `ablated`. The sets consist of pairs of `others`
/// that are not in `ablated`. 200 times, these pairs are put into random order (RandomStream, seed 1), and the first of
/// them, as many as bring their total contribution nearest to that of `ablated`, form a set. The `count` sets with the
/// nearest totals are returned, nearest first, except those whose total differs by more than 20 % of that of `ablated`
/// and by more than 0.01.
std::vector<std::vector<std::int64_t>> control_pairs(std::span<const double> contributions,
                                                     std::span<const std::int64_t> others,
                                                     std::span<const std::int64_t> ablated, std::int64_t count);

}  // namespace ropelab
