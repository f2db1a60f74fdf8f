#pragma once

#include <span>

#include "core/experiment/sheets/evaluate.h"

namespace ropelab {

/// Fills in verdicts, by each row's rule, with Holm's correction over the rows of a family: of the rule's own test, and
/// apart from it of the test that would refute the claim. Where both hold, a significant difference within the margin,
/// the claim is refuted. The rows' samples and comparisons are there already; a family of which a run has not ended, or
/// has not been measured, is left unfinished.
void judge(std::span<SheetRow> rows);

}  // namespace ropelab
