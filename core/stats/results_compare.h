#pragma once

#include "core/stats/results_table.h"

namespace ropelab {

/// Compares each group of the table with its baseline and stores differences, t tests and detectable differences in the
/// group. The table must already have the baselines, the compared measure and the descriptions of the groups.
void compare_groups(ResultsTable& table);

}  // namespace ropelab
