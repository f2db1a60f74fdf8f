#pragma once

#include <QList>
#include <QString>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The logit at positions m and n as one signed bar per pair and one bar for the unrotated channels, with their
/// cumulative sum and the total (formula 7).
Figure logitFigure(const RotationScene& scene);

/// `x` is a coordinate of the figure "logit-split"; nullopt beside the bars.
std::optional<int> pairOfBar(const RotationScene& scene, double x);

struct BarText {
    double x = 0;
    QString title;
    QString part;
    QString sum;
};
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
/// At two places of equal distance in three arithmetics: exactly, in float64; with the angles position × frequency in
/// float32, as Hugging Face computes its table; and with positions rounded to bfloat16.
QList<ShiftRow> shiftRows(const RotationScene& scene, RotationState::Place before, RotationState::Place after);

}  // namespace ropelab::ui
