#pragma once

#include "core/reproduce/rules/sheet.h"

namespace ropelab {

/// For models that have learned positions beside RoPE.
inline constexpr const char* bound_with_learned_positions =
    "These models also learn position embeddings, which can retrieve a token at any distance; the context bound "
    "concerns RoPE alone and is not scored on them.";

/// The runs differ only in theta (`bases`; all channels rotate). Context bound (formula 12): retrieval collapses
/// exactly for the bases whose B(Δ) is negative at a distance that the retrieval test can measure at `context`; per
/// base, the prediction stores the lags with the highest and the lowest B and a control lag at about the same distance
/// as the lowest, and the plan measures the retrieval. Critical dimension (formula 14): the loss beyond the context
/// rises least for the base with the fewest rotated channels whose pairs complete no period. `where`: keys that the
/// groups share. `extended`: measure of the loss beyond the context; if it is empty, `why_not` is the reason.
/// `unscored`: reason why the context bound is not scored, empty if it is.
void predict_for_bases(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& bases, int head_dim,
                       std::int64_t context, const std::string& extended, const std::string& why_not,
                       const std::string& unscored = "");

/// Runs that differ in the rotated fraction (formulas 13 and 14), as a user types it; 0 is skipped.
void predict_for_fractions(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& fractions,
                           int head_dim, std::int64_t context, const std::string& extended, const std::string& why_not);

/// One set of predictions for each set of runs that differ only in theta or only in the rotated fraction (and in the
/// seed). The predictions for models with learned positions are stored, but not scored. Runs that do not rotate all
/// layers and pairs with a constant theta get none at all.
SheetPlan predicted(const std::vector<RunSpec>& runs);

/// Measures retrieval on 32 sequences per lag, and the loss at 1, 2 and 4 times the context.
SheetPlan plan_of_predictions(std::vector<Prediction> predictions);

/// Every group of `low` has a lower mean of `measure` than every group of `high`.
Prediction prediction_of_order(std::string theory, std::string words, std::string measure, std::vector<GroupKeys> low,
                               std::vector<GroupKeys> high);

/// k given groups of n come first in a random order: 1 / C(n, k).
double chance_of_set(std::size_t n, std::size_t k);
/// "33 %", "below 0.01 %", or "100 %, as it cannot be wrong".
std::string chance_text(double chance);

}  // namespace ropelab
