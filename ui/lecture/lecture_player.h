#pragma once

#include <QList>
#include <QObject>
#include <QString>
#include <QVariantAnimation>
#include <functional>

#include "core/lecture/lecture.h"

namespace ropelab::ui {

class LectureStage;

/// Plays a lecture on a stage: applies its scenes and steps, lets numbers glide and repeats the steps that loop. It has
/// no widgets.
///
/// A place in a lecture is a scene and a step, both from 0. Step −1 is the scene before its first step; scene −1 is the
/// title page.
class LecturePlayer : public QObject {
    Q_OBJECT

 public:
    explicit LecturePlayer(LectureStage& stage, QObject* parent = nullptr);

    /// Sets the lecture without changing the stage; the place is the title page.
    void setLecture(Lecture lecture);
    /// Replaces the lecture by a changed version of it and shows the same scene and step again.
    void reload(Lecture lecture);
    const Lecture& lecture() const { return m_lecture; }
    bool hasLecture() const { return !m_lecture.scenes.empty(); }

    int scene() const { return m_scene; }
    int step() const { return m_step; }
    /// Returns the scene that is shown, or null on the title page.
    const LectureScene* currentScene() const;
    /// Returns the step that is shown, or null before the first step of a scene.
    const LectureStep* currentStep() const;
    /// Returns the step that next() shows, or null if it shows another scene or nothing.
    const LectureStep* nextStep() const;

    /// Shows a place of the lecture. All earlier steps of the scene are applied, and nothing glides. Numbers out of range
    /// are limited to the lecture.
    void goTo(int scene, int step);
    /// Shows the next step, or the next scene. Values that still glide reach their ends first.
    void next();
    /// Shows the previous step, or the last step of the previous scene.
    void previous();
    /// Shows the scene with this number (from 1; 0 is the title page), id, or beginning of a title. Returns false, and
    /// shows nothing else, if there is none.
    bool jump(const QString& where);
    /// Shows the current scene before its first step.
    void resetScene();

    /// Leaves the values that glide where they are.
    void stop();
    /// Sets all values that glide to their ends.
    void finishGlides();
    bool isGliding() const { return !m_glides.isEmpty(); }
    /// Moves the gliding values to a time in seconds since the start of the step.
    void glideTo(double seconds);

 signals:
    /// A place of the lecture is shown. Its values may still glide.
    void stepped(int scene, int step);
    /// All values of the step have reached their ends. A step that loops never settles by itself.
    void settled();
    /// A part of the lecture could not be applied.
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
