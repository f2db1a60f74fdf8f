#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/synthetic/source.h"

namespace ropelab {

/// A probability distribution over the states of a source: the states with a probability above 0, each listed once, and
/// their probabilities, which sum to 1.
struct Belief {
    std::vector<std::int32_t> states;
    std::vector<double> probabilities;
};

/// Returns the states that have a probability above 0 in `distribution`, which has one entry per state.
Belief belief_of(std::span<const double> distribution);

/// The optimal predictor of a source. It applies Bayes' rule to one character at a time (the forward algorithm of
/// hidden Markov models), without approximation. An object must not be shared between threads; the source must outlive
/// it.
class Filter {
 public:
    explicit Filter(const Source& source);

    /// Returns the probability that `character` comes next.
    double probability(const Belief& belief, char character) const;
    /// Replaces `belief` by the posterior distribution after observing `character` and returns the probability that
    /// `character` had. If that probability is 0, `belief` becomes empty.
    double advance(Belief& belief, char character);

 private:
    const Source& source_;
    std::vector<std::int32_t> slot_;  // (states): a state's index in the belief that is being built, or -1
};

}  // namespace ropelab
