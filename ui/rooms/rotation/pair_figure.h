#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <complex>
#include <utility>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

/// The enlarged dial of the figure "pair": a plane in which a vector of norm 1 has a length of `unit` pixels.
struct EnlargedDial {
    QPointF centre;
    double radius = 0;
    double unit = 1;

    /// Returns the point of the drawing at which a vector ends.
    QPointF pointOf(std::complex<double> value) const;
    /// Returns the vector whose tip is at a point of the drawing, shortened to the rim.
    std::complex<double> valueAt(const QPointF& place) const;
};
/// Returns the enlarged dial as pairFigure(scene) draws it in `rect`.
EnlargedDial enlargedDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// Returns the norm at the rim of the enlarged dial: 1.15 times the longer of both arrows, at least 1.15, or the fixed
/// value of a drag (RotationState::fixedRim).
double rimOf(const RotationScene& scene);

/// One line of text of the figure "pair": a quantity of the enlarged pair and its value.
struct PairRow {
    QString name;    // "wavelength λ"
    QString symbol;  // "λ"
    QString value;   // "628.3 tokens"
    /// Replaces `value` in a narrow drawing: an angle modulo 360°. Empty if `value` is used.
    QString shortValue = {};
    /// Order of omission in a low drawing: the row with the largest number is omitted first.
    int omissionOrder = 0;

    const QString& compact() const { return shortValue.isEmpty() ? value : shortValue; }
};
/// Returns the rows of the enlarged pair; empty if there is no pair.
std::vector<PairRow> pairRows(const RotationScene& scene);
/// Returns the tooltip of the figure "pair": how to edit the arrows, and the formulas of the values with their sources.
QString pairToolTip(const RotationScene& scene);

/// Returns the figure "pair": the plane of the enlarged pair with the rotated q and k as arrows, and its numbers.
Figure pairFigure(const RotationScene& scene);

}  // namespace ropelab::ui
