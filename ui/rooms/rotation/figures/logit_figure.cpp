#include "ui/rooms/rotation/figures/scene_figures.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
constexpr double kStays = 1e-3;
constexpr std::int64_t kSampledDistances = 256;
constexpr double kRoomAbove = 1.15;  // of the sampled contributions

bool hasRest(const RotationScene& scene) {
    return 2 * scene.pairs.size() < static_cast<std::size_t>(scene.setup.head_dim);
}

FigureCurve bars(const QString& quantity, Ink ink) {
    FigureCurve curve;
    curve.quantity = quantity;
    curve.ink = ink;
    curve.shape = FigureCurve::Shape::bars;
    return curve;
}

/// The largest magnitude of a bar or of the cumulative sum at any distance of the context. The axis of the figure
/// follows from it, so it does not change while the positions do. A long context is sampled.
double largestAtAnyDistance(const RotationScene& scene, const LogitSplit& split) {
    struct Wave {
        double even;  // amplitude · cos of the phase
        double odd;   // amplitude · sin of the phase
        double frequency;
    };
    std::vector<Wave> waves;
    double largest = std::abs(split.unrotated);
    for (int pair = 0; pair < static_cast<int>(scene.pairs.size()); ++pair) {
        const PairTerm term = scene.term(pair);
        const double amplitude = term.query_norm * term.key_norm * term.attention_factor * term.attention_factor /
                                 std::sqrt(static_cast<double>(term.head_dim));
        waves.push_back({amplitude * std::cos(term.phase), amplitude * std::sin(term.phase),
                         pair < scene.rotatedPairs() ? term.frequency : 0});
        largest = std::max(largest, amplitude);
    }
    const std::int64_t last = std::max<std::int64_t>(1, scene.setup.context - 1);
    const std::int64_t count = std::min(last, kSampledDistances);
    for (std::int64_t i = 0; i <= count; ++i) {
        const double distance =
            std::round(static_cast<double>(i) * static_cast<double>(last) / static_cast<double>(count));
        double ahead = 0;   // at this distance
        double behind = 0;  // at its negative
        for (const Wave& wave : waves) {
            const double even = wave.even * std::cos(distance * wave.frequency);
            const double odd = wave.odd * std::sin(distance * wave.frequency);
            ahead += even - odd;
            behind += even + odd;
            largest = std::max({largest, std::abs(ahead), std::abs(behind)});
        }
        largest = std::max({largest, std::abs(ahead + split.unrotated), std::abs(behind + split.unrotated)});
    }
    largest *= kRoomAbove;
    double sum = 0;  // at the positions that are shown
    for (const double part : split.pairs) largest = std::max(largest, std::abs(sum += part));
    return largest > 0 ? largest : 1;
}

/// Some programs multiply positions and frequencies in float32.
double float32Logit(const RotationScene& scene, RotationState::Place place) {
    const auto rotate = [&](const std::vector<double>& vector, std::size_t pair, std::int64_t position) {
        const float angle =
            static_cast<float>(position) * static_cast<float>(scene.frequencies.inverse_frequencies[pair]);
        const float cosine = std::cos(angle);
        const float sine = std::sin(angle);
        const auto first = static_cast<float>(vector[scene.pairs[pair].first]);
        const auto second = static_cast<float>(vector[scene.pairs[pair].second]);
        return std::pair<double, double>(first * cosine - second * sine, second * cosine + first * sine);
    };
    const double factor = scene.frequencies.attention_factor * scene.frequencies.attention_factor;
    // The unrotated part does not depend on the arithmetic of the angles.
    const LogitSplit exact = split_logit(scene.state.query, scene.state.key, place.m, place.n, scene.frequencies,
                                         scene.setup.partial, scene.setup.pairing);
    double sum = exact.unrotated;
    const auto rotatedPairs = static_cast<std::size_t>(scene.rotatedPairs());
    for (std::size_t pair = 0; pair < exact.pairs.size(); ++pair) {
        if (pair >= rotatedPairs) {
            sum += exact.pairs[pair];
            continue;
        }
        const auto [q1, q2] = rotate(scene.state.query, pair, place.m);
        const auto [k1, k2] = rotate(scene.state.key, pair, place.n);
        sum += (q1 * k1 + q2 * k2) * factor / std::sqrt(static_cast<double>(scene.setup.head_dim));
    }
    return sum;
}

}  // namespace

