#pragma once

#include <QColor>
#include <QFont>
#include <QPen>

#include "ui/figure/figure.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// How a figure is painted: colours and, in points, all sizes. `unit` is the painter's units in one point; fonts are
/// set in units, so a figure looks alike on every device.
struct FigureStyle {
    Theme theme;
    double unit = 1;
    double labelPt = 10.5;
    double tickPt = 10;
    double linePt = 1.2;    // 1.6 px on a 96 dpi screen
    double pickedPt = 1.5;  // 2 px
    double hairPt = 0.75;
    bool dashes = false;
    bool onScreen = false;

    /// For a window: text never under 10 pt.
    static FigureStyle screen(const Theme& theme, double unit);
    /// For paper: 1 pt lines.
    static FigureStyle print(const Theme& theme, double fontPt, double unit);

    double units(double points) const { return points * unit; }
    QFont font(double points) const;
    QColor colorOf(Ink ink) const;
    /// The line of a curve.
    QPen penOf(const FigureCurve& curve) const;
};

}  // namespace ropelab::ui
