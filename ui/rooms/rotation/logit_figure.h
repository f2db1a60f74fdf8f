#pragma once

#include <QList>
#include <QString>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// Returns the figure "logit-split": the logit at positions m and n as one signed bar per pair and one bar for the
/// unrotated channels, with their cumulative sum and the total (formula 7).
Figure logitFigure(const RotationScene& scene);

/// Returns the pair whose bar is at the x coordinate `x` of the figure "logit-split", or nullopt.
std::optional<int> pairOfBar(const RotationScene& scene, double x);

/// The readout of one bar: its title, its contribution to the logit and the cumulative sum up to it.
struct BarText {
    double x = 0;
    QString title;
    QString part;
    QString sum;
};
/// Returns the readout of the bar at the x coordinate `x` of the figure "logit-split", or nullopt.
std::optional<BarText> barText(const RotationScene& scene, double x);

/// The logit before and after a common shift of m and n, in one arithmetic.
struct ShiftRow {
    QString name;  // "bfloat16"
    QString tip;   // tooltip: which numbers are rounded
    double before = 0;
    double after = 0;
    /// True if `before` and `after` differ by at most 0.1 % of the sum of the absolute contributions.
    bool stays = true;
};
/// Computes the logit at two places (m, n) of equal distance in three arithmetics: exactly, in float64; with the angles
/// position × frequency in float32, as Hugging Face computes its table; and with positions rounded to bfloat16.
QList<ShiftRow> shiftRows(const RotationScene& scene, RotationState::Place before, RotationState::Place after);

}  // namespace ropelab::ui
