#pragma once

#include <span>

#include "core/experiment/sheets/evaluate.h"
#include "ui/results/word_list.h"

namespace ropelab::ui {

/// The prediction ledger, a row a prediction.
WordTable::Content predictionTable(std::span<const ScoredPrediction> predictions);
/// "4 predictions: 2 right, 1 wrong, 1 not scored."; "" without any.
QString scoreWords(std::span<const ScoredPrediction> predictions);
/// The list that shows it; `nothing` says why there may be no predictions.
WordList* makePredictionList(const QString& nothing, QWidget* parent);

}  // namespace ropelab::ui
