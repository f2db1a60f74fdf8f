#pragma once

#include "core/lecture/lecture.h"

namespace ropelab::ui {

/// The wrong statements about RoPE (ui/statements) as questions: for each one a choice among explanations, and a number
/// that the room shows.
Lecture statementLecture();

}  // namespace ropelab::ui
