#pragma once

#include <QJsonObject>
#include <QString>

#include "ui/figure/figure_style.h"
#include "ui/rotary/rotation/rotation_state.h"

namespace ropelab::ui {

// Numbers of this room as words, in the C locale.

/// "628.3 tokens"; "∞" for a pair that does not turn.
QString wavelengthText(double frequency);
/// "57.3°", and past a turn "3 × 360° + 57.3°".
QString angleText(double radians);
/// The same without whole turns: "57.3°", "≡ 10.0°", both signs kept.
QString shortAngleText(double radians);
/// In radians a token, four digits: "0.01334", "1.33×10⁻⁴".
QString frequencyText(double frequency);
/// "+0.123", "−0.123".
QString signedText(double value);
/// "turns in the context" of a pair.
double turnsInContext(const RotationScene& scene, int pair);
/// "random, draw 1".
QString vectorsText(const RotationState& state);
/// What a figure of this room was made from: the setup's text, positions, vectors, the large pair.
QJsonObject rotationSettings(const RotationScene& scene);

// What this room's figures have in common.
namespace rotation {

/// In the words of the person's language.
QString tr(const char* text);
/// A figure of that name with rotationSettings.
Figure figure(const QString& name, const RotationScene& scene);
/// A drawing's title, cut off where the line ends; returns its width. The painter keeps the font of ticks.
double drawTitle(QPainter& painter, const QRectF& line, const FigureStyle& style, const QString& title);

}  // namespace rotation

}  // namespace ropelab::ui
