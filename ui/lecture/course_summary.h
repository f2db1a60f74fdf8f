#pragma once

#include <QString>
#include <vector>

#include "core/lecture/lecture.h"
#include "ui/lecture/course_progress.h"

namespace ropelab::ui {

/// Returns the questions of a scene in the order of its steps.
std::vector<const LectureQuestion*> questionsOf(const LectureScene& scene);

/// Returns the page at the end of the course as HTML: what was understood, what was understood with help, and what is
/// left. Links have the form "scene:LECTURE/SCENE" with numbers from 0.
QString courseSummary(const std::vector<Lecture>& lectures, const CourseProgress& progress);

/// Returns how much of a scene was understood, as a mark with a word: "✓ understood", "2 of 3"; "" for a scene without
/// questions or answers.
QString sceneMark(const Lecture& lecture, const LectureScene& scene, const CourseProgress& progress);

}  // namespace ropelab::ui
