#pragma once

#include "ui/figure/formula.h"

namespace ropelab::ui {

/// Parses AnatomyStage::formula. "_" begins an index and "^" an exponent, which are a word, or the text in braces that
/// follows. Single letters are symbols; all else is upright text.
Formula stageFormula(const QString& text);

}  // namespace ropelab::ui
