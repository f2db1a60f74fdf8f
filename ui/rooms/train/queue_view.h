#pragma once

#include <QFrame>

#include "core/run/runner.h"
#include "ui/session/run_access.h"

class QListWidget;
class QPushButton;

namespace ropelab::ui {

class SessionActions;

/// List of the cohorts that wait while another cohort trains, in the order in which they will train. The user can
/// select a cohort and move it within the queue or remove it.
class QueueView : public QFrame {
    Q_OBJECT

 public:
    QueueView(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    QListWidget& list() { return *m_list; }

 public slots:
    /// Moves the selected cohort one place towards the front of the queue.
    void moveEarlier() { move(-1); }
    /// Moves the selected cohort one place towards the end of the queue.
    void moveLater() { move(1); }
    /// Removes the selected cohort from the queue.
    void removePicked();

 private:
    void renew();
    void renewButtons();
    /// Returns the id of the selected cohort, or 0 if none is selected.
    std::int64_t picked() const;
    void move(int by);
    QString textOf(const WaitingCohort& cohort) const;

    SessionActions& m_actions;
    RunAccess m_access;
    QListWidget* m_list;
    QPushButton* m_earlier;
    QPushButton* m_later;
    QPushButton* m_remove;
};

}  // namespace ropelab::ui
