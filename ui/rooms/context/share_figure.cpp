#include <algorithm>
#include <cmath>

#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/context/context_figures.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kMostDistances = 128;

std::vector<double> distancesTo(std::int64_t end, bool logarithmic) {
    if (logarithmic) return spreadDistances(end, kMostDistances);
    const std::int64_t step = std::max<std::int64_t>(1, end / kMostDistances);
    std::vector<double> distances;
    for (std::int64_t distance = 0; distance <= end; distance += step)
        distances.push_back(static_cast<double>(distance));
    return distances;
}

}  // namespace

void KeyShareData::adopt(const RotarySetup& setup, double correlation) {
    const auto adoptOne = [&](std::shared_ptr<const KeySamples>& samples, double wanted) {
        if (samples && samples->head_dim == setup.head_dim && samples->correlation == wanted) return;
        samples = std::make_shared<KeySamples>(sampled_keys(setup.head_dim, kOtherKeys, wanted, key_share_samples, 1));
    };
    adoptOne(equal, 1);
    if (correlation != 1) adoptOne(chosen, correlation);
    if (correlation == 1) chosen = equal;
}

Figure shareFigure(const RotarySetup& setup, const KeyShareData& data, std::int64_t end, bool logarithmic) {
    const Frequencies now = frequencies(frequency_settings(setup));
    const std::vector<double> distances = distancesTo(end, logarithmic);
    Figure figure;
    figure.name = kShareFigure;
    figure.x = distanceAxis(end, logarithmic);
    figure.y = {u"mean attention weight of one key"_s, u"%"_s};
    figure.y.minimum = 0;
    figure.y.maximum = 100;
    if (!data.equal) return figure;
    const KeySamples& equal = *data.equal;
    figure.note = u"among %1 random keys; means of %2 sampled queries"_s.arg(groupedText(equal.others),
                                                                             groupedText(equal.count()));
    if (now.attention_factor != 1)
        figure.note += u"; without the attention factor %1"_s.arg(readableNumber(now.attention_factor));
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))},
                       {u"correlation"_s, data.chosen->correlation}};
    figure.valuesNote = kEndNote;
    const auto add = [&](const KeySamples& samples, const QString& label, Ink ink) {
        FigureCurve curve;
        curve.label = label;
        curve.quantity = u"mean attention weight"_s;
        curve.ink = ink;
        curve.dots = false;
        curve.x = {distances.begin(), distances.end()};
        for (const double share : key_shares(samples, now, distances)) curve.y.append(100 * share);
        figure.curves.push_back(std::move(curve));
    };
    add(equal, u"k = q"_s, Ink::data(0));
    if (data.chosen->correlation != 1)
        add(*data.chosen, vectorsLabel({.correlation = data.chosen->correlation}), Ink::data(1));
    figure.verticalLines.push_back(contextLine(setup));
    figure.summary =
        u"Mean attention weight of a key that equals the query, among %1 random keys: %2 % at distance %3 and %4 % at "
        "distance %5."_s.arg(groupedText(equal.others), readableNumber(figure.curves.front().y.first()),
                             groupedText(std::llround(distances.front())),
                             readableNumber(figure.curves.front().y.last()),
                             groupedText(std::llround(distances.back())));
    return figure;
}

Figure shareFigure(const RotarySetup& setup, double correlation) {
    KeyShareData data;
    data.adopt(setup, correlation);
    return shareFigure(setup, data, distanceAxisEnd(setup.context), true);
}

QString shareSentence(const Figure& figure) {
    return figure.summary +
           u" Only the advantage of an equal key decays: a random key has 1/%1 on average at every distance, near or "
           "far."_s.arg(groupedText(kOtherKeys + 1));
}

}  // namespace ropelab::ui
