#include "ui/rotary/spectrum_data.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/base/error.h"
#include "core/rope/context.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kTwoPi = 2 * std::numbers::pi;
constexpr double kMaxTheta = 1e15;
constexpr double kDefaultFactor = 4;

/// d in the exponent of the frequencies (formulas 3 and 4).
int exponentDim(const RotarySetup& setup) {
    return setup.partial == Partial::slice ? rotary_dim(setup) : setup.head_dim;
}

}  // namespace

double trainingContext(const RotarySetup& setup) {
    const bool isGiven = setup.scaling.method != ScalingMethod::none && setup.scaling.original_context > 0;
    return isGiven ? setup.scaling.original_context : static_cast<double>(setup.context);
}

double targetContext(const RotarySetup& setup) {
    const bool isScaled = setup.scaling.method != ScalingMethod::none && setup.scaling.factor > 1;
    return isScaled ? setup.scaling.factor * trainingContext(setup) : 0;
}

int criticalDimension(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    return rotated == 0
               ? 0
               : std::min(rotated, critical_dimension(exponentDim(setup), setup.theta, trainingContext(setup)));
}

std::optional<double> coincidingBase(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) {
        return std::nullopt;
    }
    return setup.partial == Partial::truncate ? coinciding_theta(setup.head_dim, rotated, setup.theta)
                                              : std::pow(setup.theta, static_cast<double>(setup.head_dim) / rotated);
}

RotarySetup switchedPartial(const RotarySetup& setup) {
    RotarySetup other = setup;
    other.partial = setup.partial == Partial::slice ? Partial::truncate : Partial::slice;
    return other;
}

std::optional<int> firstDifferentPair(const RotarySetup& setup, const RotarySetup& other) {
    constexpr double most = 1e-9;
    const std::vector<double> a = frequencies(frequency_settings(setup)).inverse_frequencies;
    const std::vector<double> b = frequencies(frequency_settings(other)).inverse_frequencies;
    for (int pair = 0; pair < rotary_dim(setup) / 2; ++pair) {
        const auto i = static_cast<std::size_t>(pair);
        if (std::abs(a[i] - b[i]) > most * std::abs(a[i])) return pair;
    }
    return std::nullopt;
}

RotarySetup withOtherPartial(const RotarySetup& setup) {
    RotarySetup other = switchedPartial(setup);
    other.theta = coincidingBase(setup).value_or(setup.theta);
    if (other.theta > kMaxTheta) {
        throw BadInput("With truncate, the frequencies of slice require theta " + thetaText(other.theta).toStdString() +
                       ", but theta must be at most 1e15.");
    }
    return other;
}

std::optional<double> baseOfSlowest(const RotarySetup& setup, double wavelength) {
    const int rotated = rotary_dim(setup);
    if (rotated <= 2) {
        return std::nullopt;
    }
    // λ_max = 2π·θ^((d_r − 2)/d)
    const double exponent = static_cast<double>(exponentDim(setup)) / (rotated - 2);
    return std::clamp(std::pow(wavelength / kTwoPi, exponent), kMinBase, kMaxTheta);
}

double roundedDrag(double value, double before, bool whole) {
    const double power = std::exp2(std::round(std::log2(value)));
    double result = power;
    if (std::abs(value / power - 1) > 0.02) {
        const double digit = std::pow(10.0, std::floor(std::log10(value)) - 2);
        result = std::round(value / digit) * digit;
    }
    if (whole) {
        result = std::round(result);
    }
    if (result == before && std::abs(value / before - 1) > 0.01) {
        const double step = whole ? 1 : 0.05 * before;
        result = value > before ? before + step : before - step;
    }
    return result;
}

ScalingFactor comparedFactor(const RotarySetup& setup) {
    const bool isSet = setup.scaling.method != ScalingMethod::none && setup.scaling.factor > 1;
    return isSet ? ScalingFactor{setup.scaling.factor, false} : ScalingFactor{kDefaultFactor, true};
}

Ink scalingInk(ScalingMethod method) {
    // Indices past the seven colours have the same colours with dash patterns. The first and the sixth colour are those
    // of rotated pairs in the light and in the dark theme, and the seventh is that of the other partial method.
    switch (method) {
        case ScalingMethod::none:
            return Ink::data(0);
        case ScalingMethod::linear:
            return Ink::data(1);
        case ScalingMethod::ntk:
            return Ink::data(2);
        case ScalingMethod::dynamic:
            return Ink::data(9);  // the colour of NTK-aware, dashed
        case ScalingMethod::ntk_by_parts:
            return Ink::data(4);
        case ScalingMethod::yarn:
            return Ink::data(11);  // the colour of NTK-by-parts, dashed
        case ScalingMethod::llama3:
            return Ink::data(3);
        case ScalingMethod::longrope:
            return Ink::data(8);  // the colour of Linear, dashed: both only divide the frequencies
    }
    return Ink::data(0);
}

Ink otherPartialInk() {
    return Ink::data(6);
}

