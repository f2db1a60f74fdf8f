#pragma once

#include <QString>

namespace ropelab::ui {

class RotaryModel;

// Texts of the setup panel about the current setup.

/// Formats a fraction as a percentage, for example "25 %".
QString percentText(double fraction);
/// Returns the tooltip of theta: the formula of the frequencies with the current values, and its source.
QString thetaToolTip(const RotaryModel& model);
/// Returns the tooltip of the fraction: the number of rotated channels, and the source of the rounding.
QString fractionToolTip(const RotaryModel& model);
/// Returns a summary of the setup: the number of rotated channels, the longest wavelength, and the number of pairs that
/// complete a period in the context.
QString rotationSummary(const RotaryModel& model);

}  // namespace ropelab::ui
