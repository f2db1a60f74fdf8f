#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QVariantAnimation>
#include <functional>

#include "core/lecture/lecture.h"

namespace ropelab::ui {

class LectureStage;

/// Applies scenes and steps to a stage, lets numbers glide and repeats the steps that loop. It has no widgets.
///
/// Scenes and steps count from 0. Step −1 is the scene before its first step; scene −1 is the title page.
class LecturePlayer : public QObject {
    Q_OBJECT

 public:
    explicit LecturePlayer(LectureStage& stage, QObject* parent = nullptr);

    /// Does not change the stage; the place is the title page.
    void setLecture(Lecture lecture);
    /// Does not change the stage. The place stays, as far as its scene still exists.
    void replace(Lecture lecture);
    void reload(Lecture lecture);
    const Lecture& lecture() const { return m_lecture; }
    bool hasLecture() const { return !m_lecture.scenes.empty(); }

    int scene() const { return m_scene; }
    int step() const { return m_step; }
    /// Null on the title page.
    const LectureScene* currentScene() const;
    /// Null before the first step of a scene, which a presentation and the course do not show.
    const LectureStep* currentStep() const;
    /// The step that next() shows; null if it shows another scene or nothing.
    const LectureStep* nextStep() const;

    /// Applies all earlier steps of the scene; nothing glides. Numbers out of range are limited to the lecture.
    void goTo(int scene, int step);
    /// As goTo() the scene's first step, or the scene without steps; values of this step glide.
    void open(int scene);
    /// Values that still glide reach their ends first. The next scene begins at its first step.
    void next();
    /// May be the last step of the previous scene.
    void previous();
    /// A number (from 1; 0 is the title page), an id, or the beginning of a title. Returns false if there is no such
    /// scene.
    bool jump(const QString& where);
    void resetScene();

    /// Leaves the values that glide where they are.
    void stop();
    /// Sets all values that glide to their ends.
    void finishGlides();
    bool isGliding() const { return !m_glides.isEmpty(); }
    /// Time since the start of the step.
    void glideTo(double seconds);

 signals:
    void stepped(int scene, int step);
    /// All values of the step have reached their ends. A step that loops never settles by itself.
    void settled();
    void problem(const QString& sentence);

 private:
    struct Glide {
        QString key;
        QString end;  // the value as the lecture names it
        double from;
        double to;
        double seconds;
        bool isLogarithmic;
        bool isWhole;
    };

    void applyScene();
    void showControls();
    void showStep(int step);
    void applyStep(const LectureStep& step, bool glides);
    void applyChange(const LectureChange& change, bool glides);
    void startGlides(bool loop);
    void attempt(const std::function<void()>& work);

    LectureStage& m_stage;
    Lecture m_lecture;
    int m_scene = -1;
    int m_step = -1;
    QList<Glide> m_glides;
    QVariantAnimation m_animation;  // its value is the time since the start of the step in seconds
};

}  // namespace ropelab::ui
