#include "ui/rotary/statements/statements.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "core/rope/context.h"
#include "core/rope/rotation.h"
#include "core/spec/numbers.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {
namespace {

QString count(double value) {
    return readableCount(std::round(value));
}

/// One number with so many decimals, the minus sign as in prose.
QString decimals(double value, int places) {
    QString text = QString::number(std::abs(value), 'f', places);
    const bool isZero = text.toDouble() == 0;
    return value < 0 && !isZero ? QStringLiteral("−") + text : text;
}

/// F16.
Reading randomLogits(const RotarySetup& setup) {
    constexpr std::int64_t draws = 20000;
    constexpr std::uint64_t seed = 1;
    const std::array<double, 2> distances = {0, 100};
    const Frequencies now = frequencies(frequency_settings(setup));
    const SampledLogits random = sampled_logits(now, setup.head_dim, distances, draws, seed, false);
    const double equalHere = expected_logit(now, setup.head_dim, distances[0], true);
    const double equalFar = expected_logit(now, setup.head_dim, distances[1], true);
    return {QObject::tr("Over %1 draws the mean of random q and k is %2 ± %3 at Δ = 0 and %4 ± %5 at Δ = 100. Only "
                        "equal q and k fall, from %6 to %7.")
                .arg(count(static_cast<double>(draws)), decimals(random.mean[0], 2),
                     decimals(random.standard_error[0], 2), decimals(random.mean[1], 2),
                     decimals(random.standard_error[1], 2), decimals(equalHere, 1), decimals(equalFar, 1)),
            {random.mean[0], random.standard_error[0], random.mean[1], random.standard_error[1], equalHere, equalFar}};
}

/// F12.
Reading islands(const RotarySetup& setup) {
    constexpr BaseScan scan{100, 4000, 1};
    const FeasibleBases found = feasible_bases(plain_settings(setup), setup.context, scan);
    Reading reading;
    QStringList pieces;
    for (const BaseInterval& interval : found.intervals) {
        const bool isLast = interval.high >= scan.high;
        pieces << (isLast ? QObject::tr("from %1 on").arg(count(interval.low))
                          : QStringLiteral("%1–%2").arg(count(interval.low), count(interval.high)));
        reading.values.push_back(interval.low);
        reading.values.push_back(interval.high);
    }
    const auto limit = static_cast<double>(setup.context);
    const auto negative =
        first_negative(frequencies(plain_settings(setup)), setup.head_dim, setup.context).value_or(setup.context);
    reading.values.push_back(static_cast<double>(negative));
    reading.text = QObject::tr(
                       "Bases that carry %1 tokens: %2 (scanned from %3 to %4 in steps of %5). Between them lies "
                       "θ = %6, where B(m) < 0 at m = %7.")
                       .arg(count(limit), pieces.join(QStringLiteral(", ")), count(scan.low), count(scan.high),
                            count(scan.step), count(setup.theta), count(static_cast<double>(negative)));
    return reading;
}

double slowestWavelength(RotarySetup setup, Partial partial) {
    setup.partial = partial;
    const auto waves = wavelengths(frequencies(plain_settings(setup)));
    return waves[static_cast<std::size_t>(rotary_dim(setup) / 2 - 1)];
}

/// F3, F4, F5.
Reading twoFractions(const RotarySetup& setup) {
    const double slice = slowestWavelength(setup, Partial::slice);
    const double truncate = slowestWavelength(setup, Partial::truncate);
    const double base = coinciding_theta(setup.head_dim, rotary_dim(setup), setup.theta);
    return {
        QObject::tr("The slowest pair that turns has a wavelength of %1 tokens as a slice, but of %2 tokens truncated: "
                    "as different as θ = %3 and θ = %4.")
            .arg(count(slice), count(truncate), count(setup.theta), count(base)),
        {slice, truncate, setup.theta, base}};
}

/// F22.
Reading keptPairs(const RotarySetup& setup) {
    const auto plain = frequencies(plain_settings(setup)).inverse_frequencies;
    const auto now = frequencies(frequency_settings(setup)).inverse_frequencies;
    const auto firstChanged = std::mismatch(plain.begin(), plain.end(), now.begin()).first;
    const auto kept = static_cast<double>(firstChanged - plain.begin());
    const double slowest = plain.back() / now.back();
    return {
        QObject::tr("The first %1 of %2 pairs keep their frequency to the last bit (ratio 1.0); the slowest pair is "
                    "divided by %3.")
            .arg(count(kept), count(static_cast<double>(plain.size())), decimals(slowest, 1)),
        {kept, static_cast<double>(plain.size()), slowest}};
}

/// F12.
Reading firstNegative(const RotarySetup& setup) {
    const double claimed = 2 * std::numbers::pi * setup.theta;
    const auto found =
        first_negative(frequencies(plain_settings(setup)), setup.head_dim, static_cast<std::int64_t>(claimed) + 1);
    const double negative = found ? static_cast<double>(*found) : std::ceil(claimed);
    return {QObject::tr("B(m) is negative first at m = %1, although 2π·%2 = %3.")
                .arg(count(negative), count(setup.theta), count(claimed)),
            {negative, claimed}};
}

/// The table's size and what rotating by it costs, which no base enters.
Reading sameTable(const RotarySetup& setup) {
    constexpr double usual = 10000;
    RotarySetup other = setup;
    other.theta = usual;
    std::vector<std::int64_t> positions(static_cast<std::size_t>(setup.context));
    std::iota(positions.begin(), positions.end(), 0);
    const RotationTable here = rotation_table(frequencies(frequency_settings(setup)), positions);
    const RotationTable there = rotation_table(frequencies(frequency_settings(other)), positions);
    const auto bytes = [](const RotationTable& table) {
        return static_cast<double>((table.cosine.size() + table.sine.size()) * sizeof(float));
    };
    double different = 0;
    for (std::size_t i = 0; i < here.cosine.size(); ++i) {
        different += here.cosine[i] != there.cosine[i] ? 1 : 0;
    }
    const double share = 100 * different / static_cast<double>(here.cosine.size());
    const auto pairs = static_cast<double>(here.pairs);
    // A rotation is four products and two sums a pair (F1).
    return {QObject::tr("At θ = %1 and at θ = %2 the table has %3 × %4 cosines and sines in %5 bytes, and turning a "
                        "vector takes %6 products and %7 sums. Only numbers differ: %8 % of the cosines.")
                .arg(count(usual), count(setup.theta), count(static_cast<double>(here.positions)), count(pairs),
                     count(bytes(here)), count(4 * pairs), count(2 * pairs), decimals(share, 0)),
            {bytes(there), bytes(here), 4 * pairs, 2 * pairs, share}};
}

RotarySetup setupOf(int headDim, double theta, std::int64_t context) {
    RotarySetup setup;
    setup.head_dim = headDim;
    setup.theta = theta;
    setup.context = context;
    return setup;
}

RotarySetup truncatedQuarter() {
    RotarySetup setup = setupOf(64, 10000, 1024);
    setup.fraction = 0.25;
    setup.partial = Partial::truncate;
    return setup;
}

RotarySetup llama2WithYarn() {
    RotarySetup setup = setupOf(128, 10000, 16384);
    setup.scaling.method = ScalingMethod::yarn;
    setup.scaling.factor = 4;
    setup.scaling.original_context = 4096;
    return setup;
}

}  // namespace

