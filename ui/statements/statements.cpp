#include "ui/statements/statements.h"

#include <QObject>
#include <QStringList>
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <numeric>

#include "core/base/numbers.h"
#include "core/rope/context.h"
#include "core/rope/rotation.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

QString count(double value) {
    return readableCount(std::round(value));
}

/// `places` decimals and a typographic minus sign.
QString decimals(double value, int places) {
    QString text = QString::number(std::abs(value), 'f', places);
    const bool isZero = text.toDouble() == 0;
    return value < 0 && !isZero ? u"−"_s + text : text;
}

/// Random q and k (formula 16).
Evidence randomLogits(const RotarySetup& setup) {
    constexpr std::int64_t samples = 20000;
    constexpr std::uint64_t seed = 1;
    const std::array<double, 2> distances = {0, 100};
    const Frequencies now = frequencies(frequency_settings(setup));
    const SampledLogits random = sampled_logits(now, setup.head_dim, distances, samples, seed, RandomVectors{});
    constexpr RandomVectors equal{.correlation = 1};
    const double equalHere = expected_logit(now, setup.head_dim, distances[0], equal);
    const double equalFar = expected_logit(now, setup.head_dim, distances[1], equal);
    return {
        u"Over %1 samples the mean attention logit of independent queries and keys q, k ~ N(0, I) is %2 ± %3 at the "
        "distance Δ = 0 and %4 ± %5 at Δ = 100 tokens. For q = k, or if all components have mean 1, the expected "
        "logit decreases from %6 to %7."_s.arg(count(static_cast<double>(samples)), decimals(random.mean[0], 2),
                                               decimals(random.standard_error[0], 2), decimals(random.mean[1], 2),
                                               decimals(random.standard_error[1], 2), decimals(equalHere, 1),
                                               decimals(equalFar, 1)),
        {random.mean[0], random.standard_error[0], random.mean[1], random.standard_error[1], equalHere, equalFar}};
}

/// Formula 12.
Evidence feasibleIntervals(const RotarySetup& setup) {
    constexpr BaseScan scan{100, 4000, 1};
    const FeasibleBases found = feasible_bases(plain_settings(setup), setup.context, scan);
    Evidence evidence;
    QStringList pieces;
    for (const BaseInterval& interval : found.intervals) {
        const bool isLast = interval.high >= scan.high;
        pieces << (isLast ? u"at least %1"_s.arg(count(interval.low))
                          : u"%1–%2"_s.arg(count(interval.low), count(interval.high)));
        evidence.values.push_back(interval.low);
        evidence.values.push_back(interval.high);
    }
    const auto limit = static_cast<double>(setup.context);
    const auto negative =
        first_negative(frequencies(plain_settings(setup)), setup.head_dim, setup.context).value_or(setup.context);
    evidence.values.push_back(static_cast<double>(negative));
    const LowestBound lowest = lowest_bound(frequencies(plain_settings(setup)), setup.head_dim, setup.context);
    evidence.text =
        u"Bases that support a context of %1 tokens (feasible bases): %2 (scanned from %3 to %4 in steps of %5). The "
        "base θ = %6 does not support this context, because the context bound B(Δ), the mean logit advantage of "
        "similar keys, is negative at the distance Δ = %7; the lowest value of B is %8 (the maximum is %9)."_s
            .arg(count(limit), pieces.join(u", "_s), count(scan.low), count(scan.high), count(scan.step),
                 count(setup.theta), count(static_cast<double>(negative)))
            .arg(decimals(lowest.value, 2))
            .arg(setup.head_dim / 2);
    return evidence;
}

double slowestWavelength(RotarySetup setup, Partial partial) {
    setup.partial = partial;
    const auto waves = wavelengths(frequencies(plain_settings(setup)));
    return waves[static_cast<std::size_t>(rotary_dim(setup) / 2 - 1)];
}

/// Longest wavelengths (formulas 3 to 5).
Evidence sliceAndTruncate(const RotarySetup& setup) {
    const double slice = slowestWavelength(setup, Partial::slice);
    const double truncate = slowestWavelength(setup, Partial::truncate);
    const double base = coinciding_theta(setup.head_dim, rotary_dim(setup), setup.theta);
    return {
        u"The longest wavelength of the rotated pairs is %1 tokens with slice, but %2 tokens with truncate. The "
        "difference is as large as between θ = %3 and θ = %4."_s.arg(count(slice), count(truncate), count(setup.theta),
                                                                     count(base)),
        {slice, truncate, setup.theta, base}};
}

