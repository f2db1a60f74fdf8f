#pragma once

#include <QList>
#include <QString>
#include <optional>

#include "ui/figure/figure.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// "logit-split": the logit at m and n as signed bars, one a pair, the channels outside every pair at the end, with the
/// sum so far and the total (F7).
Figure logitFigure(const RotationScene& scene);

/// The pair whose bar stands at an x of that figure.
std::optional<int> pairOfBar(const RotationScene& scene, double x);

/// A bar's contribution and the sum up to it, in words; empty where there is no bar.
struct BarText {
    double x = 0;
    QString title;
    QString part;
    QString sum;
};
std::optional<BarText> barText(const RotationScene& scene, double x);

/// The logit at m and n in three arithmetics.
struct ShiftRow {
    QString name;  // "bfloat16"
    QString why;   // what is rounded
    double before = 0;
    double after = 0;
    /// Whether before and after agree within a thousandth of the parts' magnitudes together.
    bool stays = true;
};
/// At two places (m, n) that are equally far apart: computed in double; with angles position × frequency rounded to
/// float32, as Hugging Face computes its table; with positions kept in bfloat16.
QList<ShiftRow> shiftRows(const RotationScene& scene, RotationState::Place before, RotationState::Place after);

}  // namespace ropelab::ui
