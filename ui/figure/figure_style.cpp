#include "ui/figure/figure_style.h"

#include <QHash>
#include <algorithm>
#include <cmath>
#include <utility>

#include "ui/figure/text_metrics.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {

FigureStyle FigureStyle::screen(const Theme& theme, double unit) {
    FigureStyle style;
    style.theme = theme;
    style.unit = unit;
    style.onScreen = true;
    return style;
}

FigureStyle FigureStyle::print(const Theme& theme, double fontPt, double unit) {
    FigureStyle style;
    style.theme = theme;
    style.unit = unit;
    style.labelPt = fontPt;
    style.tickPt = fontPt;
    style.linePt = 1.0;
    style.pickedPt = 1.5;
    style.hairPt = 0.5;
    return style;
}

QFont FigureStyle::font(double points) const {
    QFont font(ThemeManager::family());
    font.setPixelSize(pixelSize(points));
    return font;
}

QFont FigureStyle::fitting(const QFont& usual, const QString& text, double width) const {
    QFont font = usual;
    const int least = std::min(usual.pixelSize(), static_cast<int>(std::ceil(units(kLeastPt))));
    while (!onScreen && font.pixelSize() > least && TextMetrics(font).horizontalAdvance(text) > width) {
        font.setPixelSize(font.pixelSize() - 1);
    }
    return font;
}

int FigureStyle::pixelSize(double points) const {
    return std::max(1, static_cast<int>(std::lround(units(points))));
}

FigureStyle::TextExtent FigureStyle::extentOf(const QString& text, double points, bool italic) const {
    // By size and slant. Figures are also painted in background threads.
    thread_local QHash<int, TextMetrics> known;
    const int key = 2 * pixelSize(points) + (italic ? 1 : 0);
    auto found = known.constFind(key);
    if (found == known.constEnd()) {
        QFont lettering = font(points);
        lettering.setItalic(italic);
        found = known.insert(key, TextMetrics(lettering));
    }
    return {found->horizontalAdvance(text), found->ascent(), found->descent()};
}

QColor FigureStyle::colorOf(Ink ink) const {
    switch (ink.kind) {
        case Ink::Kind::text:
            return theme.text;
        case Ink::Kind::quiet:
            return theme.quietText;
        case Ink::Kind::accent:
            return theme.accent;
        case Ink::Kind::success:
            return theme.success;
        case Ink::Kind::error:
            return theme.error;
        case Ink::Kind::query:
            return theme.query;
        case Ink::Kind::key:
            return theme.key;
        case Ink::Kind::rotated:
            return theme.rotated;
        case Ink::Kind::unrotated:
            return theme.unrotated;
        case Ink::Kind::compared:
            return theme.compared;
        case Ink::Kind::data:
            break;
    }
    return theme.dataColor(ink.index, ink.shade);
}

QColor FigureStyle::blankColor() const {
    constexpr double kQuiet = 0.45;
    const auto mixed = [](int quiet, int paper) {
        return static_cast<int>(std::lround(kQuiet * quiet + (1 - kQuiet) * paper));
    };
    const QColor& quiet = theme.quietText;
    const QColor& paper = theme.paper;
    return {mixed(quiet.red(), paper.red()), mixed(quiet.green(), paper.green()), mixed(quiet.blue(), paper.blue())};
}

QColor FigureStyle::classColor(qsizetype value) const {
    return value <= 0 ? theme.hairline : theme.dataColor(static_cast<int>(value) - 1);
}

FigureStyle::PointLook FigureStyle::pointsOf(const FigureCurve& curve, double diameter) const {
    // Dimmed points are rings in the full colour, because faint points would be below a contrast of 3:1.
    const bool isDimmed = curve.emphasis == FigureCurve::Emphasis::dimmed && curve.shape == FigureCurve::Shape::points;
    const QColor color = isDimmed ? colorOf(curve.ink) : penOf(curve).color();
    const bool isRing = (curve.ink.kind == Ink::Kind::compared && !curve.solid) || isDimmed;
    if (!isRing) return {QPen(Qt::NoPen), QBrush(color), diameter};
    constexpr double kLeastHollowPt = 4.5;
    constexpr double kLargestRing = 0.2;  // width of the ring as a part of the diameter
    diameter = std::max(diameter, units(kLeastHollowPt));
    // The paper inside of a dot hides the line on which the dot is. Rings without a line do not hide other points.
    const bool isOnLine = curve.shape == FigureCurve::Shape::line;
    return {QPen(color, std::min(units(linePt), kLargestRing * diameter)),
            isOnLine ? QBrush(theme.paper) : QBrush(Qt::NoBrush), diameter};
}

QPen FigureStyle::penOf(const FigureCurve& curve) const {
    QColor color = colorOf(curve.ink);
    if (curve.emphasis == FigureCurve::Emphasis::dimmed) {
        color.setAlphaF(0.3F);
    }
    const bool picked = curve.emphasis == FigureCurve::Emphasis::picked;
    double width = picked ? pickedPt : linePt;
    width *= curve.companion ? 0.65 : 1.0;
    QPen pen(color, units(width), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
    QList<double> pattern =
        curve.ink.kind == Ink::Kind::data && !curve.solid ? Theme::dashes(curve.ink.index, dashes) : QList<double>();
    if (curve.dash >= 0) pattern = Theme::dashes(curve.dash, true);
    if (curve.ink.kind == Ink::Kind::compared && !curve.solid && curve.dash < 0) {
        pattern = Theme::dashes(1, true);
    }
    if (curve.companion && !curve.solid && curve.dash < 0) {
        pattern = {2, 3};
    }
    if (!pattern.isEmpty()) {
        pen.setCapStyle(Qt::FlatCap);  // round caps would close the gaps
        pen.setDashPattern(pattern);
    }
    return pen;
}

}  // namespace ropelab::ui
