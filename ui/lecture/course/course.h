#pragma once

#include <QObject>
#include <QPointer>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"
#include "ui/lecture/course/course_progress.h"
#include "ui/lecture/lecture_player.h"
#include "ui/lecture/presentation/presentation.h"

class QFrame;
class QLabel;
class QPushButton;
class QTextBrowser;
class QUrl;

namespace ropelab::ui {

class ChoiceBox;
class LectureStage;
class QuestionPanel;
class Settings;

/// Lectures for a student alone: presentations in the window, one lecture after the other, with a bar below them that
/// shows the progress, a first page, and a page of results.
class Course : public QObject {
    Q_OBJECT

 public:
    /// There is at least one lecture. Stage and settings must outlive the course.
    Course(LectureStage& stage, Settings& settings, std::vector<Lecture> lectures, QObject* parent = nullptr);
    ~Course() override;

    /// Where the user stopped, or on the first page. Does nothing if the course has begun.
    void begin();
    void end();
    bool hasBegun() const { return m_hasBegun; }

    /// Lecture and scene count from 0; scene −1 is the title page of the lecture.
    void goTo(int lecture, int scene, int step = -1);
    /// Next step, scene or lecture; after the last one the page of results.
    void next();
    void previous();
    void showSummary();
    /// Shown first to a user without progress.
    void showIntroduction();
    void reset();

    int lecture() const { return m_lecture; }
    const LecturePlayer& player() const { return m_player; }
    const CourseProgress& progress() const { return m_progress; }
    Presentation& presentation() { return m_presentation; }
    QuestionPanel& questions() { return *m_presentation.question(); }
    QTextBrowser& paper() { return *m_paper; }
    QFrame& bar() { return *m_bar; }
    bool isSummaryShown() const;
    bool isIntroductionShown() const;

 signals:
    void formulaRequested(int number);

 private:
    void makeBar();
    void showPaper(const QString& html, bool isIntroduction);
    /// What is below the paper gets no keys.
    void setPaperShown(bool shown);
    void fillScenes();
    void openLecture(int lecture);
    void showStep();
    void showCount();
    void focusNext();
    void storeAnswer(const AnswerRecord& answer);
    void noteRevealed();
    void followLink(const QUrl& link);
    const Lecture& current() const { return m_lectures[static_cast<std::size_t>(m_lecture)]; }

    LectureStage& m_stage;
    std::vector<Lecture> m_lectures;
    CourseProgress m_progress;
    LecturePlayer m_player;
    Presentation m_presentation;
    int m_lecture = 0;
    bool m_hasBegun = false;
    bool m_isIntroduction = false;  // the paper is that of the first page
    QFrame* m_bar;                  // owned by the canvas, as the paper
    QTextBrowser* m_paper;          // first page and results
    QPointer<QWidget> m_covered;    // the room below the paper
    ChoiceBox* m_scenes;
    QLabel* m_count;
    QPushButton* m_back;
    QPushButton* m_next;
    QPushButton* m_reset;  // beside the results
};

}  // namespace ropelab::ui
