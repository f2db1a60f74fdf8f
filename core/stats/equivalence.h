#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/stats/power.h"
#include "core/stats/t_test.h"

namespace ropelab {

// Tests of equivalence: two one-sided t tests (TOST; Schuirmann 1987) show that two means differ by less than a margin
// that was chosen beforehand. A difference that is merely not significant does not show equivalence.

/// Result of the two one-sided t tests of mean(a) − mean(b) against −margin and +margin.
struct Equivalence {
    double difference = 0;  // mean(a) − mean(b)
    double standard_error = 0;
    double degrees_of_freedom = 0;
    double p_low = 1;   // p of the hypothesis that the difference is −margin or less
    double p_high = 1;  // p of the hypothesis that the difference is +margin or more
    double p = 1;       // p of the equivalence test: the larger of p_low and p_high
    /// One-sided p of the hypothesis that the difference, on the side of the observed one, is within the margin. A
    /// small p shows that the difference exceeds the margin.
    double p_beyond = 1;
    /// p of the hypothesis that the difference is within the margin on both sides: 2·p_beyond, at most 1 (Bonferroni's
    /// correction for the two sides, so that the level is nominal at every margin). A test of the observed side alone
    /// rejects twice as often at small margins.
    double p_outside = 1;
};

/// Tests the equivalence of two independent samples with separate variances, as welch_t_test does. Returns nullopt if a
/// sample has fewer than two finite values or the standard error is 0. Throws BadInput unless margin > 0.
std::optional<Equivalence> welch_equivalence(const Sample& a, const Sample& b, double margin);
/// Tests the equivalence of paired values (a[i], b[i]), as paired_t_test does. Pairs with a value that is not finite
/// are excluded. Returns nullopt for fewer than two pairs or if the standard error is 0. Throws BadInput unless margin
/// > 0.
std::optional<Equivalence> paired_equivalence(std::span<const double> a, std::span<const double> b, double margin);

/// Design of a comparison over seeds: `paired` compares runs of equal seed, `groups` compares two independent groups.
enum class SeedDesign { paired, groups };

/// Returns the power of the equivalence test: the probability that both one-sided tests at level `alpha` reject, for a
/// true `difference` and a standard deviation (of the differences within pairs, or of each group) over `seeds` seeds.
/// It is computed from the two noncentral t probabilities; the result is too low by at most the probability that
/// neither test rejects. Returns 0 for fewer than two seeds.
double equivalence_power(double margin, double difference, double standard_deviation, std::int64_t seeds,
                         SeedDesign design, double alpha = 0.05);

/// Returns the smallest number of seeds (per group) with which the equivalence test has the power `rule.power`, for a
/// true `difference`. Returns nullopt if the difference is not within the margin, if the standard deviation is 0 or not
/// finite, or if more than 10,000 seeds are needed.
std::optional<std::int64_t> seeds_to_show_equivalence(double margin, double difference, double standard_deviation,
                                                      SeedDesign design, const PowerRule& rule = {});

/// Returns the smallest number of pairs with which the paired t test detects `difference` with the power `rule.power`.
/// `standard_deviation` is that of the differences within pairs. Returns nullopt as seeds_to_detect does.
std::optional<std::int64_t> pairs_to_detect(double difference, double standard_deviation, const PowerRule& rule = {});

}  // namespace ropelab
