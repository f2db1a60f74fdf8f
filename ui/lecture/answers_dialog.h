#pragma once

#include <QDialog>
#include <QJsonObject>
#include <vector>

#include "core/lecture/answer_table.h"

class QLabel;
class QListWidget;

namespace ropelab::ui {

class FigureView;
struct Figure;

/// Window with the answers to questions of lectures that a lab stores: a list of the questions, and a figure that
/// compares the groups. It is not modal.
class AnswersDialog : public QDialog {
    Q_OBJECT

 public:
    explicit AnswersDialog(QWidget* parent = nullptr);

    /// Shows these questions, and selects the last one.
    void setQuestions(std::vector<AnsweredQuestion> questions);
    /// Sets the lab of the answers, as labOrigin() returns it, with which exported figures can be computed again.
    void setLab(const QJsonObject& origin) { m_lab = origin; }

    QListWidget* list() const { return m_list; }
    FigureView* view() const { return m_view; }
    QLabel* words() const { return m_words; }

 private:
    void showQuestion(int row);
    Figure exportedFigure() const;

    std::vector<AnsweredQuestion> m_questions;
    QJsonObject m_lab;
    QListWidget* m_list;
    FigureView* m_view;
    QLabel* m_words;
};

}  // namespace ropelab::ui
