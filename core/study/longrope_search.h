#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// Divisors of the frequencies for LongRoPE (formula 24) that a search has found.
struct LongRopeSearch {
    std::vector<double> factors;  // one per rotated pair, in ascending order, from 1 to the scaling factor
    double loss = 0;              // mean loss of the model with these divisors on the sequences of the search
};

/// Searches the divisors of LongRoPE with which a model has the lowest loss on sequences of `factor` times its context,
/// by the evolutionary search of Ding et al. 2024, in the form of its published code: the search begins with position
/// interpolation, NTK-aware and YaRN (those that apply to the run); in each round the best lists are parents, of which
/// some are mutated (each divisor, with probability 0.3, becomes a random number between its neighbours) and others
/// crossed. The divisors stay in ascending order. The search has 6 rounds of 4 lists, the paper's 40 rounds of 32, and
/// all tokens are scaled. The losses are those of 1 to 4 evenly spaced sequences of `training`, which is the run's
/// training split, so that the validation split stays unseen. The result is equal at every call. nullopt if `cancelled`
/// returned true. Throws BadInput if the text has fewer tokens than a sequence requires.
std::optional<LongRopeSearch> search_longrope(Model& model, const RunSpec& spec, const TokenText& training,
                                              std::int64_t factor, const std::function<bool()>& cancelled);

}  // namespace ropelab
