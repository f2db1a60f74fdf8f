#pragma once

#include <QWidget>
#include <map>

#include "core/bench/roofline.h"
#include "core/spec/event.h"
#include "ui/common/latest_job.h"
#include "ui/figure/figure.h"

class QLabel;

namespace ropelab::ui {

class RunStore;
class Settings;
class SweepSession;

class FigureView;

/// Shows what limits the training speed: the roofline of this machine with the training steps of the visible runs, a
/// sentence about the picked run, and the predicted and measured memory of training. The speed of the machine is
/// measured on a background thread when the view is first shown and nothing trains; the settings store the highest
/// speed ever measured.
class RooflineView : public QWidget {
    Q_OBJECT

 public:
    RooflineView(RunStore& runs, SweepSession& session, Settings& settings, QWidget* parent = nullptr);

    /// The speed of the cohort of `run`, in tokens per second summed over the runs of the cohort.
    void setSpeed(RunId run, double tokensPerSecond);
    /// The peak memory of the sweep that has ended; 0 if it is unknown.
    void setPeakMemory(std::int64_t bytes);
    /// The sentence describes this run, and the figure emphasizes it.
    void pickRun(RunId run);
    void clear();

    Figure figure() const;
    /// Says what limits the speed of the picked run, or why that is unknown.
    QString sentence() const;
    /// The predicted and, once known, the measured memory of training; "" without visible runs.
    QString memorySentence() const;
    bool isMeasuring() const { return m_measuring.isRunning(); }
    FigureView& view() { return *m_view; }

 protected:
    void showEvent(QShowEvent* event) override;

 private:
    void measureIfIdle();
    void renew();
    bench::MachineSpeed machine() const;

    RunStore& m_runStore;
    SweepSession& m_session;
    Settings& m_settings;
    QLabel* m_sentence = nullptr;
    QLabel* m_memory = nullptr;
    FigureView* m_view = nullptr;
    std::map<RunId, double> m_speeds;  // tokens per second, for runs without a summary
    std::int64_t m_peak = 0;
    RunId m_picked = 0;
    bool m_measured = false;  // true once this view has started a measurement
    LatestJob m_measuring;
};

}  // namespace ropelab::ui
