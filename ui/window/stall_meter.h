#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace ropelab::ui {

/// How long this thread's event loop kept its events waiting: a timer ticks every 4 ms while the meter runs, and a tick
/// that comes late was held up. (The event dispatcher's own signals cannot tell: GLib's dispatches while it waits.)
class StallMeter : public QObject {
    Q_OBJECT

 public:
    explicit StallMeter(QObject* parent = nullptr);
    /// Forgets what was measured and measures from now on.
    void restart();
    /// Measures no further; what is under way counts.
    void stop();
    /// The longest delay in milliseconds, as a person feels it: this thread's work and its waiting for a processor.
    double longest() const { return m_longest; }
    /// The most processor time in milliseconds that this thread used between two ticks: its work alone.
    double longestWork() const { return m_longestWork; }

 private:
    void tick();
    QTimer m_timer;
    QElapsedTimer m_sinceTick;
    double m_workAtTick = 0;
    double m_longest = 0;
    double m_longestWork = 0;
};

}  // namespace ropelab::ui
