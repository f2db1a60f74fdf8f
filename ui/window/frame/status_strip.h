#pragma once

#include <QFrame>
#include <QTimer>

#include "core/forecast/remaining_time.h"

class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

class SweepSession;

/// State of the sweep with Pause and Stop. A narrow strip omits the device, then the speed, then the step.
class StatusStrip : public QFrame {
    Q_OBJECT

 public:
    explicit StatusStrip(SweepSession& session, QWidget* parent = nullptr);
    /// Another lab is shown: until the next start, the strip says nothing about the last sweep.
    void forgetSweep();
    /// "Saving …" instead of the remaining time; "" removes the notice.
    void setNotice(const QString& text);
    /// Shows "Undone: θ 500k → 10k" for some seconds.
    void tell(const QString& text);
    /// "" after the text of tell() has vanished.
    QString told() const;
    QPushButton* pauseButton() const { return m_pause; }
    QPushButton* stopButton() const { return m_stop; }
    QString summary() const;
    QSize minimumSizeHint() const override;

 signals:
    void pauseAsked();
    void stopAsked();

 protected:
    void resizeEvent(QResizeEvent* event) override;

 private:
    void renew();
    void fit();

    SweepSession& m_session;
    RemainingTime m_remaining;
    bool m_wasStopped = false;  // how the last sweep ended
    bool m_isForgotten = false;
    QString m_notice;
    QProgressBar* m_bar;
    QLabel* m_iteration;
    QLabel* m_left;
    QLabel* m_speed;
    QLabel* m_told;
    QTimer m_toldUntil;
    QLabel* m_machine;
    QPushButton* m_pause;
    QPushButton* m_stop;
};

}  // namespace ropelab::ui
