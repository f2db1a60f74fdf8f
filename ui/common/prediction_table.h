#pragma once

#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/common/text_list.h"

namespace ropelab::ui {

/// Returns the table of predictions and their outcomes, one row per prediction.
TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions);
/// Returns the outcomes in words, as "4 predictions: 2 right, 1 wrong, 1 not scored.", and, if a prediction is scored,
/// the joint calibration of the predictions; "" if there are no predictions.
QString predictionWords(std::span<const ScoredPrediction> predictions);
/// Returns a new list for predictionTable(). `nothing` is the text that an empty list shows.
TextList* makePredictionList(const QString& nothing, QWidget* parent);

}  // namespace ropelab::ui
