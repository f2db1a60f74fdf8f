#include "ui/rooms/spectrum/encoding_figures.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/rope/encodings.h"
#include "ui/common/format.h"
#include "ui/figure/ticks.h"
#include "ui/rooms/spectrum/encoding_panels.h"

namespace ropelab::ui {
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

Figure makeFigure(const char* name, const RotarySetup& setup) {
    Figure figure;
    figure.name = QString::fromLatin1(name);
    figure.settings = {{QStringLiteral("setup"), QString::fromStdString(text_of(setup))}};
    return figure;
}

bool isWindowed(const RotarySetup& setup) {
    return visibleTokens(setup) < setup.context;
}

/// "the sliding window of 64 tokens" or "the whole context of 1,024 tokens".
QString reachText(const RotarySetup& setup) {
    const QString reach = countText(visibleTokens(setup), QStringLiteral("token"));
    return isWindowed(setup) ? QStringLiteral("the sliding window of %1").arg(reach)
                             : QStringLiteral("the whole context of %1").arg(reach);
}

/// "first 64 of 4,096 positions"; "" where all of them are shown.
QString firstText(std::int64_t shown, std::int64_t all, const QString& what) {
    return shown < all ? QStringLiteral("first %1 of %2 %3").arg(groupedText(shown), groupedText(all), what)
                       : QString();
}

/// The bias is shown at 0, step, 2·step …
struct Distances {
    std::int64_t step = 1;
    int count = 0;
};

/// The whole context, or up to twice the length of a sliding window.
Distances distancesOf(const RotarySetup& setup) {
    const std::int64_t end = std::min(setup.context, 2 * visibleTokens(setup));
    Distances distances;
    distances.step = (end + kMostEncodingColumns - 1) / kMostEncodingColumns;
    distances.count = static_cast<int>((end - 1) / distances.step + 1);
    return distances;
}

QString joined(QStringList parts) {
    parts.removeAll(QString());
    return parts.join(QStringLiteral("; "));
}

double largestOf(const std::vector<double>& values) {
    return *std::max_element(values.begin(), values.end());
}

double smallestOf(const std::vector<double>& values) {
    return *std::min_element(values.begin(), values.end());
}

/// In tokens, of the channels with the lowest frequency.
double longestWavelength(std::int64_t width) {
    const double exponent = static_cast<double>((width - 1) / 2 * 2) / static_cast<double>(width);
    return 2 * std::numbers::pi * std::pow(10000.0, exponent);
}

}  // namespace

std::int64_t widthOf(const RotarySetup& setup) {
    return setup.heads * setup.head_dim;
}

std::int64_t visibleTokens(const RotarySetup& setup) {
    return setup.attention_window == 0 ? setup.context : std::min(setup.attention_window, setup.context);
}

