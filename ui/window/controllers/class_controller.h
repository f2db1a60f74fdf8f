#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"

namespace ropelab::ui {

class ActionRegistry;
class AnswersDialog;
class BannerArea;
class Course;
class LectureController;
class RoomStack;
class WindowStage;
class Workspace;

/// What a class does beside the lectures: the course for a student alone, the answers of the groups, and the results
/// of all, pooled in one lab.
class ClassController : public QObject {
    Q_OBJECT

 public:
    ClassController(Workspace& workspace, BannerArea& banners, ActionRegistry& actions, RoomStack& rooms,
                    LectureController& lectures, WindowStage& stage, QWidget* window);
    /// The course gives back what it changed.
    ~ClassController() override;

    void addActions();
    /// Made when first needed.
    Course& course();
    /// A lecture that is open ends.
    void showCourse();
    /// The user's setup, controls and lab come back.
    void closeCourse();
    /// Adds the name of the group that the user typed. Throws BadInput if the lab cannot be written.
    void storeAnswer(AnswerRecord answer);
    void showAnswers();
    /// Null before showAnswers().
    AnswersDialog* answers() { return m_answers; }
    /// Pools labs and printed results of a class in a new lab, in a background thread, and shows their means. Does
    /// nothing while other files are pooled.
    void pool(const QStringList& files);

 signals:
    void formulaRequested(int number);

 private:
    void makeAnswers();
    void renewAnswers();
    void changeAnswers(const std::vector<AnswerRecord>& answers, bool deletes);
    /// `sentence` says how many results `lab` has, and which files are not among them.
    void showPooledLab(const QString& lab, const QString& sentence);
    void refuse(const QString& sentence);

    Workspace& m_workspace;
    BannerArea& m_banners;
    ActionRegistry& m_actions;
    RoomStack& m_rooms;
    LectureController& m_lectures;
    WindowStage& m_stage;
    QWidget* m_window;
    Course* m_course = nullptr;
    AnswersDialog* m_answers = nullptr;
    LatestJob m_pooling;
};

}  // namespace ropelab::ui
