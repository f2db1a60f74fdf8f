#pragma once

#include <QDialog>
#include <QJsonObject>
#include <vector>

#include "core/lecture/class/answer_table.h"

class QLabel;
class QLineEdit;
class QListWidget;
class QPushButton;

namespace ropelab::ui {

class FigureView;
struct Figure;

/// Not modal. Single answers can be deleted; the last deletion can be undone.
class AnswersDialog : public QDialog {
    Q_OBJECT

 public:
    /// `group` is the name that the user typed last.
    explicit AnswersDialog(const QString& group, QWidget* parent = nullptr);

    /// The selected question stays selected if it is among them; otherwise the last one is selected.
    void setQuestions(std::vector<AnsweredQuestion> questions);
    /// `origin` is what labOrigin() returns; with it, exported figures can be computed again.
    void setLab(const QJsonObject& origin);
    /// Offers to undo the deletion of these answers.
    void setDeleted(std::vector<AnswerRecord> answers);
    void showProblem(const QString& sentence);

    QListWidget* list() const { return m_list; }
    FigureView* view() const { return m_view; }
    QLabel* words() const { return m_words; }
    QLineEdit* group() const { return m_group; }
    /// Answers to the selected question, one line each.
    QListWidget* answers() const { return m_answers; }
    QPushButton* deleteButton() const { return m_delete; }
    QPushButton* undoButton() const { return m_undo; }

 signals:
    /// The receiver deletes the answers from the lab and calls setQuestions() and setDeleted().
    void deletionRequested(const std::vector<ropelab::AnswerRecord>& answers);
    /// The user undoes the last deletion; the receiver stores these answers again and calls setQuestions().
    void restorationRequested(const std::vector<ropelab::AnswerRecord>& answers);
    void groupChanged(const QString& group);

 private:
    void showQuestion(int row);
    void deleteSelected();
    void undoDeletion();
    Figure exportedFigure() const;

    std::vector<AnsweredQuestion> m_questions;
    QJsonObject m_lab;
    QListWidget* m_list;
    FigureView* m_view;
    QLabel* m_words;
    QLineEdit* m_group;
    QListWidget* m_answers;
    QPushButton* m_delete;
    QPushButton* m_undo;
    std::vector<AnswerRecord> m_shown;    // in the order of the list
    std::vector<AnswerRecord> m_deleted;  // by the last deletion
};

}  // namespace ropelab::ui
