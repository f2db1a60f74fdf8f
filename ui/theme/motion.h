#pragma once

namespace ropelab::ui {

/// The user asked for reduced motion: what would glide then changes immediately.
bool isMotionReduced();
void setMotionReduced(bool reduced);

}  // namespace ropelab::ui