Figure alibiFigure(const RotarySetup& setup) {
    Figure figure = makeFigure("alibi-bias", setup);
    const std::vector<double> slopes = alibi_slopes(static_cast<std::size_t>(setup.heads));
    const Distances distances = distancesOf(setup);
    figure.x = {QStringLiteral("distance"), QStringLiteral("tokens")};
    figure.y.label = QStringLiteral("head");
    FigureMap map;
    map.label = QStringLiteral("bias of the logit");
    map.unit = QStringLiteral("nats");
    map.columns = distances.count;
    map.rows = static_cast<int>(std::min<std::int64_t>(setup.heads, kMostEncodingRows));
    map.xStep = static_cast<double>(distances.step);
    map.maximum = 0;
    figure.table.names = {QStringLiteral("head"), QStringLiteral("slope"), QStringLiteral("distance (tokens)"),
                          map.title()};
    double least = 0;
    for (int head = 0; head < map.rows; ++head) {
        const double slope = slopes[static_cast<std::size_t>(head)];
        figure.y.categories << QStringLiteral("head %1, slope %2").arg(head + 1).arg(markText(slope));
        for (int column = 0; column < map.columns; ++column) {
            const std::int64_t distance = column * distances.step;
            const double bias = 0 - slope * static_cast<double>(distance);
            const bool isVisible = attends(distance, 0, setup.attention_window);
            map.values.append(isVisible ? static_cast<float>(bias) : kNoValue);
            if (isVisible) {
                least = std::min(least, bias);
                figure.table.addRow({head + 1.0, slope, static_cast<double>(distance), bias});
            }
        }
    }
    map.minimum = std::max(least, kLeastBias);
    figure.map = std::move(map);
    const QString beyond =
        isWindowed(setup) ? QStringLiteral("empty: distances beyond %1").arg(reachText(setup)) : QString();
    const QString stepped = distances.step > 1
                                ? QStringLiteral("distances in steps of %1 tokens").arg(groupedText(distances.step))
                                : QString();
    const QString ended =
        least < kLeastBias ? QStringLiteral("the colour scale ends at −%1 nats").arg(-kLeastBias) : QString();
    figure.note = joined({firstText(figure.map->rows, setup.heads, QStringLiteral("heads")), stepped, ended, beyond});
    figure.summary = QStringLiteral(
                         "ALiBi lowers the logits of %1 by slope times distance. The slopes range from %2 to %3, and "
                         "each token attends to %4.")
                         .arg(countText(setup.heads, QStringLiteral("head")), markText(largestOf(slopes)),
                              markText(smallestOf(slopes)), reachText(setup));
    return figure;
}

Figure maskFigure(const RotarySetup& setup) {
    Figure figure = makeFigure("attention-mask", setup);
    const int side = static_cast<int>(std::min<std::int64_t>(setup.context, kMostMaskPositions));
    figure.x = {QStringLiteral("position of the key"), QStringLiteral("tokens")};
    figure.y = {QStringLiteral("position of the query"), QStringLiteral("tokens")};
    figure.y.downwards = true;
    FigureMap map;
    map.label = QStringLiteral("1: visible, 0: outside the sliding window");
    map.columns = map.rows = side;
    map.minimum = kOutsideWindow;
    map.maximum = kVisible;
    for (int query = 0; query < side; ++query) {
        for (int key = 0; key < side; ++key) {
            const bool isVisible = attends(query, key, setup.attention_window);
            map.values.append(isVisible ? kVisible : key > query ? kNoValue : kOutsideWindow);
        }
    }
    figure.map = std::move(map);
    figure.note = joined({QStringLiteral("visible: %1").arg(reachText(setup)), QStringLiteral("empty: future keys"),
                          firstText(side, setup.context, QStringLiteral("positions"))});
    figure.summary =
        QStringLiteral("Each token attends to itself and to earlier tokens within %1.").arg(reachText(setup));
    return figure;
}

Figure sinusoidalFigure(const RotarySetup& setup) {
    Figure figure = makeFigure("sinusoidal-embeddings", setup);
    const std::int64_t width = widthOf(setup);
    // An odd step alternates between sines and cosines, as the complete list of channels does.
    std::int64_t step = (width + kMostEncodingRows - 1) / kMostEncodingRows;
    step += step % 2 == 0 ? 1 : 0;
    figure.x = {QStringLiteral("position"), QStringLiteral("tokens")};
    figure.y.label = QStringLiteral("channel");
    FigureMap map;
    map.label = QStringLiteral("embedding");
    map.columns = static_cast<int>(std::min<std::int64_t>(setup.context, kMostEncodingColumns));
    map.rows = static_cast<int>((width - 1) / step + 1);
    map.yStep = static_cast<double>(step);
    map.scale = FigureMap::Scale::diverging;
    map.minimum = -1;
    map.maximum = 1;
    for (int row = 0; row < map.rows; ++row) {
        const auto channel = static_cast<std::size_t>(row * step);
        for (int position = 0; position < map.columns; ++position) {
            const double value =
                sinusoidal_embedding(static_cast<std::size_t>(position), channel, static_cast<std::size_t>(width));
            map.values.append(static_cast<float>(value));
        }
    }
    const QString channels = step > 1 ? QStringLiteral("%1 of %2 channels, in steps of %3")
                                            .arg(groupedText(map.rows), groupedText(width), groupedText(step))
                                      : QStringLiteral("%1 channels").arg(groupedText(width));
    figure.note = joined({channels, firstText(map.columns, setup.context, QStringLiteral("positions"))});
    figure.map = std::move(map);
    figure.summary = QStringLiteral(
                         "The sinusoidal embeddings of a model with %1 consist of pairs of a sine and a cosine with "
                         "wavelengths from %2 to %3 tokens.")
                         .arg(countText(width, QStringLiteral("channel")), readableNumber(2 * std::numbers::pi),
                              readableNumber(longestWavelength(width)));
    return figure;
}

