#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/rooms/context/bound_data.h"

namespace ropelab::ui {

/// Target of fine-tuning for a longer context. The default context is the target of the setup's scaling, or four times
/// the training context if there is no scaling. The default base is the setup's theta.
struct Tuning {
    std::optional<double> context;  // L′ in tokens
    std::optional<double> base;     // β
};

/// Critical dimension (F14), critical base and extrapolation limit (F15) of a setup, for its frequencies without
/// scaling.
struct TuningNumbers {
    double trainingContext = 0;          // L, in tokens
    double context = 0;                  // L′, the target context, in tokens
    double base = 0;                     // β
    bool isScaled = false;               // the setup has a scaling, which these numbers ignore
    int dimension = 0;                   // d in the formulas: d_r for slice, the head dimension for truncate
    int rotatedChannels = 0;             // d_r
    int criticalDimension = 0;           // d_c
    std::optional<double> criticalBase;  // β₀; none if no channel rotates, or L or L′ is not above 2π
    /// T at β, in tokens; none if no channel rotates.
    std::optional<double> extrapolationLimit;
};
/// Computes these numbers for a setup and a target of fine-tuning.
TuningNumbers tuningNumbers(const RotarySetup& setup, const Tuning& tuning);

/// One criterion for the context length, and whether the setup meets it.
struct Criterion {
    enum class State { met, failed, open } state = State::open;
    QString text;  // one short sentence with the numbers
    QString why;   // formula, current values of its symbols, source
};
/// Returns three criteria: the context bound (F12, F13), the critical dimension (F14) and the extrapolation limit of
/// the tuned base (F15).
std::vector<Criterion> contextCriteria(const BoundData& data, const Tuning& tuning);

// Tooltips with the formula, the current values of its symbols and the source.
QString criticalDimensionWhy(const TuningNumbers& numbers, double theta);
QString criticalBaseWhy(const TuningNumbers& numbers, double theta);
QString extrapolationLimitWhy(const TuningNumbers& numbers);

}  // namespace ropelab::ui
