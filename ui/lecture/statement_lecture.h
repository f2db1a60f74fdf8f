#pragma once

#include "core/lecture/lecture.h"

namespace ropelab::ui {

/// Returns the wrong statements about RoPE (ui/statements) as a lecture of questions for the course: for each statement
/// a choice among explanations, and a number that the room shows.
Lecture statementLecture();

}  // namespace ropelab::ui
