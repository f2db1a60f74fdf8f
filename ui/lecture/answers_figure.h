#pragma once

#include "core/lecture/answer_table.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// Name of the figure of answers on the command line.
inline constexpr const char* kAnswersFigure = "answers";

/// Returns the figure of the answers to a question, which compares its groups: the share of each choice with its 95 %
/// interval, the histogram of the numbers with the right one, or all drawn curves with the right one.
Figure answersFigure(const AnsweredQuestion& question);

}  // namespace ropelab::ui
