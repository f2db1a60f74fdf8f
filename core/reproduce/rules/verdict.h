#pragma once

#include <span>

#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

/// Sets the verdict of each row by its rule. The p of the claim and the p of its refutation are each corrected by Holm
/// over the rows of a family. If both are significant (a significant difference within the margin), the claim is
/// refuted. A row of losses, times or speeds with failed runs in either group is undecided. Requires the rows' samples
/// and comparisons. A family with a run that has not ended or is not measured is left unfinished.
void decide(std::span<SheetRow> rows);

}  // namespace ropelab
