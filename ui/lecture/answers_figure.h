#pragma once

#include "core/lecture/answer_table.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

inline constexpr const char* kAnswersFigure = "answers";

/// Compares the groups: the share of each choice with its 95 % interval, the histogram of the numbers with the right
/// one, or all drawn curves with the right one.
Figure answersFigure(const AnsweredQuestion& question);

}  // namespace ropelab::ui
