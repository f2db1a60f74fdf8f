#pragma once

#include <QFrame>

#include "core/run/runner.h"
#include "ui/session/run_access.h"

class QListWidget;
class QPushButton;

namespace ropelab::ui {

class SessionActions;

/// The cohorts that wait while another cohort trains, in the order in which they will train. The user can move or
/// remove the selected one.
class QueueView : public QFrame {
    Q_OBJECT

 public:
    QueueView(SessionActions& actions, RunAccess access, QWidget* parent = nullptr);

    QListWidget& list() { return *m_list; }

 public slots:
    void moveEarlier() { move(-1); }
    void moveLater() { move(1); }
    void removePicked();

 private:
    void renew();
    void renewButtons();
    /// 0 if no cohort is selected.
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