const std::vector<ScalingMethod>& scalingMethods() {
    static const std::vector<ScalingMethod> methods = {
        ScalingMethod::linear, ScalingMethod::ntk,    ScalingMethod::dynamic, ScalingMethod::ntk_by_parts,
        ScalingMethod::yarn,   ScalingMethod::llama3, ScalingMethod::longrope};
    return methods;
}

std::optional<ScaledSpectrum> scaledBy(const RotarySetup& setup, ScalingMethod method, QString* reason) {
    if (rotary_dim(setup) == 0) {
        if (reason != nullptr) {
            *reason = u"No pair is rotated, so there are no frequencies to scale."_s;
        }
        return std::nullopt;
    }
    const double context = trainingContext(setup);
    FrequencySettings settings = plain_settings(setup);
    const Frequencies plain = frequencies(settings);
    settings.scaling = setup.scaling;
    settings.scaling.method = method;
    settings.scaling.factor = comparedFactor(setup).factor;
    settings.scaling.original_context = context;
    if (method != setup.scaling.method) {  // these values belong to the method of the setup
        settings.scaling.attention_factor.reset();
        settings.scaling.mscale.reset();
        settings.scaling.mscale_all_dim.reset();
    }
    settings.context = context;
    settings.length = settings.scaling.factor * context;
    ScaledSpectrum result;
    result.method = method;
    result.title = scalingTitle(method);
    try {
        result.frequencies = frequencies(settings);
    } catch (const BadInput& error) {
        if (reason != nullptr) {
            *reason = method == ScalingMethod::longrope && setup.scaling.long_factors.empty()
                          ? u"LongRoPE divides each frequency by a factor from a list, and this setup has no list. "
                            "Load a model that uses LongRoPE to get its list of factors."_s
                          : QString::fromStdString(error.what());
        }
        return std::nullopt;
    }
    const auto slowest = static_cast<std::size_t>(plain.rotary_dim / 2 - 1);
    result.fastest = plain.inverse_frequencies.front() / result.frequencies.inverse_frequencies.front();
    result.slowest = plain.inverse_frequencies[slowest] / result.frequencies.inverse_frequencies[slowest];
    return result;
}

QString scalingToolTip(ScalingMethod method) {
    switch (method) {
        case ScalingMethod::linear:
            return u"Position interpolation divides every frequency by the scaling factor s.\nωᵢ → ωᵢ/s\nChen et al. "
                   "2023; formula 18 of the guide"_s;
        case ScalingMethod::ntk:
            return u"NTK-aware scaling increases the base θ: the shortest wavelength does not change, and the "
                   "longest is multiplied by the scaling factor s.\nθ′ = θ·s^(d/(d−2))\nbloc97 2023; formula 19 of "
                   "the guide"_s;
        case ScalingMethod::dynamic:
            return u"Dynamic NTK increases the base θ with the current sequence length l. Here l = s·L (scaling "
                   "factor s, training context L), which stretches the longest wavelength by s² − s + 1.\nθ′ = "
                   "θ·(s·l/L − (s−1))^(d/(d−2))\nemozilla 2023; formula 20 of the guide"_s;
        case ScalingMethod::ntk_by_parts:
            return u"NTK-by-parts leaves the frequencies of pairs with more than β periods r = L/λ in the training "
                   "context L unchanged and divides "
                   u"the frequencies of pairs with less than α periods by the scaling factor s.\nωᵢ → (1−γ)·ωᵢ/s + "
                   "γ·ωᵢ, γ = (r−α)/(β−α) in between\nPeng et al. 2023; formula 21 of the guide"_s;
        case ScalingMethod::yarn:
            return u"YaRN scales like NTK-by-parts, with a ramp that is linear in the pair index, as in Hugging Face "
                   "transformers.\ncos and sin are multiplied by 0.1·ln s + 1, with the scaling factor s.\nPeng et "
                   "al. 2023; formula 22 of the guide"_s;
        case ScalingMethod::llama3:
            return u"Llama 3 leaves wavelengths λ < L/high_freq_factor unchanged, multiplies wavelengths λ > "
                   "L/low_freq_factor by the scaling factor s, and interpolates in between (L: training "
                   "context).\nGrattafiori et al. 2024; formula 23 of the guide"_s;
        case ScalingMethod::longrope:
            return u"LongRoPE divides each frequency by its own factor, which a search has found.\nωᵢ → ωᵢ/fᵢ; cos "
                   "and sin are multiplied by √(1 + ln s/ln L), with the scaling factor s and the training context "
                   "L.\nDing et al. 2024; formula 24 of the guide"_s;
        case ScalingMethod::none:
            break;
    }
    return u"The frequencies are not scaled."_s;
}

double wavelengthOf(double inverseFrequency) {
    return inverseFrequency > 0 ? kTwoPi / inverseFrequency : std::numeric_limits<double>::infinity();
}

QString tokensText(double count) {
    return readableCount(std::round(count));
}

QString thetaText(double theta) {
    return theta < 1e9 && theta == std::floor(theta) ? readableCount(theta) : readableNumber(theta);
}

}  // namespace ropelab::ui
