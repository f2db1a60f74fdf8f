#pragma once

#include "core/lecture/class/answer_table.h"
#include "ui/figures/figure_entry.h"

namespace ropelab::ui {

inline constexpr const char* kAnswersFigure = "answers";

/// answers, of the lab's answers to questions of lectures.
FigureEntries answersEntries();

/// By group, with the right answer: share of each choice with its 95 % interval, histogram of numbers, or drawn curves.
Figure answersFigure(const AnsweredQuestion& question);

}  // namespace ropelab::ui
