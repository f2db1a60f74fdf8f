#pragma once

#include "core/stats/results_table.h"

namespace ropelab {

/// Compares each group of the table with its baseline and stores differences, t tests and detectable differences in the
/// group. The table must already have the baselines, the compared measure and the descriptions of the groups.
void compare_groups(ResultsTable& table);

/// Returns the t test of two groups in a measure, in which t has the sign of mean(a) − mean(b); nullopt if no test is
/// possible.
std::optional<TTest> test_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure, TestKind kind);

}  // namespace ropelab
