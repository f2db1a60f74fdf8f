#pragma once

#include <QString>
#include <QWidget>
#include <optional>
#include <vector>

#include "core/rope/context.h"
#include "ui/controls/form.h"
#include "ui/rooms/context/context_data.h"
#include "ui/shell/tiles.h"

class QLabel;

namespace ropelab::ui {

/// Without a target no criterion has one. The default base is the setup's θ.
struct Tuning {
    std::optional<double> context;  // target L′ in tokens
    std::optional<double> base;     // β
};
/// The target of the setup's scaling, or four times the training context without scaling.
double suggestedTarget(const RotarySetup& setup);

/// Critical dimension (F14), critical base and extrapolation limit (F15), for the frequencies without scaling.
struct TuningNumbers {
    double trainingContext = 0;          // L, in tokens
    std::optional<double> context;       // L′, the target context, in tokens; none if the user set none
    double base = 0;                     // β
    bool isScaled = false;               // the setup has a scaling, which these numbers ignore
    int dimension = 0;                   // d in the formulas: d_r for slice, the head dimension for truncate
    int rotatedChannels = 0;             // d_r
    int criticalDimension = 0;           // d_c
    int scaledComplete = 0;              // channels that complete a period in the context with the scaling (F9)
    std::optional<double> criticalBase;  // β₀; none without a target, if no channel rotates, or if L or L′ is ≤ 2π
    /// T at β, in tokens; none if no channel rotates.
    std::optional<double> extrapolationLimit;
    /// In training every rotated pair completes a period, so that the theory sets no limit.
    bool hasNoUntrainedPair() const { return rotatedChannels > 0 && criticalDimension >= rotatedChannels; }
};
TuningNumbers tuningNumbers(const RotarySetup& setup, const Tuning& tuning);

/// The context bound (F12, F13), the critical dimension (F14) and the extrapolation limit of the base for fine-tuning
/// (F15): the theory that states a criterion for the context length, its condition and the setup's number.
std::vector<Tile> contextCriteria(const BoundData& data, const Tuning& tuning);

// Tooltips with the formula, the current values of its symbols and the source.
QString criticalDimensionWhy(const TuningNumbers& numbers, double theta);
QString criticalBaseWhy(const TuningNumbers& numbers, double theta);
QString extrapolationLimitWhy(const TuningNumbers& numbers);

/// Sets and clears a target of fine-tuning (context and base), with the resulting critical dimension, critical base and
/// extrapolation limit (F14, F15).
class TuningPanel : public QWidget {
    Q_OBJECT

 public:
    explicit TuningPanel(QWidget* parent = nullptr);

    const Tuning& tuning() const { return m_tuning; }
    /// Shows the other setup too if two are compared.
    void renew(const RotarySetup& setup, const std::optional<RotarySetup>& other = {}, bool editsB = false);

    /// "target", "context" and "base".
    Form& form() { return m_form; }
    QLabel* criticalDimension() const { return m_criticalDimension; }
    QLabel* criticalBase() const { return m_criticalBase; }
    QLabel* extrapolationLimit() const { return m_extrapolationLimit; }

 signals:
    /// The user set, changed or cleared the target context or the tuned base.
    void changed();

 private:
    Tuning m_tuning;
    Form m_form{this};
    QLabel* m_criticalDimension;
    QLabel* m_criticalBase;
    QLabel* m_extrapolationLimit;
    QLabel* m_unscaled = nullptr;  // note, visible while the setup has a scaling
};

/// "mean" of the components of random queries and keys, and "correlation" of q and k (F16).
QList<FormRow> randomRows();

}  // namespace ropelab::ui
