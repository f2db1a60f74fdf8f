#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QTimer>
#include <cstddef>
#include <functional>

#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"
#include "ui/lecture/lecture_formulas.h"

class QKeyEvent;

namespace ropelab::ui {

class InkLayer;
class LecturePlayer;
class LectureStage;
class NotesView;
class NotesWindow;
class PresentationFoot;
class PresentationHead;
class PresentationPage;
class QuestionPanel;

/// Presents a lecture: lays the texts, questions, ink and pointer of the presentation over the canvas of the stage, and
/// handles its keys.
///
///   Page Down, Space, Right   next step          B or .     blank
///   Page Up, Left, Backspace  previous step      + and −    size of text and controls
///   digits and Return         scene by number    T          theme: light, dark, high contrast
///   / name and Return         scene by name      P, D, C    pointer, draw ink, wipe ink
///   E                         text of the scene  R, S       reset the scene, save a snapshot
///   L                         train live although it takes longer than the scene plans
///   N                         notes              Escape     leave, F5 step again
///
/// A reader, one person at the window as it is, has Page Down, Page Up, F5, L and Escape, and digits choose an answer.
class Presentation : public QObject {
    Q_OBJECT

 public:
    Presentation(LectureStage& stage, LecturePlayer& player, QObject* parent = nullptr);
    ~Presentation() override;

    /// Presents to a reader. `bar` is below the picture, `paper` covers everything above `bar` while it is visible.
    /// Both are children of the canvas.
    void setReader(QWidget* bar, QWidget* paper);
    void start();
    /// Everything stays as it is shown. start() returns to the step.
    void leave();
    bool isActive() const { return m_isActive; }
    /// Returns false at the end of the lecture. First reveals the answer to an open question, unless a reader skips it.
    bool next();
    void previous();
    void resetTime();
    /// Loads the formulas again; call after the player has another lecture.
    void renewLecture();

    std::function<QString()> snapshotFolder;

    // The parts that are on the canvas while the presentation is active; null otherwise.
    PresentationHead* head() const;
    PresentationFoot* foot() const;
    PresentationPage* page() const;
    InkLayer* ink() const;
    QuestionPanel* question() const;
    /// In the window on a second screen, otherwise the strip, which is hidden at first.
    NotesView* notes() const;
    bool isBlank() const;
    bool isPageShown() const;
    /// The picture shows a curve that the class is to draw.
    bool isPictureCovered() const;
    bool areNotesShown() const;
    /// Tells the lecturer, and not the class, what is wrong with the lecture.
    void tellProblem(const QString& sentence);
    /// File of the last snapshot, or "".
    QString snapshot() const { return m_snapshot; }

 signals:
    /// The user pressed Escape.
    void left();
    /// The receiver stores the answer in the user's lab.
    void answered(const ropelab::AnswerRecord& answer);
    /// A reader wants to turn a page: the receiver calls next() or previous().
    void turned(bool forward);

 protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

 private:
    void build();
    void clearCanvas();
    void place();
    void placeLater();
    /// Returns whether the picture stays beside the question. It has a page of its own if it hides the picture, also
    /// with its answer, and if its axes are drawn on.
    bool placeQuestion(const QRect& free, int textSize);
    void showPlace();
    /// Hides the notes on the class's own screen until the last question of the scene is answered.
    void keepSecret();
    void showSettled();
    void renewFind();
    /// Shows whose runs are on screen; nothing for a page of text without runs.
    void showRuns();
    void tick();
    void turn(bool forward);
    void nextTheme();
    void saveSnapshot();
    void togglePage();
    /// A page of its own, behind the last step.
    void showEnd();
    void toggleBlank();
    void toggleNotes();
    bool isOfPresentation(const QWidget* widget) const;
    bool wants(const QKeyEvent& event, const QWidget* focused) const;
    void handle(const QKeyEvent& event);
    void handleTyping(const QKeyEvent& event);
    bool handleMovement(int key);
    bool handleTool(int key);

    LectureStage& m_stage;
    LecturePlayer& m_player;
    LectureFormulas m_formulas;
    bool m_isActive = false;
    QWidget* m_bar = nullptr;  // of a reader, as the paper; null in front of a class
    QWidget* m_paper = nullptr;
    QPointer<PresentationHead> m_head;
    QPointer<PresentationFoot> m_foot;
    QPointer<PresentationPage> m_page;
    QPointer<PresentationPage> m_cover;  // hides a picture with the curve that the class is to draw
    QPointer<QWidget> m_blank;
    QPointer<InkLayer> m_ink;
    QPointer<QuestionPanel> m_question;
    QPointer<NotesView> m_strip;
    QPointer<NotesWindow> m_notesWindow;
    QString m_typed;  // what is being typed to jump; names begin with "/"
    QString m_problem;
    QString m_pageKey;  // question and size of the page for which these sizes of its texts were found
    int m_pageSize = 0;
    int m_answerSize = 0;
    std::size_t m_dock = 0;  // width of the question beside the picture, which only grows until the next question
    bool m_isAtEnd = false;
    bool m_isPlacing = false;
    bool m_placesLater = false;
    int m_pressed = 0;  // keys that follow an answer which is still being computed
    QElapsedTimer m_busySince;
    QString m_find;  // the number that the class should find, in words
    QString m_snapshot;
    int m_inkScene = -2;  // scene over which the ink was drawn
    QElapsedTimer m_since;
    QTimer m_clock;
    LatestJob m_findJob;  // declared last, so that its thread ends first
};

}  // namespace ropelab::ui
