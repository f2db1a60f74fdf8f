#pragma once

#include <QDialog>
#include <QPointer>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"
#include "ui/lecture/course/course_progress.h"
#include "ui/lecture/lecture_player.h"

class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QTextBrowser;
class QUrl;
class QVBoxLayout;

namespace ropelab::ui {

class LectureStage;
class LectureText;
class QuestionPanel;
class Settings;

/// Shows the scenes one step at a time at the right of the stage, which shows their rooms and setups beside it.
class CourseDialog : public QDialog {
    Q_OBJECT

 public:
    /// Stage and settings must outlive the dialog.
    CourseDialog(LectureStage& stage, Settings& settings, std::vector<Lecture> lectures, QWidget* parent = nullptr);
    ~CourseDialog() override;

    /// Lecture and scene count from 0.
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
    QuestionPanel& questions() { return *m_question; }
    QTextBrowser& summary() { return *m_summary; }
    bool isSummaryShown() const;
    bool isIntroductionShown() const;
    /// The picture of the main window is hidden while it shows a curve that is to be drawn.
    bool isPictureHidden() const;

 signals:
    void problem(const QString& sentence);

 protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    QWidget* makeScenePage();
    QWidget* makeButtons();
    bool isSceneShown() const;
    void showPage(QTextBrowser* page);
    void fillScenes();
    void openLecture(int lecture);
    void start();
    void showStep();
    /// Waits until the values of the step stand still.
    void askQuestion();
    /// The picture of the main window is hidden while it would show the answer.
    void updateCover();
    /// Shows only the controls of the scene.
    void updateControls();
    /// At the right of the canvas, whose picture gets the rest.
    void place();
    /// On a page of text, and in a room below its last step, because the text contains the answers.
    void updateText();
    void storeAnswer(const AnswerRecord& answer);
    void followLink(const QUrl& link);
    const Lecture& current() const { return m_lectures[static_cast<std::size_t>(m_lecture)]; }

    LectureStage& m_stage;
    std::vector<Lecture> m_lectures;
    CourseProgress m_progress;
    LecturePlayer m_player;
    int m_lecture = -1;
    bool m_isOpen = false;  // stage.begin() was called
    QComboBox* m_scenes;
    QStackedWidget* m_pages;
    QScrollArea* m_area = nullptr;
    QVBoxLayout* m_column = nullptr;  // of a scene
    LectureText* m_title = nullptr;
    LectureText* m_text = nullptr;
    LectureText* m_say = nullptr;
    QuestionPanel* m_question = nullptr;
    QTextBrowser* m_introduction;
    QTextBrowser* m_summary;
    QPointer<QLabel> m_cover;  // over the picture of the main window, whose canvas owns it
    QLabel* m_count;
    QPushButton* m_back;
    QPushButton* m_next;
    QPushButton* m_results;
    QPushButton* m_reset;
};

}  // namespace ropelab::ui
