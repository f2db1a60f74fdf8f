#pragma once

#include "core/stats/results_table.h"

namespace ropelab {

/// Fills in what groups are against their baselines, whose indices, measure and descriptions are there already.
void compare_groups(ResultsTable& table);

}  // namespace ropelab