/// Pairs whose frequency YaRN does not change (formula 22).
Evidence unchangedPairs(const RotarySetup& setup) {
    const auto plain = frequencies(plain_settings(setup)).inverse_frequencies;
    const auto now = frequencies(frequency_settings(setup)).inverse_frequencies;
    const auto firstChanged = std::mismatch(plain.begin(), plain.end(), now.begin()).first;
    const auto unchanged = static_cast<double>(firstChanged - plain.begin());
    const double slowest = plain.back() / now.back();
    return {
        u"YaRN does not change the frequencies of the first %1 of %2 pairs (ratio exactly 1.0); it "
        "divides the lowest frequency by %3."_s.arg(count(unchanged), count(static_cast<double>(plain.size())),
                                                    decimals(slowest, 1)),
        {unchanged, static_cast<double>(plain.size()), slowest}};
}

/// First negative value of the context bound (formula 12).
Evidence firstNegative(const RotarySetup& setup) {
    const double claimed = 2 * std::numbers::pi * setup.theta;
    const auto found =
        first_negative(frequencies(plain_settings(setup)), setup.head_dim, static_cast<std::int64_t>(claimed) + 1);
    const double negative = found ? static_cast<double>(*found) : std::ceil(claimed);
    return {
        u"The context bound B(Δ), the mean logit advantage of similar keys, is first negative at the distance Δ "
        "= %1 tokens, far below 2π·%2 = %3."_s.arg(count(negative), count(setup.theta), count(claimed)),
        {negative, claimed}};
}

/// Size of the cos/sin table and cost of a rotation at two bases.
Evidence tableCosts(const RotarySetup& setup) {
    constexpr double reference = 10000;
    RotarySetup other = setup;
    other.theta = reference;
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
    const double percentage = 100 * different / static_cast<double>(here.cosine.size());
    const auto pairs = static_cast<double>(here.pairs);
    // A rotation takes four multiplications and two additions per pair (formula 1).
    return {
        u"At θ = %1 and at θ = %2 the table has %3 × %4 cosines and sines in %5 bytes, and rotating one "
        "vector takes %6 multiplications and %7 additions. Only the values differ: %8 % of the cosines."_s.arg(
            count(reference), count(setup.theta), count(static_cast<double>(here.positions)), count(pairs),
            count(bytes(here)), count(4 * pairs), count(2 * pairs), decimals(percentage, 0)),
        {bytes(there), bytes(here), 4 * pairs, 2 * pairs, percentage}};
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
        {u"Attention of random q and k decays with distance."_s,
         u"The decaying curve of Su et al. is only an upper bound. For independent q and k with mean 0, the mean logit "
         "is 0 at every distance. The mean logit decreases on the whole if the components have another mean, or if the "
         "key is positively correlated with the query."_s,
         16, u"context"_s, u"random"_s, setupOf(64, 10000, 1024), randomLogits},
        {u"A larger base is always safer."_s,
         u"The bases that support a context (feasible bases) form separate intervals (islands): a base can fail "
         "although a smaller one supports the same context."_s,
         12, u"context"_s, u"bases-near"_s, setupOf(64, 1850, 256), feasibleIntervals},
        {u"“25 % rotary” says which pairs are rotated."_s,
         u"“25 % rotary” can mean two different sets of frequencies. Slice spreads all wavelengths over the rotated "
         "channels; truncate rotates only the pairs with the highest frequencies."_s,
         5, u"spectrum"_s, QString(), truncatedQuarter(), sliceAndTruncate},
        {u"YaRN divides the high frequencies."_s,
         u"YaRN divides the low frequencies by the scaling factor, leaves the high ones unchanged, and uses a ramp in "
         "between. Pairs that complete many periods in the training context need no change."_s,
         22, u"spectrum"_s, QString(), llama2WithYarn(), unchangedPairs},
        {u"θ = 10,000 bounds the context at 2π·10,000."_s,
         u"2π·10,000 is about the longest wavelength. What limits the context is the context bound B(Δ), the mean "
         "logit advantage of a similar key over a random one at distance Δ. It becomes negative at a much shorter "
         "distance."_s,
         12, u"context"_s, u"bound"_s, setupOf(128, 10000, 4096), firstNegative},
        {u"A base other than 10,000 costs speed."_s,
         u"The base is used only once, to fill the cos/sin table. The size of the table and the operations "
         "of training do not depend on the base."_s,
         1, u"table"_s, QString(), setupOf(64, 500000, 1024), tableCosts},
    };
    return statements;
}

}  // namespace ropelab::ui
