#pragma once

#include "core/experiment/sheets/sheet.h"

namespace ropelab {

// The prediction ledger: what each theory says before the runs, for the quantity that it speaks of.

/// Of runs that differ in theta alone (`bases`, all channels rotate), F12: those whose B(m) turns negative within the
/// longest lag that windows of `context` hold fail in retrieval there, and no other; the plan measures it. Also F14:
/// the base with the most channels that saw a full period loses least beyond the context. `where`: what the groups
/// share. Without `extended` (a measure of lengths beyond the context) the latter is not measured, for the reason
/// `why_not`.
void predict_for_bases(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& bases, int head_dim,
                       std::int64_t context, const std::string& extended, const std::string& why_not);

/// Of runs that differ in the rotated fraction alone: F13 and F14 as above, of `fractions` as typed, those that rotate
/// something.
void predict_for_fractions(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& fractions,
                           int head_dim, std::int64_t context, const std::string& extended, const std::string& why_not);

/// Every group of `low` below each of `high`, of a measure that the sheet takes.
Prediction prediction_of_order(std::string theory, std::string words, std::string measure, std::vector<GroupKeys> low,
                               std::vector<GroupKeys> high);

}  // namespace ropelab
