#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/rope/frequencies.h"

namespace ropelab {

/// Random queries, each with one key of correlation ρ (1: the key equals the query) and `others` independent keys that
/// compete with it. All components are normal with mean 0 and variance 1. A rotation changes neither the distribution
/// of an independent key nor that of its logit, so the positions of the others do not matter.
struct KeySamples {
    int head_dim = 0;
    std::int64_t others = 0;
    double correlation = 1;
    // q·conj(k)/√d, (head_dim/2, samples), row-major.
    std::vector<double> real;
    std::vector<double> imaginary;
    std::vector<double> competition;  // by sample: sum of the exponentials of the others' logits

    std::size_t count() const { return competition.size(); }
};

/// Throws BadInput for a head dimension that is not even or below 2, for a number of other keys outside 1 to 65,536,
/// and for a correlation outside −1 to 1.
KeySamples sampled_keys(int head_dim, std::int64_t others, double correlation, std::size_t samples, std::int64_t seed);

/// Mean attention weight of the key at each distance Δ, with logits qᵀR(−Δ)k/√d, without the attention factor. Throws
/// BadInput if there are more frequencies than pairs.
std::vector<double> key_shares(const KeySamples& samples, const Frequencies& frequencies,
                               std::span<const double> distances);

/// The standard error of a mean weight is then at most 0.5/√4096, 0.8 %.
inline constexpr std::size_t key_share_samples = 4096;

}  // namespace ropelab
