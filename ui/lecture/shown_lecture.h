#pragma once

#include <QString>
#include <QStringList>
#include <functional>
#include <optional>
#include <vector>

#include "core/lecture/lecture.h"
#include "ui/figure/figure.h"
#include "ui/lecture/lecture_formulas.h"

namespace ropelab::ui {

class LectureStage;

/// A step of a lecture with the picture of its room, for handouts and slides.
struct ShownStep {
    LectureStep step;               // without content for a scene without steps
    std::optional<Figure> picture;  // of the room after all changes of the step; nullopt if there is nothing to draw
    QString value;                  // right answer of a question for a number; "" for other questions
};

/// A scene with its steps; a scene without steps has one step without content.
struct ShownScene {
    LectureScene scene;
    std::vector<ShownStep> steps;
    QString found;  // the quantity that the class should find, with its value: "wavelength(3) = 6,283"; "" for none
    QString runs;   // says where the runs of the pictures come from; "" for a scene without runs
};

/// A whole lecture with its pictures.
struct ShownLecture {
    Lecture lecture;
    LectureFormulas formulas;
    std::vector<ShownScene> scenes;
    /// What could not be shown or computed, with the scene.
    QStringList problems;
};

/// Is told how many of all steps are done; returns false to stop.
using StepProgress = std::function<bool(int done, int all)>;

/// Shows all steps of a lecture on a stage, with the ends of values that glide, and collects the pictures. Nothing
/// trains: scenes show their recorded lab, if they have one. `settle` waits until the room has drawn its figures.
/// Returns nullopt if `progress` stopped it.
std::optional<ShownLecture> showLecture(LectureStage& stage, const Lecture& lecture,
                                        const std::function<void()>& settle, const StepProgress& progress);

/// Returns the axes of a figure without its curves, with the same ranges, for a question that asks to draw them.
Figure emptyAxes(const Figure& figure);
/// Returns whether the class draws a curve at this step, or at the next one, so that its picture must not show the
/// curve.
bool hidesCurve(const ShownScene& scene, std::size_t step);

/// Returns author and planned duration of a lecture: "RoPE Lab · 45 minutes".
QString factsOf(const Lecture& lecture);
/// Returns the right answer to a question and its explanation, as Markdown.
QString answerText(const ShownStep& step);
/// Returns the letter of a choice, from 0: "a", "b" …
QString choiceLetter(std::size_t index);

}  // namespace ropelab::ui
