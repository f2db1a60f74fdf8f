#pragma once

#include <QFrame>

class QLabel;
class QProgressBar;
class QPushButton;

namespace ropelab::ui {

class SweepSession;

/// What is running, at the bottom: how far, how long still, how fast, on what; pause and stop. A narrow one leaves out
/// on what, then how fast.
class StatusStrip : public QFrame {
    Q_OBJECT

 public:
    explicit StatusStrip(SweepSession& session, QWidget* parent = nullptr);
    /// A word instead of the numbers ("Saving the lab …"); "" brings them back.
    void setNotice(const QString& text);
    /// The sentence of the numbers, for tests and screen readers.
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
    QString m_notice;
    QProgressBar* m_bar;
    QLabel* m_iteration;
    QLabel* m_left;
    QLabel* m_speed;
    QLabel* m_machine;
    QPushButton* m_pause;
    QPushButton* m_stop;
};

}  // namespace ropelab::ui
