#pragma once

#include <QFrame>
#include <QString>
#include <optional>
#include <vector>

#include "core/lecture/lecture.h"
#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"
#include "ui/lecture/questions/answer_field.h"

class QHBoxLayout;
class QLabel;
class QPushButton;
class QTimer;
class QVBoxLayout;

namespace ropelab::ui {

class LectureFormulas;
class LectureStage;
class LectureText;

struct QuestionPlace {
    QString lecture;  // name or title of the lecture
    QString scene;    // id of the scene
    QString lab;      // path of the lab from which the right answer is computed; "" for none
    QString group;    // name of the group that answers, such as "third year 2026"; "" for none
};

/// The right answer is computed in a background thread; one person sees it only after a right answer or on request.
class QuestionPanel : public QFrame {
    Q_OBJECT

 public:
    /// `classroom`: choices have fields for numbers of raised hands. `alone`: one person, who can be shown a hint.
    enum class Mode { classroom, alone };

    /// The stage must outlive the panel.
    QuestionPanel(LectureStage& stage, Mode mode, QWidget* parent = nullptr);
    ~QuestionPanel() override;

    void setFormulas(const LectureFormulas& formulas);
    /// Of all texts and fields, in pixels, but of the answer after it, if that has a size of its own; 0: as in the rest
    /// of the window.
    void setTextSize(int pixels, int answer = 0);
    /// The user waits for a right answer that is still being computed.
    bool isWaiting() const { return m_waiting != Waiting::nothing; }
    /// Call this after all changes of the step took effect: the right answer is that of the setups and figures which
    /// the stage shows now. The panel gets the keyboard focus with focusAnswer().
    void ask(const LectureQuestion& question, const QuestionPlace& place);
    void clear();
    bool hasQuestion() const { return m_question.has_value(); }
    const LectureQuestion* question() const { return m_question ? &*m_question : nullptr; }
    /// The room's picture must be hidden, because it shows the curve that is to be drawn.
    bool coversPicture() const;

    void focusAnswer();
    bool canSubmit() const;
    /// Shows the right answer; one person who was wrong can first try again. Does nothing if nothing was entered or
    /// changed. Waits for the right answer if it is still being computed.
    void submit();
    /// An answer that was entered is submitted first.
    void reveal();
    void showHint();

    bool isRevealed() const { return m_revealed; }
    bool isHintShown() const { return m_hintShown; }
    /// The last answers; empty if none was given to this question. A show of hands has one per choice.
    const std::vector<AnswerRecord>& answers() const { return m_answers; }
    /// Sentences that compare the answer with the right one; "" before reveal() or submit().
    QString result() const;
    /// Why something entered was not accepted; "" if it was.
    QString error() const;
    AnswerField* field() const { return m_field; }

    QPushButton* submitButton() const { return m_submit; }
    QPushButton* hintButton() const { return m_hintButton; }
    QPushButton* revealButton() const { return m_reveal; }

 signals:
    /// The receiver stores the answer in the lab.
    void answered(const ropelab::AnswerRecord& answer);
    void revealed();
    /// The user wants to continue after the right answer was shown: button "Next" or the Return key.
    void finished();
    void formulaRequested(int number);

 protected:
    bool event(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

 private:
    enum class Waiting { nothing, submit, reveal };

    AnswerField* makeField(const LectureQuestion& question);
    void startTruth();
    void computeNumber();
    /// Called as soon as the room has computed the right curve.
    void takeFigure();
    void setTruth(AnswerTruth truth);
    void failTruth(const QString& reason);
    /// All that is shown with the right answer.
    QString answerTexts(const QString& compared) const;
    void showTruth();
    bool isWrong() const;
    /// What the wrong answers show to be misunderstood; "" if the lecture does not say.
    QString mistakes() const;
    /// Keeps the right answer hidden.
    void askAgain();
    void refresh();
    void fitFields();

    LectureStage& m_stage;
    Mode m_mode;
    std::optional<LectureQuestion> m_question;
    QuestionPlace m_place;
    std::optional<AnswerTruth> m_truth;  // nullopt while it is being computed
    std::vector<AnswerRecord> m_answers;
    Waiting m_waiting = Waiting::nothing;  // what was asked for before the right answer was known
    bool m_revealed = false;
    bool m_hintShown = false;
    int m_textSize = 0;  // in pixels; 0: as in the rest of the window
    LectureText* m_text;
    QVBoxLayout* m_column;
    QVBoxLayout* m_fieldColumn;
    AnswerField* m_field = nullptr;
    LectureText* m_hint;
    LectureText* m_result;
    QLabel* m_formulas;  // links to those that the result names, for one person
    QLabel* m_error;
    QHBoxLayout* m_buttons;
    QPushButton* m_hintButton;
    QPushButton* m_reveal;
    QPushButton* m_submit;
    QTimer* m_figureTimer;
    LatestJob m_job;  // declared last so that its thread ends first
};

}  // namespace ropelab::ui
