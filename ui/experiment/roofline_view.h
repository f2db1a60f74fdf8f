#pragma once

#include <QWidget>
#include <map>

#include "core/bench/machine_speed.h"
#include "core/spec/event.h"
#include "ui/figure/figure.h"
#include "ui/rotary/latest_job.h"

class QLabel;

namespace ropelab::ui {

class FigureView;
class Workspace;

/// What limits the runs' speed: the roofline of this machine with the visible runs' steps, a sentence about the picked
/// one, and the memory that training was to take beside what it took. The machine's own speed is measured beside the
/// window's thread when this is first seen and nothing trains; the best ever seen is remembered in the settings.
class RooflineView : public QWidget {
    Q_OBJECT

 public:
    explicit RooflineView(Workspace& workspace, QWidget* parent = nullptr);

    /// A running run trains so many symbols a second, as its share of its cohort's time.
    void setSpeed(RunId run, double symbolsPerSecond);
    /// The sweep that ended took so much memory at most; 0 where it is not known.
    void setPeakMemory(std::int64_t bytes);
    void pickRun(RunId run);
    /// Forgets what was measured of runs and memory: another lab has other runs.
    void clear();

    Figure figure() const;
    /// What limits the picked run, or why that is not known.
    QString sentence() const;
    QString memorySentence() const;
    bool isMeasuring() const { return m_measuring.isRunning(); }
    FigureView& view() { return *m_view; }

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void measureIfIdle();
    void renew();
    bench::MachineSpeed machine() const;

    Workspace& m_workspace;
    QLabel* m_sentence = nullptr;
    QLabel* m_memory = nullptr;
    FigureView* m_view = nullptr;
    std::map<RunId, double> m_speeds;  // of runs that have no summary yet
    std::int64_t m_peak = 0;
    RunId m_picked = 0;
    bool m_measured = false;  // in this window
    LatestJob m_measuring;
};

}  // namespace ropelab::ui