const std::vector<Statement>& wrongStatements() {
    static const std::vector<Statement> statements = {
        {QObject::tr("Attention of random q and k decays with distance."),
         QObject::tr("Su's curve is an upper bound, and what falls is the logit of a key that equals its query. For "
                     "independent q and k the mean logit is 0 at every distance."),
         16, QStringLiteral("context"), QStringLiteral("random"), setupOf(64, 10000, 1024), randomLogits},
        {QObject::tr("A larger base is always safer."),
         QObject::tr(
             "The bases that carry a context form islands: a base can fail although a smaller one carries the same "
             "context."),
         12, QStringLiteral("context"), QStringLiteral("bases-near"), setupOf(64, 1850, 256), islands},
        {QObject::tr("“25 % rotary” says which pairs turn."),
         QObject::tr(
             "Without a word on slice or truncate it names two different spectra: a slice spreads all wavelengths "
             "over the rotated channels, truncation keeps the fastest pairs only."),
         5, QStringLiteral("spectrum"), QString(), truncatedQuarter(), twoFractions},
        {QObject::tr("YaRN divides the high frequencies."),
         QObject::tr(
             "It keeps them as they are and divides the low ones, with a ramp between: those that turn often enough "
             "in the training context need no change."),
         22, QStringLiteral("spectrum"), QString(), llama2WithYarn(), keptPairs},
        {QObject::tr("θ = 10,000 bounds the context at 2π·10,000."),
         QObject::tr(
             "That is about the slowest pair's wavelength. What tells a similar key from a random one is the sum over "
             "all pairs, B(m), and it falls below 0 much earlier."),
         12, QStringLiteral("context"), QStringLiteral("bound"), setupOf(128, 10000, 4096), firstNegative},
        {QObject::tr("A base other than 10,000 costs speed."),
         QObject::tr("The base enters when the cos/sin table is filled, once. The table's size and the arithmetic of "
                     "training do not depend on it."),
         1, QStringLiteral("cache"), QString(), setupOf(64, 500000, 1024), sameTable},
    };
    return statements;
}

}  // namespace ropelab::ui
