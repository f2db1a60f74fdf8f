#pragma once

#include <span>

#include "core/reproduce/rules/evaluate.h"
#include "ui/common/text_list.h"

namespace ropelab::ui {

TextTable::Content predictionTable(std::span<const ScoredPrediction> predictions);
/// Counts of the outcomes and, if a prediction is scored, their joint calibration; "" if there are no predictions.
QString predictionWords(std::span<const ScoredPrediction> predictions);
/// For predictionTable(). `nothing` is the text that an empty list shows.
TextList* makePredictionList(const QString& nothing, QWidget* parent);

}  // namespace ropelab::ui
