#pragma once

#include <QFrame>

#include "core/experiment/runner.h"

class QListWidget;
class QPushButton;

namespace ropelab::ui {

class Workspace;

/// The cohorts that wait while one trains, first to train first: a picked one goes earlier or later, or out of the
/// queue.
class QueueView : public QFrame {
    Q_OBJECT

 public:
    explicit QueueView(Workspace& workspace, QWidget* parent = nullptr);

    QListWidget& list() { return *m_list; }

 public slots:
    void moveEarlier() { move(-1); }
    void moveLater() { move(1); }
    void removePicked();

 private:
    void renew();
    void renewButtons();
    /// 0 where none is picked.
    std::int64_t picked() const;
    void move(int by);
    QString textOf(const WaitingCohort& cohort) const;

    Workspace& m_workspace;
    QListWidget* m_list;
    QPushButton* m_earlier;
    QPushButton* m_later;
    QPushButton* m_remove;
};

}  // namespace ropelab::ui
