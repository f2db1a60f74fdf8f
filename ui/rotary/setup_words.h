#pragma once

#include <QString>

namespace ropelab::ui {

class RotaryModel;

// Texts of the setup panel about the current setup.

/// "25 %".
QString percentText(double fraction);
QString thetaToolTip(const RotaryModel& model);
QString fractionToolTip(const RotaryModel& model);
/// Rotated channels, longest wavelength, and the number of pairs that complete a period in the context.
QString rotationSummary(const RotaryModel& model);

}  // namespace ropelab::ui
