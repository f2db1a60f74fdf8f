#include "ui/rooms/context/criteria_panel.h"

#include <QObject>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"
#include "ui/rotary/spectrum_data.h"
#include "ui/session/rotary_model.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kPeriod = 2 * std::numbers::pi;
constexpr double kDefaultExtension = 4;

QString boundWhy(const BoundData& data) {
    const int rotated = rotary_dim(data.setup);
    return u"A base supports a context of L tokens if the context bound B(Δ), the mean logit advantage of similar keys "
           "at distance Δ, is ≥ 0 for 0 ≤ Δ < L.\nB(Δ) = K(Δ) + (d − d_r)/2, K(Δ) = Σ cos(Δωᵢ), i < d_r/2, with d = "
           "%1, d_r = %2, θ = %3, L = %4\nThe frequencies ωᵢ include the scaling of the setup.\nThe bound predicts "
           "retrieval over a distance, not the loss.\nMen et al. 2024; formula 12 of the guide; for d_r < d our "
           "extension, formula 13"_s.arg(data.setup.head_dim)
               .arg(rotated)
               .arg(thetaText(data.setup.theta), groupedText(data.setup.context));
}

/// Follows a number that includes the scaling: " with YaRN"; "" without scaling.
QString withScaling(const RotarySetup& setup) {
    if (setup.scaling.method == ScalingMethod::none) return {};
    return u" with %1"_s.arg(scalingTitle(setup.scaling.method));
}

Tile boundCriterion(const BoundData& data) {
    Tile result;
    result.name = u"Supported context (Men et al.)"_s;
    result.why = boundWhy(data);
    const QString context = groupedText(data.setup.context);
    const QString scaling = withScaling(data.setup);
    if (!canBeNegative(data.setup)) {
        result.value = u"not limited"_s;
        result.condition = u"by B(Δ) of untrained heads"_s;
        result.text =
            u"Context bound (Men et al.): the mean logit advantage of similar keys, B(Δ), is ≥ 0 at every distance "
            "and every base, because at most half of the channels rotate, as without rotation (NoPE)."_s;
    } else if (data.firstNegative && *data.firstNegative > data.setup.context && dependsOnLength(data.setup)) {
        result.value = u"at least %1 tokens"_s.arg(context);
        result.condition = u"B(Δ) ≥ 0 in the whole context%1"_s.arg(scaling);
        result.text =
            u"Context bound (Men et al.): with the frequencies of a text of %1 tokens%2, the mean logit advantage of "
            "similar keys, B(Δ), is ≥ 0 for distances Δ < %3 tokens. Longer texts have other frequencies."_s.arg(
                context, scaling, groupedText(*data.firstNegative));
    } else if (data.firstNegative) {
        result.value = u"%1 tokens"_s.arg(groupedText(*data.firstNegative));
        result.condition = u"untrained heads: B(Δ) ≥ 0%1"_s.arg(scaling);
        result.text =
            u"Context bound (Men et al.): the mean logit advantage of similar keys, B(Δ), is ≥ 0 for "
            "distances Δ < %1 tokens%2; the context is %3 tokens."_s.arg(groupedText(*data.firstNegative), scaling,
                                                                         context);
        if (data.lowest) {
            result.text +=
                QLatin1Char(' ') +
                u"The lowest B(Δ) is %1 (the largest possible value is %2), at Δ = %3; B(Δ) < 0 at %4 of the %5 "
                "distances of the context."_s.arg(readableNumber(data.lowest->value))
                    .arg(data.setup.head_dim / 2)
                    .arg(groupedText(data.lowest->distance), groupedText(data.lowest->negative), context);
        }
    } else if (data.isComplete) {
        result.value = u"over %1 tokens"_s.arg(groupedText(data.computedTo));
        result.condition = u"B(Δ) ≥ 0 as far as it is computed%1"_s.arg(scaling);
        result.text =
            u"Context bound (Men et al.): the mean logit advantage of similar keys, B(Δ), is ≥ 0 up to the "
            "computation limit of %1 tokens%2; the context is %3 tokens."_s.arg(groupedText(data.computedTo), scaling,
                                                                                context);
    } else {
        result.value = u"over %1 tokens"_s.arg(groupedText(data.computedTo));
        result.condition = u"computing more …"_s;
        result.text =
            u"Context bound (Men et al.): the mean logit advantage of similar keys, B(Δ), is ≥ 0 for "
            "distances Δ < %1 tokens%2; the program is computing more distances …"_s.arg(groupedText(data.computedTo),
                                                                                         scaling);
    }
    return result;
}

