#pragma once

#include <QRectF>
#include <QString>
#include <optional>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rooms/rotation/pair_dial.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// As pairFigure(scene) draws it in `rect`.
EnlargedDial enlargedDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// As pairFigure(scene) draws it in `rect`; nullopt if there is no pair.
std::optional<PairDial> pairDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The norm at the rim of the enlarged dial: 1.15 times the longer of both arrows, at least 1.15, or the fixed value of
/// a drag (RotationState::fixedRim).
double rimOf(const RotationScene& scene);

struct PairRow {
    /// The tests and the tooltip find rows by their kind.
    enum class Kind {
        channels,
        frequency,
        wavelength,
        periods,
        norms,
        phase,
        query,
        key,
        relative,
        sum,
        projection,
        term
    };
    Kind kind = Kind::channels;
    QString name;    // "wavelength λᵢ"
    QString symbol;  // "λᵢ"
    QString value;   // "628.3 tokens"
    /// Replaces `value` in a narrow drawing: an angle modulo 360°. Empty if `value` is used.
    QString shortValue = {};
    /// The row with the largest number is omitted first in a low drawing.
    int omissionOrder = 0;
    /// Colour of the quantity in the dial, shown as a line before the name; nullopt if the dial does not show it.
    std::optional<Ink> ink = {};

    const QString& compact() const { return shortValue.isEmpty() ? value : shortValue; }
};
/// Empty if there is no pair.
std::vector<PairRow> pairRows(const RotationScene& scene);
QString pairToolTip(const RotationScene& scene);

/// The plane of the enlarged pair with q and k before and after rotation, the angles between them, the projection of
/// the rotated q on the rotated k, the values of these quantities, and the formula of the pair's term of the logit. All
/// numbers come from RotationScene::term.
Figure pairFigure(const RotationScene& scene);

}  // namespace ropelab::ui
