#pragma once

#include <QString>
#include <QToolButton>
#include <QWidget>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/bench/roofline.h"
#include "core/contract/event.h"
#include "core/settings/run_spec.h"
#include "ui/common/latest_job.h"
#include "ui/figure/figure.h"
#include "ui/plot/quantity.h"

class QComboBox;
class QLabel;

namespace ropelab::ui {

class CurvePlot;
class EngineLock;
class FigureView;
class RunStore;
class RunTable;
class Settings;
class SweepSession;

/// Chooses the quantity, its unit, the axis scale and the smoothing of the plot. The settings store the choices.
class PlotToolbar : public QWidget {
    Q_OBJECT

 public:
    PlotToolbar(CurvePlot& plot, RunTable& table, Settings& settings, QWidget* parent = nullptr);

    /// The ids are "validation_loss", "training_loss", "losses", "learning_rate", "gradient_norm", "tokens_per_second"
    /// and "roofline". Throws BadInput for any other id.
    void showQuantity(const QString& id);

    /// Throws BadInput for a word that is not in lossUnitWords.
    void showUnit(const QString& word);
    bool isLossPerToken() const;

    QComboBox* quantity() const { return m_quantity; }
    QComboBox* unit() const { return m_unit; }
    bool isRoofline() const;

    /// "on", "off" or "auto".
    void chooseBands(const QString& word);

    /// The plot shows the mean over seeds with a band of one standard deviation.
    bool isBands() const { return m_bandsPossible && m_bands->isChecked(); }
    /// Bands are possible if some visible runs differ only in their seed. `wanted` is the state of the button until the
    /// user clicks it for the first time.
    void setBandsPossible(bool possible, bool wanted);

 signals:
    void bandsChanged(bool on);
    void exportRequested();
    void rooflineChanged(bool on);
    void unitChanged();
    /// See CurvePlot::setSmoothing.
    void smoothingChanged(double weight);

 protected:
    bool event(QEvent* event) override;

 private:
    /// −1 for an unknown id. Ids of earlier versions are known too.
    int indexOfQuantity(const QString& id) const;
    QWidget* makeAxisChoice();
    QWidget* makeSmoothing();
    void applyView();
    void showBands();

    CurvePlot& m_plot;
    RunTable& m_table;
    Settings& m_settings;
    QComboBox* m_quantity = nullptr;
    QComboBox* m_unit = nullptr;
    QWidget* m_axis = nullptr;
    QWidget* m_smoothing = nullptr;
    QToolButton* m_linear = nullptr;
    QToolButton* m_log = nullptr;
    QToolButton* m_bands = nullptr;
    QToolButton* m_reset = nullptr;
    QToolButton* m_export = nullptr;
    bool m_bandsPossible = false;
};

/// Measured training step of one run.
struct RooflineRun {
    QString label;
    Ink ink;                     // see RunView::ink
    bool picked = false;         // true: the point is emphasized
    bench::RooflinePoint point;  // arithmetic intensity and speed of the training step
};

/// Operations per second against operations per byte on logarithmic axes, with the limit of this machine as a line and
/// the training step of each run as a point. If the machine's speed is unknown or there are no runs, the figure
/// contains a sentence that says so.
Figure rooflineFigure(const bench::MachineSpeed& machine, const std::vector<RooflineRun>& runs);

/// Shows what limits the training speed: the roofline of this machine with the training steps of the visible runs, a
/// sentence about the picked run, and the predicted and measured memory of training. The speed of the machine is
/// measured on a background thread when the view is first shown and nothing trains; the settings store the highest
/// speed ever measured.
class RooflineView : public QWidget {
    Q_OBJECT

 public:
    RooflineView(RunStore& runs, SweepSession& session, EngineLock& engineLock, Settings& settings,
                 QWidget* parent = nullptr);

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
    EngineLock& m_engineLock;
    Settings& m_settings;
    QLabel* m_sentence = nullptr;
    QLabel* m_memory = nullptr;
    FigureView* m_view = nullptr;
    std::map<RunId, double> m_speeds;  // tokens per second, for runs without a summary
    std::int64_t m_peak = 0;
    RunId m_picked = 0;
    bool m_measured = false;         // true once this view has started a measurement
    bool m_measuredRounded = false;  // … of products in bfloat16, too
    LatestJob m_measuring;
};

/// Help text (F1): the formula, the values of its symbols in `run`, and its source. `now` is the latest value of the
/// run; a loss is in nats.
QString quantityExplanation(Quantity quantity, const RunSpec& run, std::optional<double> now);
/// Help text (F1). `multiply` is the machine's peak speed in operations per second, `copy` its memory bandwidth in
/// bytes per second; each is 0 if it has not been measured.
QString rooflineExplanation(const bench::MachineSpeed& machine);

}  // namespace ropelab::ui