Figure logitFigure(const RotationScene& scene) {
    const LogitSplit split = scene.split();
    const int pairs = static_cast<int>(split.pairs.size());
    const int rotatedPairs = scene.rotatedPairs();
    const bool rest = hasRest(scene);
    const auto large = scene.enlargedPair();

    FigureCurve rotated = bars(u"rotated pairs"_s, {Ink::Kind::rotated});
    FigureCurve unrotated = bars(u"unrotated"_s, {Ink::Kind::unrotated});
    FigureCurve highlighted = bars(u"highlighted pair"_s, {Ink::Kind::accent});
    highlighted.emphasis = FigureCurve::Emphasis::picked;
    FigureCurve sum;
    sum.quantity = u"cumulative sum"_s;
    sum.ink = {Ink::Kind::quiet};

    QList<double> index;
    QList<double> parts;
    double sofar = 0;
    for (int pair = 0; pair < pairs; ++pair) {
        const double part = split.pairs[static_cast<std::size_t>(pair)];
        const bool isHighlighted = large == pair;
        FigureCurve& kind = pair < rotatedPairs ? rotated : unrotated;
        kind.x.append(pair);
        kind.y.append(isHighlighted ? kNothing : part);
        if (isHighlighted) {
            highlighted.x.append(pair);
            highlighted.y.append(part);
        }
        sofar += part;
        sum.x.append(pair);
        sum.y.append(sofar);
        index.append(pair);
        parts.append(part);
    }
    if (rest) {
        unrotated.x.append(pairs);
        unrotated.y.append(split.unrotated);
        sum.x.append(pairs);
        sum.y.append(split.total);
        index.append(kNothing);
        parts.append(split.unrotated);
    }

    Figure figure = rotation::figure(u"logit-split"_s, scene);
    figure.x = {u"pair, highest frequency first"_s, QString(), false, -0.6,
                std::max(pairs - 1 + (rest ? 1 : 0), 0) + 0.6};
    figure.x.whole = true;
    if (rest) {  // the bar behind the last pair has a name, next to which there is space for no number
        constexpr int about = 5;
        constexpr double last = 0.85;
        figure.x.categories.resize(pairs + 1);
        for (const double at : ticksOf(0, std::max(1, pairs), false, about, true).at) {
            if (at <= last * pairs) figure.x.categories[static_cast<qsizetype>(at)] = QString::number(at);
        }
        figure.x.categories.back() = u"rest"_s;
    }
    figure.y.label = u"contribution to the logit q·k/√d"_s;
    figure.y.maximum = largestAtAnyDistance(scene, split);
    figure.y.minimum = -figure.y.maximum;
    figure.summary =
        u"The logit of q at position %1 and k at position %2 is %3: %4 from the pairs and %5 from the "
        "channels that belong to no pair."_s.arg(scene.state.m)
            .arg(scene.state.n)
            .arg(readableNumber(split.total), readableNumber(split.total - split.unrotated),
                 readableNumber(split.unrotated));
    figure.note = rest ? u"bars: pairs; rest: unrotated channels; line: cumulative sum"_s
                       : u"bars: pairs; line: cumulative sum"_s;
    figure.table.names = {u"pair"_s, u"contribution to the logit"_s, u"cumulative sum"_s};
    figure.table.columns = {index, parts, sum.y};
    figure.horizontalLines.push_back({split.total, u"logit %1"_s.arg(readableNumber(split.total)), {Ink::Kind::text}});
    if (large) {
        figure.verticalLines.push_back({static_cast<double>(*large), u"pair %1"_s.arg(*large), {Ink::Kind::accent}});
    }
    for (FigureCurve* curve : {&rotated, &unrotated, &highlighted, &sum}) {
        if (!curve->x.isEmpty()) {
            figure.curves.push_back(std::move(*curve));
        }
    }
    return figure;
}

std::optional<int> pairOfBar(const RotationScene& scene, double x) {
    const auto pair = static_cast<int>(std::lround(x));
    return pair >= 0 && pair < static_cast<int>(scene.pairs.size()) ? std::optional(pair) : std::nullopt;
}

std::optional<BarText> barText(const RotationScene& scene, double x) {
    const auto at = static_cast<int>(std::lround(x));
    const auto pairs = static_cast<int>(scene.pairs.size());
    const LogitSplit split = scene.split();
    if (at == pairs && hasRest(scene)) {
        return BarText{static_cast<double>(at), u"channels that belong to no pair"_s, signedText(split.unrotated),
                       readableNumber(split.total)};
    }
    if (at < 0 || at >= pairs) {
        return std::nullopt;
    }
    const double sum = std::accumulate(split.pairs.begin(), split.pairs.begin() + at + 1, 0.0);
    return BarText{static_cast<double>(at), u"pair %1, λ = %2"_s.arg(at).arg(wavelengthText(scene.frequency(at))),
                   signedText(split.pairs[static_cast<std::size_t>(at)]), readableNumber(sum)};
}

QList<ShiftRow> shiftRows(const RotationScene& scene, RotationState::Place before, RotationState::Place after) {
    const auto exact = [&](RotationState::Place place, NumberFormat positions) {
        return split_logit(scene.state.query, scene.state.key, place.m, place.n, scene.frequencies, scene.setup.partial,
                           scene.setup.pairing, positions);
    };
    const LogitSplit reference = exact(before, NumberFormat::float64);
    double magnitude = std::abs(reference.unrotated);
    for (const double part : reference.pairs) {
        magnitude += std::abs(part);
    }
    QList<ShiftRow> rows = {
        {u"exact"_s, u"All angles are computed in float64."_s, reference.total,
         exact(after, NumberFormat::float64).total},
        {u"float32"_s, u"Position × frequency, cos and sin are computed in float32, as in Hugging Face transformers."_s,
         float32Logit(scene, before), float32Logit(scene, after)},
        {u"bfloat16"_s, u"Positions are rounded to bfloat16; angles are computed in float64."_s,
         exact(before, NumberFormat::bfloat16).total, exact(after, NumberFormat::bfloat16).total}};
    for (ShiftRow& row : rows) {
        row.stays = std::abs(row.after - row.before) <= kStays * magnitude;
    }
    return rows;
}

}  // namespace ropelab::ui
