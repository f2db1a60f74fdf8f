#pragma once

#include <QWidget>

#include "ui/lecture/lecture_formulas.h"

class QLabel;
class QScreen;

namespace ropelab::ui {

class LecturePlayer;
class LectureText;

/// The lecturer's notes of the scene, the next step, the time since the start, the clock, and the number to find.
class NotesView : public QWidget {
    Q_OBJECT

 public:
    /// `wide` is a strip with parts side by side; otherwise they are below each other.
    explicit NotesView(bool wide, QWidget* parent = nullptr);

    void setFormulas(const LectureFormulas& formulas);
    void showPlace(const LecturePlayer& player);
    /// Hides all but the time, because the rest can contain the answer to a question.
    void setSecret(bool secret);
    /// The number that the class should find, with its expression; "" for none.
    /// What is wrong with the lecture, also while the notes are secret; "" for nothing.
    void showProblem(const QString& sentence);
    QString problem() const;
    void showFind(const QString& words);
    /// `plannedMinutes` is shown unless it is 0.
    void showTime(double seconds, double plannedMinutes);

    // What is shown; "" while it is secret.
    QString notes() const;
    QString next() const;
    QString find() const;
    QString time() const;

 private:
    bool m_isSecret = false;
    QLabel* m_reason;  // why nothing is shown
    QWidget* m_texts;  // next step and notes
    QLabel* m_time;
    QLabel* m_clock;
    QLabel* m_place;
    QLabel* m_problem;
    QLabel* m_find;
    LectureText* m_next;
    LectureText* m_notes;
};

class NotesWindow : public QWidget {
    Q_OBJECT

 public:
    explicit NotesWindow(QWidget* parent = nullptr);

    NotesView& view() { return *m_view; }
    /// Uses a screen other than that of `presented`. Returns false, and shows nothing, if there is none.
    bool showBeside(const QWidget& presented);

 private:
    NotesView* m_view;
};

}  // namespace ropelab::ui