/// Liu et al.'s numbers belong to the unscaled frequencies, which the name says if there are others.
QString liuName(const QString& name, const TuningNumbers& numbers) {
    return numbers.isScaled ? u"%1 (Liu et al.), unscaled"_s.arg(name) : u"%1 (Liu et al.)"_s.arg(name);
}

QString tileName(const QString& name, const TuningNumbers& numbers) {
    return numbers.isScaled ? u"%1, without scaling"_s.arg(name) : liuName(name, numbers);
}

Tile criticalDimensionCriterion(const RotarySetup& setup, const TuningNumbers& numbers) {
    Tile result;
    result.name = tileName(u"Critical dimension"_s, numbers);
    result.why = criticalDimensionWhy(numbers, setup.theta);
    const QString name = liuName(u"Critical dimension"_s, numbers);
    if (numbers.rotatedChannels == 0) {
        result.value = u"none"_s;
        result.condition = u"no channel rotates"_s;
        result.text = u"%1: no channel rotates."_s.arg(name);
        return result;
    }
    result.value = u"%1 of %2 channels"_s.arg(numbers.criticalDimension).arg(numbers.rotatedChannels);
    result.condition = u"complete a period in %1 tokens"_s.arg(tokensText(numbers.trainingContext));
    result.text = u"%1: %2 of %3 channels complete a period in the training context of %4 tokens."_s.arg(name)
                      .arg(numbers.criticalDimension)
                      .arg(numbers.rotatedChannels)
                      .arg(tokensText(numbers.trainingContext));
    if (numbers.isScaled) {
        result.text +=
            QLatin1Char(' ') +
            u"With the setup's scaling, %1 of %2 channels complete a period in %3 tokens."_s.arg(numbers.scaledComplete)
                .arg(numbers.rotatedChannels)
                .arg(tokensText(static_cast<double>(setup.context)));
    }
    return result;
}

Tile extrapolationCriterion(const TuningNumbers& numbers) {
    Tile result;
    result.name = tileName(u"Extrapolation limit"_s, numbers);
    result.why = extrapolationLimitWhy(numbers);
    const QString name = liuName(u"Extrapolation limit"_s, numbers);
    if (numbers.hasNoUntrainedPair()) {
        result.value = u"no limit"_s;
        result.condition = u"every pair completes a period"_s;
        result.text =
            u"%1: every rotated pair completes a period in %2 tokens, so no untrained pair sets a limit."_s.arg(
                name, tokensText(numbers.trainingContext));
        return result;
    }
    if (!numbers.extrapolationLimit) {
        result.value = u"none"_s;
        result.condition = numbers.rotatedChannels == 0 ? u"no channel rotates"_s : u"no pair completes a period"_s;
        result.text = numbers.rotatedChannels == 0
                          ? u"%1: no channel rotates, so there is no base to fine-tune."_s.arg(name)
                          : u"%1: no pair completes a period in a context of 2π tokens or less."_s.arg(name);
        return result;
    }
    result.value = u"%1 tokens"_s.arg(tokensText(std::floor(*numbers.extrapolationLimit)));
    result.condition = u"fine-tuned at base β = %1"_s.arg(thetaText(std::round(numbers.base)));
    result.text = u"%1: %2 tokens after training at a context of %3 tokens and fine-tuning with base β = %4."_s.arg(
        name, tokensText(std::floor(*numbers.extrapolationLimit)), tokensText(numbers.trainingContext),
        thetaText(std::round(numbers.base)));
    if (numbers.context && numbers.criticalBase) {
        result.text +=
            QLatin1Char(' ') +
            u"The extrapolation limit applies to bases above the critical base, which is %1 for the "
            "target of %2 tokens."_s.arg(thetaText(std::ceil(*numbers.criticalBase)), tokensText(*numbers.context));
    }
    return result;
}

}  // namespace

