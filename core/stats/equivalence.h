#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/stats/power.h"
#include "core/stats/t_test.h"

namespace ropelab {

// Whether two means are alike within a margin that was stated before: two one-sided t tests (TOST; Schuirmann 1987). A
// difference that is merely not significant shows nothing of the kind.

/// Two one-sided tests of mean(a) − mean(b) against −margin and +margin.
struct Equivalence {
    double difference = 0;
    double standard_error = 0;
    double degrees_of_freedom = 0;
    double p_low = 1;   // that the difference is −margin or less
    double p_high = 1;  // that it is +margin or more
    double p = 1;       // of equivalence: the larger of the two
    /// One-sided, of the opposite: that the difference, on the side on which it was seen, is within the margin.
    double p_beyond = 1;
};

// nullopt where a sample has fewer than two finite values or no spread at all. Each throws BadInput unless margin > 0.

/// Each population with its own variance, as welch_t_test.
std::optional<Equivalence> welch_equivalence(const Sample& a, const Sample& b, double margin);
/// Of pairs (a[i], b[i]), as paired_t_test; pairs with a value that is not finite are left out.
std::optional<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b, double margin);

/// How seeds are compared: one with its mate of equal seed, or group with group.
enum class SeedDesign { paired, groups };

/// Chance that both one-sided tests at level `alpha` reject, for a true `difference` and a standard deviation (of the
/// differences within pairs, or of each group) over `seeds` seeds: the two noncentral t probabilities, their overlap
/// left out, which errs low by less than the chance that neither rejects. 0 for fewer than two seeds.
double equivalence_power(double margin, double difference, double standard_deviation, std::int64_t seeds,
                         SeedDesign design, double alpha = 0.05);

/// The smallest number of seeds (in each group) with which equivalence within `margin` is shown with the rule's power,
/// where the true difference is `difference`. nullopt where the difference is not within the margin, for a spread that
/// is 0 or not finite, and where it takes more than 10,000.
std::optional<std::int64_t> seeds_to_show_equivalence(double margin, double difference, double standard_deviation,
                                                      SeedDesign design, const PowerRule& rule = {});

/// As seeds_to_detect, of the paired test; `standard_deviation` is that of the differences within pairs.
std::optional<std::int64_t> pairs_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});

}  // namespace ropelab
