#pragma once

namespace ropelab::ui {

/// Returns whether the user asked for reduced motion: what would glide then changes immediately.
bool isMotionReduced();
/// Sets whether motion is reduced.
void setMotionReduced(bool reduced);

}  // namespace ropelab::ui
