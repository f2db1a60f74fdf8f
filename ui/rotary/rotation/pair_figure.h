#pragma once

#include <QPointF>
#include <QRectF>
#include <QString>
#include <complex>
#include <utility>
#include <vector>

#include "ui/figure/figure.h"
#include "ui/figure/figure_style.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

/// The large dial in its drawing: a plane whose unit is `unit` of the painter's units.
struct LargeDial {
    QPointF centre;
    double radius = 0;
    double unit = 1;

    QPointF pointOf(std::complex<double> value) const;
    /// What a place of the drawing stands for, kept inside the rim.
    std::complex<double> valueAt(const QPointF& place) const;
};
LargeDial largeDialOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style);

/// The norm at the rim: a little more than the longer of the pair's arrows, or what the state holds.
double rimOf(const RotationScene& scene);

/// The large pair's numbers with their names, as the drawing writes them and tooltips explain them.
struct PairRow {
    QString name;    // "wavelength λ"
    QString symbol;  // "λ"
    QString value;   // "628.3 tokens"
    /// Where there is little room: an angle without its whole turns. "": the value.
    QString shortValue = {};
    /// The rows of the highest numbers go first where there is little height.
    int dispensable = 0;

    const QString& compact() const { return shortValue.isEmpty() ? value : shortValue; }
};
std::vector<PairRow> pairRows(const RotationScene& scene);
/// The same with formulas and their sources, for a tooltip.
QString pairWhy(const RotationScene& scene);

/// "pair": the large pair's plane with both arrows, and its numbers.
Figure pairFigure(const RotationScene& scene);

}  // namespace ropelab::ui
