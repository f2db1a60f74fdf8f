#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "core/results/result_group.h"

namespace ropelab {

// The runs of a cohort share one clock (core/contract/training_clock.h), and the load of the machine differs between
// sessions and drifts within one: most training times are one measurement, not one per seed.

/// Compared with the target of a stopping rule: the loss of the last weights on the whole validation split, which no
/// choice of an evaluation makes lower.
inline constexpr const char* target_measure = "whole_validation_loss";

/// Two-sided level of all comparisons with a baseline together.
inline constexpr double family_level = 0.05;

bool is_training_time(std::size_t measure);

/// Each run has a clock of its own with a random place among the settings, so that its training times are independent.
bool has_own_clocks(const ResultGroup& group);

/// Settings on which the lowest validation loss of one training depends: how often it is evaluated, and on what.
bool decides_best_loss(const std::string& key);
/// Compares settings of RoPE Lab, and the numbers of evaluations of imported runs.
bool are_evaluated_alike(const ResultsTable& table);
/// Equal seeds train the same model (core/results/same_models.h).
bool is_repeat(const ResultGroup& a, const ResultGroup& b);

/// An earlier group of the table trains the same models, so that a comparison of losses is already tested.
bool repeats(const ResultsTable& table, const ResultGroup& group);

/// Training times only if both groups have clocks of their own in the same sessions, equal seeds in the same one; no
/// losses of repeats, and no best losses of groups that are evaluated differently.
bool is_testable(const ResultGroup& a, const ResultGroup& b, std::size_t measure);

/// Training times that are not independent are one measurement: n is 1 and the mean is over the clocks.
Description describe_measure(const ResultGroup& group, std::size_t measure);

/// group − reference with the test's confidence interval (formula 37): pooled variance for Student, separate variances
/// for Welch, or differences of equal seeds for the paired test. nullopt without values or common seeds.
std::optional<DifferenceInterval> difference_interval(const ResultGroup& group, const ResultGroup& reference,
                                                      std::size_t measure, TestKind test);

/// Of a group and its baseline in any measure, of which the compared one has the interval of the stopping rule.
std::optional<DifferenceInterval> interval_to_baseline(const ResultsTable& table, const ResultGroup& group,
                                                       std::size_t measure, TestKind test);

struct SeedDifference {
    std::int64_t seed = 0;
    double difference = 0;  // value in the group − value in the reference
    double reference = 0;   // value in the reference
};
/// For seeds that both groups have with a finite value, in the order of the group.
std::vector<SeedDifference> seed_differences(const ResultGroup& group, const ResultGroup& reference,
                                             std::size_t measure);

/// Of the two groups (ResultsOptions::test).
TestKind test_kind_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure);

/// Requires the table's baselines, compared measure and descriptions of the groups. `test`: ResultsOptions::test.
void compare_groups(ResultsTable& table, std::optional<TestKind> test);

/// One-sided upper bound of the mean, valid at all looks and for all groups together: at level alpha / number of
/// groups. NaN before the first look. Requires a table with a target.
double target_bound(const ResultsTable& table, const ResultGroup& group);

/// Differences of one sign have p = 2^(1 − pairs) in the permutation test: the fewest pairs with which that is below
/// 5 % / comparisons.
int fewest_pairs(int comparisons);
/// The group has fewer pairs than that.
bool cannot_decide(const ResultGroup& group);

/// t has the sign of mean(a) − mean(b); nullopt if no test is possible.
std::optional<TTest> test_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure, TestKind kind);

}  // namespace ropelab
