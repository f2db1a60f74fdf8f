#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>

namespace ropelab::ui {

/// A timer ticks every 4 ms, and the meter records how late each tick arrives. (The signals of the event dispatcher are
/// no help, because GLib's dispatcher dispatches events while it waits.)
class StallMeter : public QObject {
    Q_OBJECT

 public:
    explicit StallMeter(QObject* parent = nullptr);
    void restart();
    /// A delay that is in progress still counts.
    void stop();
    /// Longest delay of a tick in milliseconds: CPU time of this thread and its waiting time for a CPU core.
    double longest() const { return m_longest; }
    /// Maximum CPU time of this thread between two ticks, in milliseconds.
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
