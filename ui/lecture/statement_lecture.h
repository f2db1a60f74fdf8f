#pragma once

#include "core/lecture/lecture.h"

namespace ropelab::ui {

/// For each wrong statement (ui/statements) a choice among explanations, and a number that the room shows.
Lecture statementLecture();

}  // namespace ropelab::ui
