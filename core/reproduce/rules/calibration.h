#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

/// Joint calibration of scored predictions.
struct Calibration {
    int scored = 0;       // number of predictions with a score and a chance below 1
    int right = 0;        // number of them that are right
    double expected = 0;  // number that is expected to be right by chance: the sum of the chances
    /// Probability of at least `right` right predictions by chance, if the predictions were independent.
    double p = 1;
};
/// Returns the calibration of the predictions that are right or wrong. Predictions with chance 1 and those of a
/// retrieval rule of version 1, whose null model does not apply, are left out.
Calibration calibration_of(std::span<const ScoredPrediction> predictions);
/// Returns P(X ≥ least) for the number X of successes in independent trials with these probabilities (Poisson binomial
/// distribution), exactly, by convolution.
double at_least_by_chance(std::span<const double> chances, int least);

/// Returns the calibration in two sentences; "" if no prediction is scored.
std::string calibration_words(const Calibration& calibration);
/// Returns `scored`, `right`, `expected_by_chance`, `p_at_least_as_many` (null if none is scored) and `words`.
nlohmann::json calibration_json(const Calibration& calibration);

}  // namespace ropelab
