#include "ui/rotary/context/context_criteria.h"

#include <QObject>
#include <cmath>
#include <numbers>

#include "ui/rotary/spectrum/spectrum_data.h"

namespace ropelab::ui {
namespace {

using State = Criterion::State;

constexpr double kTurn = 2 * std::numbers::pi;
constexpr double kAssumedGrowth = 4;

QString count(std::int64_t number) {
    return tokensText(static_cast<double>(number));
}

QString boundWhy(const BoundData& data) {
    const int turning = rotary_dim(data.setup);
    return QObject::tr(
               "A base carries the context L when B(m) ≥ 0 for 0 ≤ m < L.\n"
               "B(m) = (d − d_r)/2 + Σ cos(m·g_i), i < d_r/2, with d = %1, d_r = %2, b = %3, L = %4\n"
               "It predicts retrieval over distance, not loss.\n"
               "Men et al. 2024, formulas 12 and 13")
        .arg(data.setup.head_dim)
        .arg(turning)
        .arg(thetaText(data.setup.theta), count(data.setup.context));
}

Criterion boundCriterion(const BoundData& data) {
    Criterion result;
    result.why = boundWhy(data);
    const QString context = count(data.setup.context);
    const auto carried = isCarried(data);
    if (!carried) {
        result.text =
            data.isComplete
                ? QObject::tr("Bound: B(m) ≥ 0 as far as it is followed, %1 tokens.").arg(count(data.followed))
                : QObject::tr("Bound: B(m) ≥ 0 up to %1 tokens; it is followed further …").arg(count(data.followed));
        return result;
    }
    result.state = *carried ? State::met : State::failed;
    if (!canBeNegative(data.setup)) {
        result.text = QObject::tr("Bound: at most half of the channels turn, so B(m) is never negative.");
    } else if (!data.firstNegative) {
        result.text = QObject::tr("Bound: B(m) ≥ 0 as far as %1 tokens.").arg(count(data.followed));
    } else if (*carried) {
        result.text =
            QObject::tr("Bound: the base supports %1 tokens, context %2.").arg(count(*data.firstNegative), context);
    } else {
        result.text = QObject::tr("Bound: the base supports only %1 tokens, context %2.")
                          .arg(count(*data.firstNegative), context);
    }
    return result;
}

Criterion trainedCriterion(const RotarySetup& setup, const TuningNumbers& numbers) {
    Criterion result;
    result.why = criticalDimensionWhy(numbers, setup.theta);
    const int untrained = numbers.turning - numbers.criticalDimension;
    result.state = untrained == 0 ? State::met : State::failed;
    if (numbers.turning == 0) {
        result.text = QObject::tr("Trained: no channel turns.");
    } else if (untrained == 0) {
        result.text = QObject::tr("Trained: all %1 channels see a full period in %2 tokens.")
                          .arg(numbers.turning)
                          .arg(tokensText(numbers.trained));
    } else {
        result.text = QObject::tr("Trained: %1 of %2 channels see a full period in %3 tokens.")
                          .arg(numbers.criticalDimension)
                          .arg(numbers.turning)
                          .arg(tokensText(numbers.trained));
    }
    return result;
}

Criterion tunedCriterion(const TuningNumbers& numbers) {
    Criterion result;
    result.why = reachWhy(numbers);
    if (!numbers.criticalBase || !numbers.reach) {
        result.text = numbers.turning == 0 ? QObject::tr("Tuned: no channel turns, so there is no base to tune.")
                                           : QObject::tr("Tuned: a context of 2π tokens or less trains no channel.");
        return result;
    }
    const bool isAbove = numbers.base >= *numbers.criticalBase;
    result.state = isAbove && *numbers.reach >= numbers.context ? State::met : State::failed;
    const QString base = thetaText(std::round(numbers.base));
    const QString reach = tokensText(std::floor(*numbers.reach));
    const QString wanted = tokensText(numbers.context);
    result.text = result.state == State::met
                      ? QObject::tr("Tuned: base %1 reaches %2 tokens; wanted are %3.").arg(base, reach, wanted)
                  : isAbove
                      ? QObject::tr("Tuned: base %1 reaches %2 tokens only; wanted are %3.").arg(base, reach, wanted)
                      : QObject::tr("Tuned: base %1 is below β₀ = %2 for %3 tokens.")
                            .arg(base, thetaText(std::ceil(*numbers.criticalBase)), wanted);
    return result;
}

}  // namespace

TuningNumbers tuningNumbers(const RotarySetup& setup, const Tuning& tuning) {
    TuningNumbers numbers;
    numbers.trained = trainingContext(setup);
    const double aim = targetContext(setup);
    numbers.context = tuning.context.value_or(aim > 0 ? aim : kAssumedGrowth * numbers.trained);
    numbers.base = tuning.base.value_or(setup.theta);
    numbers.turning = rotary_dim(setup);
    numbers.dimension = setup.partial == Partial::slice ? numbers.turning : setup.head_dim;
    numbers.criticalDimension = criticalDimension(setup);
    if (numbers.turning > 0 && numbers.trained > kTurn) {
        if (numbers.context > kTurn) {
            numbers.criticalBase = critical_base(setup.theta, numbers.trained, numbers.context);
        }
        numbers.reach = extrapolation_limit(numbers.dimension, numbers.criticalDimension, numbers.base);
    }
    return numbers;
}

std::vector<Criterion> contextCriteria(const BoundData& data, const Tuning& tuning) {
    const TuningNumbers numbers = tuningNumbers(data.setup, tuning);
    return {boundCriterion(data), trainedCriterion(data.setup, numbers), tunedCriterion(numbers)};
}

QString criticalDimensionWhy(const TuningNumbers& numbers, double theta) {
    return QObject::tr(
               "Channels that saw a full period in training.\n"
               "d_c = 2⌈(d/2)·log_b(L/2π)⌉ = %1, at most d_r = %2, with d = %3, b = %4, L = %5\n"
               "Liu et al. 2023, formula 14")
        .arg(numbers.criticalDimension)
        .arg(numbers.turning)
        .arg(numbers.dimension)
        .arg(thetaText(theta), tokensText(numbers.trained));
}

QString criticalBaseWhy(const TuningNumbers& numbers, double theta) {
    return QObject::tr(
               "The base above which tuning at L′ tokens lets the trained channels reach further than L′.\n"
               "β₀ = b^(log_{L/2π}(L′/2π)) with b = %1, L = %2, L′ = %3\n"
               "Liu et al. 2023, formula 15")
        .arg(thetaText(theta), tokensText(numbers.trained), tokensText(numbers.context));
}

QString reachWhy(const TuningNumbers& numbers) {
    return QObject::
        tr("How far a model extrapolates when its base is tuned to β > β₀: one period of the slowest trained pair.\n"
           "T = 2π·β^(d_c/d) with β = %1, d_c = %2, d = %3\n"
           "Liu et al. 2023, formula 15")
            .arg(thetaText(std::round(numbers.base)))
            .arg(numbers.criticalDimension)
            .arg(numbers.dimension);
}

}  // namespace ropelab::ui
