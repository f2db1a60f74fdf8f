#pragma once

#include <QBrush>
#include <QColor>
#include <QFont>
#include <QPen>

#include "ui/figure/figure.h"
#include "ui/theme/theme.h"

namespace ropelab::ui {

/// Sizes are in points; `unit` is the number of the painter's units per point. Font sizes are converted to units, so
/// that a figure looks the same on every device.
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

    /// Text has at least 10 pt.
    static FigureStyle screen(const Theme& theme, double unit);
    /// Lines have 1 pt.
    static FigureStyle print(const Theme& theme, double fontPt, double unit);

    double units(double points) const { return points * unit; }
    QFont font(double points) const;
    /// Smallest text on paper.
    static constexpr double kLeastPt = 6;
    /// The font in which `text` is at most `width` wide: on paper, where nothing is cut off, smaller than `usual`, down
    /// to kLeastPt; on screen, `usual`.
    QFont fitting(const QFont& usual, const QString& text, double width) const;
    struct TextExtent {
        double width = 0;
        double ascent = 0;
        double descent = 0;
    };
    /// Of one line of text in font(points), in the painter's units. Known texts are not measured again: most texts of a
    /// figure are the same in each step of a drag, and to measure a text takes as long as to paint it.
    TextExtent extentOf(const QString& text, double points, bool italic = false) const;
    QColor colorOf(Ink ink) const;
    /// Blank parts of a map that have a label.
    QColor blankColor() const;
    /// Of a value of a map with FigureMap::classes.
    QColor classColor(qsizetype value) const;
    struct PointLook {
        QPen pen;
        QBrush brush;
        double diameter;
    };
    /// `diameter` is in the painter's units. Points of a second setup are hollow, because points have no dash pattern,
    /// and large enough that their inside is visible.
    PointLook pointsOf(const FigureCurve& curve, double diameter) const;
    QPen penOf(const FigureCurve& curve) const;

 private:
    int pixelSize(double points) const;
};

}  // namespace ropelab::ui
