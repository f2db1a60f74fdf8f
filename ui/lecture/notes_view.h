#pragma once

#include <QWidget>

#include "ui/lecture/lecture_formulas.h"

class QLabel;

namespace ropelab::ui {

class LecturePlayer;
class LectureText;

/// What the lecturer sees and the class need not: the notes of the scene, the next step, the time since the start, the
/// clock, and the number that the class should find.
class NotesView : public QWidget {
    Q_OBJECT

 public:
    /// `wide`: a strip whose parts are side by side; otherwise they are below each other.
    explicit NotesView(bool wide, QWidget* parent = nullptr);

    void setFormulas(const LectureFormulas& formulas);
    /// Shows the notes and the next step of the place where the player is.
    void showPlace(const LecturePlayer& player);
    /// Hides what can contain the answer to a question: notes, next step and number to find, all but the time.
    void setSecret(bool secret);
    /// Shows the number that the class should find, with its expression; "" for none.
    void showFind(const QString& words);
    /// Shows the time since the start in seconds and, unless it is 0, the planned one in minutes.
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
    QLabel* m_find;
    LectureText* m_next;
    LectureText* m_notes;
};

}  // namespace ropelab::ui
