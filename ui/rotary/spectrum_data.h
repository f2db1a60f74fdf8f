#pragma once

#include <QList>
#include <QString>
#include <optional>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

// Computations of the spectrum room that need no widgets.

/// L, in tokens.
double trainingContext(const RotarySetup& setup);
/// s·L in tokens if the setup has a scaling with a factor above 1, and 0 otherwise.
double targetContext(const RotarySetup& setup);

/// d_c of the unscaled frequencies at the training context, at most d_r (formula 14).
int criticalDimension(const RotarySetup& setup);

/// Base at which the other method of partial rotation (slice or truncate) has the same unscaled frequencies (formula
/// 5); nullopt if no pair is rotated.
std::optional<double> coincidingBase(const RotarySetup& setup);
/// Uses the base at which the other method (slice or truncate) has the same unscaled frequencies. Throws BadInput if it
/// exceeds 1e15.
RotarySetup withOtherPartial(const RotarySetup& setup);

/// The other method of partial rotation (slice or truncate) at the same base.
RotarySetup switchedPartial(const RotarySetup& setup);
/// First rotated pair whose frequency, with the scaling of each setup, differs; nullopt if all agree to 1e-9. Both
/// setups must rotate the same number of channels.
std::optional<int> firstDifferentPair(const RotarySetup& setup, const RotarySetup& other);

/// Smallest base that a user can set by dragging.
constexpr double kMinBase = 1.01;

/// Base at which the longest unscaled wavelength equals `wavelength`, in tokens, limited to the valid range of theta.
/// Nullopt if theta does not affect that wavelength, with at most one rotated pair.
std::optional<double> baseOfSlowest(const RotarySetup& setup, double wavelength);

/// Three significant digits, or a power of two within 2 %. The result differs from `before` if `value` differs from it
/// by more than 1 %, so that small steps of the arrow keys have an effect.
double roundedDrag(double value, double before, bool whole);

struct ScalingFactor {
    double factor = 4;      // s
    bool isDefault = true;  // true if the setup has no scaling factor
};
/// The default factor is 4 if the setup has no scaling.
ScalingFactor comparedFactor(const RotarySetup& setup);

/// Frequencies that one scaling method produces from the unscaled ones, at the target context.
struct ScaledSpectrum {
    ScalingMethod method = ScalingMethod::none;
    QString title;
    Frequencies frequencies;
    // Factors by which the method multiplies the shortest and the longest wavelength.
    double fastest = 1;
    double slowest = 1;
};
/// Nullopt, with the `reason`, if the setup lacks inputs of the method, such as the factor lists of LongRoPE.
std::optional<ScaledSpectrum> scaledBy(const RotarySetup& setup, ScalingMethod method, QString* reason = nullptr);
/// Every method has a colour or a dash pattern of its own in both themes, and none has the colour of rotated pairs;
/// related methods share a colour. `none` has the first colour.
Ink scalingInk(ScalingMethod method);
Ink otherPartialInk();
/// In the order of formulas 18 to 24.
const std::vector<ScalingMethod>& scalingMethods();
QString scalingToolTip(ScalingMethod method);

/// From radians per token to tokens; infinity for frequency 0.
double wavelengthOf(double inverseFrequency);
/// "4,096".
QString tokensText(double count);
/// "10,000"; very large bases use powers of ten.
QString thetaText(double theta);

}  // namespace ropelab::ui
