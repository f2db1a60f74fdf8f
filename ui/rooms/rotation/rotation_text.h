#pragma once

#include <QJsonObject>
#include <QString>
#include <type_traits>
#include <utility>

#include "ui/figure/figure_style.h"
#include "ui/rooms/rotation/rotation_state.h"

namespace ropelab::ui {

// Texts for the numbers of the rotation room, in the C locale.

/// "628.3 tokens", or "∞" for frequency 0. Frequencies are in radians per token.
QString wavelengthText(double frequency);
double degreesOf(double radians);
/// "57.3°" or "−4,342.9°".
QString degreesText(double radians);
/// "57.3°", or "4,342.9° = 12 periods + 22.9°" from 360° on.
QString angleText(double radians);
/// "57.3°", or "350.0° = 1 period − 10.0°" beyond ±180°.
QString betweenText(double radians);
/// Modulo 360°, with the sign: "57.3°", or "≡ 10.0°" where whole periods were omitted.
QString shortAngleText(double radians);
/// Four digits: "0.01334" or "1.33×10⁻⁴".
QString frequencyText(double frequency);
/// "+0.123" or "−0.123".
QString signedText(double value);
/// L/λ (formula 9).
double periodsInContext(const RotationScene& scene, int pair);
/// The source of q and k: "random, seed 1".
QString vectorsText(const RotationState& state);
QJsonObject rotationSettings(const RotationScene& scene);

// Helpers that the figures of the rotation room share.
namespace rotation {

/// An empty figure with rotationSettings(scene).
Figure figure(const QString& name, const RotationScene& scene);
/// On screen one line, which is elided where it does not fit; on paper more lines.
QStringList titleLines(const QString& title, double width, const FigureStyle& style);
/// `line` is the place of the first of titleLines(). Returns its width. Leaves the tick font set in the painter.
double drawTitle(QPainter& painter, const QRectF& line, const FigureStyle& style, const QString& title);
template <typename Picture>
using Paint = void(QPainter& painter, const QRectF& rect, const FigureStyle& style, const Picture& picture);
/// Paints a copy of the picture, which outlives the figure's function.
template <typename Picture>
FigureDrawing drawing(Picture picture, std::type_identity_t<Paint<Picture>>* paint) {
    return [picture = std::move(picture), paint](QPainter& painter, const QRectF& rect, const FigureStyle& style) {
        paint(painter, rect, style, picture);
    };
}

}  // namespace rotation

}  // namespace ropelab::ui