QString alibiToolTip(const RotarySetup& setup) {
    const auto heads = static_cast<std::size_t>(setup.heads);
    const std::vector<double> slopes = alibi_slopes(heads);
    const QString others =
        std::has_single_bit(heads)
            ? QString()
            : QStringLiteral(
                  "\nH is not a power of two: the slopes of %1 heads come first, then every other slope of %2 heads.")
                  .arg(std::bit_floor(heads))
                  .arg(2 * std::bit_floor(heads));
    return QStringLiteral(
               "ALiBi lowers the logit of a query and a key that are Δ tokens apart by slope_h·Δ:\n"
               "slope_h = 2^(−8h/H), h = 1 … H, if H is a power of two\n"
               "H = %1 heads: slopes from %2 to %3; visible distances Δ = 0 … %4 tokens")
               .arg(groupedText(setup.heads), markText(largestOf(slopes)), markText(smallestOf(slopes)),
                    groupedText(visibleTokens(setup) - 1)) +
           others + QStringLiteral("\nPress et al. 2022, formula 25");
}

QString maskToolTip(const RotarySetup& setup) {
    const QString value =
        isWindowed(setup) ? QStringLiteral("N = %1 tokens is the sliding window").arg(groupedText(visibleTokens(setup)))
                          : QStringLiteral("N = L = %1 tokens is the whole context").arg(groupedText(setup.context));
    return QStringLiteral(
               "A query at position m attends to the keys at positions n with 0 ≤ m − n < N:\n"
               "itself and the N − 1 tokens before it. The softmax excludes all other keys.\n") +
           value + QStringLiteral("\nBeltagy et al. 2020, Jiang et al. 2023; see formula 25");
}

QString sinusoidalToolTip(const RotarySetup& setup) {
    const std::int64_t width = widthOf(setup);
    return QStringLiteral(
               "The model adds a fixed embedding of position m to √C times the token embedding:\n"
               "PE(m, 2i) = sin(m/10000^(2i/C)), PE(m, 2i + 1) = cos(m/10000^(2i/C))\n"
               "C = %1 heads · %2 channels = %3, √C = %4\n"
               "Vaswani et al. 2017, formula 30")
        .arg(groupedText(setup.heads), groupedText(setup.head_dim), groupedText(width),
             readableNumber(std::sqrt(static_cast<double>(width))));
}

std::span<const RotaryFigure> encodingFigures() {
    static const std::array<RotaryFigure, 5> figures = {{
        {"alibi-bias", [](const RotarySetup& setup, const ModelShape&) { return alibiFigure(setup); }},
        {"attention-mask", [](const RotarySetup& setup, const ModelShape&) { return maskFigure(setup); }},
        {"sinusoidal-embeddings", [](const RotarySetup& setup, const ModelShape&) { return sinusoidalFigure(setup); }},
        {"window-reach", [](const RotarySetup& setup, const ModelShape&) { return reachFigure(setup, {}); }},
        {"encodings", [](const RotarySetup& setup, const ModelShape&) { return encodingsFigure(setup, {}); },
         [](const ShapedSetup& a, const ShapedSetup& b) { return comparedEncodings(a, b, {}); }},
    }};
    return figures;
}

}  // namespace ropelab::ui
