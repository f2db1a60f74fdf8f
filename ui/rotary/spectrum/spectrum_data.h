#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <vector>

#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

// What the spectrum room computes from a setup, without a widget.

/// L, the context the model was trained at, in tokens.
double trainingContext(const RotarySetup& setup);
/// s·L where a scaling with a factor above 1 is set; 0 otherwise.
double targetContext(const RotarySetup& setup);

/// d_c of the plain spectrum at the training context (F14), at most d_r.
int criticalDimension(const RotarySetup& setup);

/// The base at which the other partial has this setup's plain spectrum (F5); nullopt where nothing turns.
std::optional<double> coincidingBase(const RotarySetup& setup);
/// The setup with the other partial at that base. Throws BadInput where no setup can have it.
RotarySetup withOtherPartial(const RotarySetup& setup);

/// The smallest base that a hand can set.
constexpr double kLeastBase = 1.01;

/// The base at which the slowest turning pair of the plain spectrum has that wavelength (tokens), kept within what a
/// setup takes; nullopt where theta does not move it: with one pair or none.
std::optional<double> baseOfSlowest(const RotarySetup& setup, double wavelength);

/// A number that a hand aimed at: three significant digits, or the power of two nearby. Different from `before` if
/// `value` is by more than a hundredth, so that a small step of a key arrives.
double aimed(double value, double before, bool whole);

/// What a comparison of scalings is made with.
struct ScalingFactor {
    double factor = 4;      // s
    bool isAssumed = true;  // the setup has none
};
ScalingFactor comparedFactor(const RotarySetup& setup);

/// The plain spectrum as one method changes it, at the context that the factor leads to.
struct ScaledSpectrum {
    ScalingMethod method = ScalingMethod::none;
    QString title;
    Frequencies frequencies;
    double fastest = 1;  // wavelength over the plain one's
    double slowest = 1;
};
/// nullopt where the setup lacks what the method reads (LongRoPE's lists), with the reason.
std::optional<ScaledSpectrum> scaledBy(const RotarySetup& setup, ScalingMethod method, QString* reason = nullptr);
/// F18–F24 in their order.
const std::vector<ScalingMethod>& scalingMethods();
/// What the method does, its formula and its source, as a tooltip.
QString sourceOf(ScalingMethod method);

/// λ of one pair in tokens; infinity for a pair that does not turn.
double wavelengthOf(double inverseFrequency);
/// "4,096".
QString tokensText(double count);
/// "10,000"; powers of ten where it is very large.
QString thetaText(double theta);

}  // namespace ropelab::ui
