#include "ui/rooms/rotation/figures/scene_figures.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/rotation/rotation_text.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostDials = 128;

DialsWords wordsOf(const RotationScene& scene) {
    const int total = scene.setup.head_dim / 2;
    return {u"q at m = %1"_s.arg(groupedText(scene.state.m)), u"k at n = %1"_s.arg(groupedText(scene.state.n)),
            dialsNote(scene), scene.rotatedPairs() == total && total <= kMostDials, scene.rotatedPairs() == 0};
}

}  // namespace

QList<Dial> dialsOf(const RotationScene& scene) {
    const int total = scene.setup.head_dim / 2;
    const int pairs = static_cast<int>(scene.pairs.size());
    const int rotated = scene.rotatedPairs();
    const int shown = std::min(total, kMostDials);
    QList<Dial> dials;
    dials.reserve(shown);
    for (int i = 0; i < shown; ++i) {
        const auto index =
            static_cast<int>(shown == total ? i : std::lround(static_cast<double>(i) * (total - 1) / (shown - 1)));
        dials.append({index < rotated ? Dial::Kind::rotated
                      : index < pairs ? Dial::Kind::frozen
                                      : Dial::Kind::outside,
                      index});
    }
    if (const auto enlarged = scene.enlargedPair()) {
        // The enlarged pair replaces the nearest shown pair where it is not shown itself.
        auto nearest = std::min_element(dials.begin(), dials.end(), [&](const Dial& a, const Dial& b) {
            return std::abs(a.index - *enlarged) < std::abs(b.index - *enlarged);
        });
        *nearest = {*enlarged < rotated ? Dial::Kind::rotated : Dial::Kind::frozen, *enlarged};
    }
    return dials;
}

DialGrid gridOf(const RotationScene& scene, const QRectF& rect, const FigureStyle& style) {
    return gridOf(rect, dialsOf(scene).size(), noteBelow(wordsOf(scene), rect.width(), style).size(), style);
}

std::optional<int> pairAt(const RotationScene& scene, const QRectF& rect, const FigureStyle& style,
                          const QPointF& place) {
    const QList<Dial> dials = dialsOf(scene);
    const auto found = gridOf(scene, rect, style).dialAt(place, dials.size());
    if (!found || dials[*found].kind == Dial::Kind::outside) {
        return std::nullopt;
    }
    return dials[*found].index;
}

QString dialsNote(const RotationScene& scene) {
    const int total = scene.setup.head_dim / 2;
    const int rotated = scene.rotatedPairs();
    QStringList parts;
    if (rotated == 0) {
        parts += u"fraction 0: no pair is rotated"_s;
    } else if (scene.setup.partial == Partial::truncate && rotated < total) {
        parts += u"grey: %1 of %2 pairs have frequency 0 (truncate)"_s.arg(total - rotated).arg(total);
    } else if (rotated < total) {
        parts += u"grey: channels %1–%2 are not rotated (slice), the same at every position"_s.arg(
            groupedText(scene.frequencies.rotary_dim), groupedText(scene.setup.head_dim - 1));
    }
    if (total > kMostDials) {
        parts += u"the dials of %1 of %2 pairs are shown"_s.arg(kMostDials).arg(groupedText(total));
    } else if (parts.isEmpty() && total > 1) {
        parts += u"hands turn counterclockwise; pair 0 fastest, %1 slowest"_s.arg(total - 1);
    }
    return parts.join(u"; "_s);
}

QString dialsToolTip(const RotationScene& scene, std::optional<int> pair) {
    if (!pair) return dialsNote(scene);
    return u"Pair %1: frequency ωᵢ = %2 rad/token, wavelength λᵢ = 2π/ωᵢ = %3, %4 periods in the context (formula 9 of the guide)"_s
        .arg(*pair)
        .arg(frequencyText(scene.frequency(*pair)), wavelengthText(scene.frequency(*pair)),
             readableNumber(periodsInContext(scene, *pair)));
}

Figure dialsFigure(const RotationScene& scene) {
    DialsPicture picture;
    // Of two channels that no pair contains, which are joined as they would be if they were rotated.
    const auto restAngle = [&scene](const std::vector<double>& vector, const Dial& dial) {
        const auto at = [&](int c) {
            return vector[static_cast<std::size_t>(scene.channels[static_cast<std::size_t>(c)])];
        };
        return std::atan2(at(dial.index + scene.setup.head_dim / 2), at(dial.index));
    };
    for (const Dial& dial : dialsOf(scene)) {
        const bool isPair = dial.kind != Dial::Kind::outside;
        picture.hands.append({dial,
                              isPair ? std::arg(scene.rotatedQuery(dial.index)) : restAngle(scene.state.query, dial),
                              isPair ? std::arg(scene.rotatedKey(dial.index)) : restAngle(scene.state.key, dial)});
    }
    picture.highlighted = scene.markedPair();
    picture.words = wordsOf(scene);

    Figure figure = rotation::figure(u"dials"_s, scene);
    figure.summary = u"%1 dials, one per pair, with one hand for q at position %2 and one for k at position %3; %4."_s
                         .arg(picture.hands.size())
                         .arg(scene.state.m)
                         .arg(scene.state.n)
                         .arg(picture.words.note);
    figure.table =
        FigureTable::of({u"pair"_s, u"frequency (rad/token)"_s, u"angle of q (degrees)"_s, u"angle of k (degrees)"_s});
    for (const DialHands& hands : picture.hands) {
        if (hands.dial.kind != Dial::Kind::outside) {
            const int pair = hands.dial.index;
            figure.table.addRow(
                {static_cast<double>(pair), scene.frequency(pair), degreesOf(hands.query), degreesOf(hands.key)});
        }
    }
    figure.drawingHeight = [picture](double width, const FigureStyle& style) {
        return dialsHeight(picture, width, style);
    };
    figure.drawing = rotation::drawing(std::move(picture), paintDials);
    return figure;
}

}  // namespace ropelab::ui
