#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/data/generated/source.h"

namespace ropelab {

/// What is known of a source's state: the states that are possible, each once, and their probabilities (sum 1).
struct Belief {
    std::vector<std::int32_t> states;
    std::vector<double> probabilities;
};

/// Every state that has a probability above 0 in `distribution` (states).
Belief belief_of(std::span<const double> distribution);

/// The optimal predictor of a source: Bayes' rule, character by character, without approximation. One object serves
/// one thread; the source must outlive it.
class Filter {
 public:
    explicit Filter(const Source& source);

    /// The probability that `symbol` comes next.
    double probability(const Belief& belief, char symbol) const;
    /// Sees `symbol`: gives the probability that it had and turns `belief` into what is known after it. Where that
    /// probability is 0 the belief becomes empty.
    double advance(Belief& belief, char symbol);

 private:
    const Source& source_;
    std::vector<std::int32_t> slot_;  // (states): where a state stands in the belief being built, or -1
};

}  // namespace ropelab
