#pragma once

#include <QWidget>
#include <optional>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "core/study/perplexity.h"
#include "ui/common/latest_job.h"
#include "ui/controls/form.h"
#include "ui/figure/figure.h"
#include "ui/rotary/run_chooser.h"

class QLabel;

namespace ropelab::ui {

/// The loss of a model by position, in sequences that may be longer than its context.
struct MeasuredLoss {
    QString model = {};      // name of the run or of the opened model
    QString text = {};       // name of the data
    RotarySetup setup = {};  // of its first layer that rotates
    std::int64_t sequences = 0;
    std::int64_t length = 0;  // tokens of each
    std::vector<PositionLoss> bins = {};
};

/// Beside the context bound, on the same axis. `firstNegative`: the smallest Δ with B(Δ) < 0 of the measured model, if
/// it is known.
Figure measuredLossFigure(const MeasuredLoss& measured, std::int64_t end, bool logarithmic,
                          std::optional<std::int64_t> firstNegative);
/// Says what the bound is, and what the loss.
QString measuredLossSentence(const MeasuredLoss& measured, std::optional<std::int64_t> firstNegative);

/// Chooses a run or an opened model, and measures its loss.
class MeasuredLossPanel : public QWidget {
    Q_OBJECT

 public:
    explicit MeasuredLossPanel(RunAccess access, QWidget* parent = nullptr);

    /// "measured": the id of a run, below 0 that of a model, or 0 for none.
    Form& form() { return m_form; }
    /// nullopt if none is chosen, and until the chosen one is measured.
    const std::optional<MeasuredLoss>& loss() const { return m_loss; }
    bool isMeasuring() const { return m_job.isRunning(); }

 signals:
    /// loss() has changed.
    void changed();

 private:
    void measure();

    RunAccess m_access;
    RunChooser* m_chooser;
    RunId m_measured = 0;
    Form m_form{this};
    QLabel* m_text;
    std::optional<MeasuredLoss> m_loss;
    LatestJob m_job;  // declared last, so that it is destroyed first
};

}  // namespace ropelab::ui
