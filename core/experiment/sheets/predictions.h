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

/// The same of any runs, as an experiment expands to them: wherever some differ in theta alone or in the rotated
/// fraction alone (and the seed), each such sweep by itself. Of models that learn positions, too, no loss beyond the
/// context is predicted on. Nothing is said of runs that do not rotate all layers and pairs with a theta that stays.
/// As a plan of predictions alone.
SheetPlan predicted(const std::vector<RunSpec>& runs);

/// Predictions as a plan that measures what they speak of, and scores them: 32 windows a lag for retrieval, losses at
/// 1, 2 and 4 times the context.
SheetPlan plan_of_predictions(std::vector<Prediction> predictions);

/// Every group of `low` below each of `high`, of a measure that the sheet takes.
Prediction prediction_of_order(std::string theory, std::string words, std::string measure, std::vector<GroupKeys> low,
                               std::vector<GroupKeys> high);

}  // namespace ropelab
