#pragma once

#include <span>

#include "core/experiment/sheets/evaluate.h"

namespace ropelab {

/// Fills in verdicts, by each row's rule, with Holm's correction over the rows of a family: of the rule's own test, and
/// apart from it of the test that would refute the claim. The rows' samples and comparisons are there already.
void judge(std::span<SheetRow> rows);

/// Fisher's exact test, one-sided: the chance that a group of `n` runs has `events` or more of the events that both
/// groups have together, were they alike. 1 for an empty group.
double fisher_more(std::int64_t events, std::int64_t n, std::int64_t baseline_events, std::int64_t baseline_n);

}  // namespace ropelab
