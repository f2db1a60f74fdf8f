#pragma once

#include <QJsonObject>
#include <QString>
#include <QStringList>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/lecture/secrets.h"
#include "ui/figure/figure.h"
#include "ui/lecture/lecture_formulas.h"

namespace ropelab::ui {

class LectureStage;

struct ShownStep {
    LectureStep step;               // without content for a scene without steps
    std::optional<Figure> picture;  // of the room after all changes of the step; nullopt if there is nothing to draw
    QString value;                  // right answer of a question for a number; "" for other questions
    /// The same as a number, or null for none; nullopt if it cannot be computed or is a list.
    std::optional<nlohmann::json> truth;
    QJsonObject live;  // what draws the picture for other settings (live_figure.h); empty for other pictures
};

/// A scene without steps has one step without content.
struct ShownScene {
    LectureScene scene;
    std::vector<ShownStep> steps;
    QString found;  // the quantity that the class should find, with its value: "wavelength(3) = 6,283"; "" for none
    QString runs;   // says where the runs of the pictures come from; "" for a scene without runs
};

/// A question whose answer is drawn.
struct DrawnQuestion {
    QString scene;  // its id
    int line = 0;
    QString problem;  // why the figure has no such curve; "" if it has one
};

struct ShownLecture {
    Lecture lecture;
    LectureFormulas formulas;
    std::vector<ShownScene> scenes;
    std::vector<LectureSecret> secrets;
    std::vector<DrawnQuestion> drawn;
    /// What could not be shown or computed, with the scene.
    QStringList problems;
    /// The scenes whose page has no figure, in sentences.
    QStringList notes;
};

/// Number of completed steps; returns false to stop.
using StepProgress = std::function<bool(int done, int all)>;

/// Values that glide are at their ends. Nothing trains: scenes show their recorded lab, if they have one. `settle`
/// waits until the room has drawn its figures. Nullopt if `progress` stopped it.
std::optional<ShownLecture> showLecture(LectureStage& stage, const Lecture& lecture,
                                        const std::function<void()>& settle, const StepProgress& progress);

/// Keeps the ranges, for a question that asks to draw the curves.
Figure emptyAxes(const Figure& figure);
/// The class draws a curve at this step or at the next one, so that the picture must not show it.
bool hidesCurve(const ShownScene& scene, std::size_t step);

/// A version without answers is read as a whole, so a scene must not answer the questions of another one: with a text …
bool tellsAnswer(const ShownLecture& lecture, std::size_t scene, const QString& words);
/// … or with the picture of a step.
bool showsAnswer(const ShownLecture& lecture, std::size_t scene, std::size_t step);

/// "RoPE Lab · 45 minutes".
QString factsOf(const Lecture& lecture);
/// Markdown: the right answer and its explanation.
QString answerText(const ShownStep& step);
/// "a", "b" … from index 0.
QString choiceLetter(std::size_t index);

}  // namespace ropelab::ui
