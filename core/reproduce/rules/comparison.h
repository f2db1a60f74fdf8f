#pragma once

#include <span>

#include "core/reproduce/rules/group_values.h"

namespace ropelab {

/// Sets the row's comparison of its group with its baseline: values, p values, and the difference with its interval.
void compare_with_baseline(SheetRow& row, const GroupValues& group, const GroupValues& baseline);
/// Sets the row's comparison of its control with the groups that use positions. Requires a rule and a control.
void compare_with_control(SheetRow& row, std::span<const SheetRun> runs, const GroupValues& group,
                          const GroupValues& baseline);
/// Sets the paper's comparison, recomputed from its published means and standard deviations.
void recompute_paper(SheetRow& row);

}  // namespace ropelab