double suggestedTarget(const RotarySetup& setup) {
    const double target = targetContext(setup);
    return target > 0 ? target : kDefaultExtension * trainingContext(setup);
}

TuningNumbers tuningNumbers(const RotarySetup& setup, const Tuning& tuning) {
    TuningNumbers numbers;
    numbers.trainingContext = trainingContext(setup);
    numbers.context = tuning.context;
    numbers.isScaled = setup.scaling.method != ScalingMethod::none;
    numbers.base = tuning.base.value_or(setup.theta);
    numbers.rotatedChannels = rotary_dim(setup);
    numbers.dimension = setup.partial == Partial::slice ? numbers.rotatedChannels : setup.head_dim;
    numbers.criticalDimension = criticalDimension(setup);
    numbers.scaledComplete =
        2 * complete_pairs(frequencies(frequency_settings(setup)), static_cast<double>(setup.context));
    if (numbers.rotatedChannels > 0 && numbers.trainingContext > kPeriod) {
        if (numbers.context && *numbers.context > kPeriod) {
            numbers.criticalBase = critical_base(setup.theta, numbers.trainingContext, *numbers.context);
        }
        if (numbers.criticalDimension < numbers.rotatedChannels)
            numbers.extrapolationLimit =
                extrapolation_limit(numbers.dimension, numbers.criticalDimension, numbers.base);
    }
    return numbers;
}

std::vector<Tile> contextCriteria(const BoundData& data, const Tuning& tuning) {
    const TuningNumbers numbers = tuningNumbers(data.setup, tuning);
    return {boundCriterion(data), criticalDimensionCriterion(data.setup, numbers), extrapolationCriterion(numbers)};
}

QString criticalDimensionWhy(const TuningNumbers& numbers, double theta) {
    return u"The critical dimension is the number of channels whose pairs complete a period within the training "
           "context.\nd_c = 2⌈(d/2)·log_θ(L/2π)⌉ = %1, at most d_r = %2, with d = %3, θ = %4, L = %5\nThe critical "
           "dimension uses the frequencies without scaling.\nLiu et al. 2023; for d_r < d our extension, formula 14"_s
               .arg(numbers.criticalDimension)
               .arg(numbers.rotatedChannels)
               .arg(numbers.dimension)
               .arg(thetaText(theta), tokensText(numbers.trainingContext));
}

QString criticalBaseWhy(const TuningNumbers& numbers, double theta) {
    const QString target = numbers.context ? tokensText(*numbers.context) : u"not set"_s;
    return u"A model that is fine-tuned at L′ tokens extrapolates beyond L′ if its base is above the critical base "
           "β₀.\n"
           "β₀ = θ^(ln(L′/2π)/ln(L/2π)) with θ = %1, L = %2, L′ = %3\n"
           "Liu et al. 2023; formula 15 of the guide"_s.arg(thetaText(theta), tokensText(numbers.trainingContext),
                                                            target);
}

QString extrapolationLimitWhy(const TuningNumbers& numbers) {
    return u"A model that is fine-tuned with a base β > β₀ extrapolates to T tokens: one period, at base β, of its "
           "first untrained pair, i = d_c/2.\n"
           "T = 2π·β^(d_c/d) with β = %1, d_c = %2, d = %3\n"
           "Liu et al. 2023; formula 15 of the guide"_s.arg(thetaText(std::round(numbers.base)))
               .arg(numbers.criticalDimension)
               .arg(numbers.dimension);
}

}  // namespace ropelab::ui
