#pragma once

#include <QString>
#include <vector>

#include "core/lecture/lecture.h"
#include "ui/lecture/course/course_progress.h"

namespace ropelab::ui {

/// In the order of the steps.
std::vector<const LectureQuestion*> questionsOf(const LectureScene& scene);

/// HTML. Links have the form "scene:LECTURE/SCENE" with numbers from 0.
QString courseSummary(const std::vector<Lecture>& lectures, const CourseProgress& progress);

/// "✓ understood", "2 of 3"; "" for a scene without questions or answers.
QString sceneMark(const Lecture& lecture, const LectureScene& scene, const CourseProgress& progress);

}  // namespace ropelab::ui
