#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "ui/rotary/context/bound_data.h"

namespace ropelab::ui {

/// What a model is tuned for; unset: four times the training context (or what the scaling aims at), at today's base.
struct Tuning {
    std::optional<double> context;  // L′ in tokens
    std::optional<double> base;     // β
};

/// F14 and F15 with today's numbers.
struct TuningNumbers {
    double trained = 0;                  // L
    double context = 0;                  // L′
    double base = 0;                     // β
    int dimension = 0;                   // d in the formulas: d_r for slice, the head dimension for truncate
    int turning = 0;                     // d_r
    int criticalDimension = 0;           // d_c
    std::optional<double> criticalBase;  // β₀; none where no channel turns or L or L′ is not above 2π
    std::optional<double> reach;         // T at β; none where no channel turns
};
TuningNumbers tuningNumbers(const RotarySetup& setup, const Tuning& tuning);

/// One condition that a context meets or does not.
struct Criterion {
    enum class State { met, failed, open } state = State::open;
    QString text;  // a short sentence with its number
    QString why;   // formula, symbols with today's values, source
};
/// The context bound (F12, F13), all channels trained (F14), the reach of a tuned base (F15).
std::vector<Criterion> contextCriteria(const BoundData& data, const Tuning& tuning);

// Tooltips with today's values.
QString criticalDimensionWhy(const TuningNumbers& numbers, double theta);
QString criticalBaseWhy(const TuningNumbers& numbers, double theta);
QString reachWhy(const TuningNumbers& numbers);

}  // namespace ropelab::ui
