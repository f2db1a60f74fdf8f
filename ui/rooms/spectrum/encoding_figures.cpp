#include "ui/rooms/spectrum/spectrum_figures.h"

#include <QStringList>
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include "core/base/error.h"
#include "core/rope/encodings.h"
#include "core/settings/run_spec.h"
#include "ui/common/format.h"
#include "ui/common/paths.h"
#include "ui/figure/ticks.h"
#include "ui/session/lab_origin.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr float kNoValue = std::numeric_limits<float>::quiet_NaN();

Figure makeFigure(const char* name, const RotarySetup& setup) {
    Figure figure;
    figure.name = QString::fromLatin1(name);
    figure.settings = {{u"setup"_s, QString::fromStdString(text_of(setup))}};
    return figure;
}

bool isWindowed(const RotarySetup& setup) {
    return visibleTokens(setup) < setup.context;
}

/// "the sliding window of 64 tokens" or "the whole context of 1,024 tokens".
QString reachText(const RotarySetup& setup) {
    const QString reach = countText(visibleTokens(setup), u"token"_s);
    return isWindowed(setup) ? u"the sliding window of %1"_s.arg(reach) : u"the whole context of %1"_s.arg(reach);
}

/// "1/256", or "0.7071" where the slope is no inverse of a whole number.
QString slopeText(double slope) {
    const double inverse = std::round(1 / slope);
    return slope * inverse == 1 ? u"1/"_s + groupedText(std::llround(inverse)) : markText(slope);
}

/// "first 64 of 4,096 positions"; "" where all of them are shown.
QString firstText(std::int64_t shown, std::int64_t all, const QString& what) {
    return shown < all ? u"first %1 of %2 %3"_s.arg(groupedText(shown), groupedText(all), what) : QString();
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
    return parts.join(u"; "_s);
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
    figure.x = {u"distance"_s, u"tokens"_s};
    figure.y.label = u"head"_s;
    FigureMap map;
    map.label = u"bias of the logit"_s;
    map.unit = u"nats"_s;
    map.columns = distances.count;
    map.rows = static_cast<int>(std::min<std::int64_t>(setup.heads, kMostEncodingRows));
    map.xStep = static_cast<double>(distances.step);
    map.maximum = 0;
    figure.table = FigureTable::of({u"head"_s, u"slope"_s, u"distance (tokens)"_s, map.title()});
    double least = 0;
    for (int head = 0; head < map.rows; ++head) {
        const double slope = slopes[static_cast<std::size_t>(head)];
        figure.y.categories << u"head %1, slope %2"_s.arg(head + 1).arg(slopeText(slope));
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
    const QString beyond = isWindowed(setup) ? u"empty: distances beyond %1"_s.arg(reachText(setup)) : QString();
    const QString stepped =
        distances.step > 1 ? u"distances in steps of %1 tokens"_s.arg(groupedText(distances.step)) : QString();
    const QString ended = least < kLeastBias ? u"the colour scale ends at −%1 nats"_s.arg(-kLeastBias) : QString();
    figure.note = joined(
        {firstText(figure.map->rows, setup.heads, u"heads"_s), u"heads are counted from 1"_s, stepped, ended, beyond});
    figure.summary =
        u"ALiBi lowers the logits of %1 by slope times distance. The slopes range from %2 to %3, and "
        "each token attends to %4."_s.arg(countText(setup.heads, u"head"_s), markText(largestOf(slopes)),
                                          markText(smallestOf(slopes)), reachText(setup));
    return figure;
}

Figure maskFigure(const RotarySetup& setup) {
    Figure figure = makeFigure("attention-mask", setup);
    const int side = static_cast<int>(std::min<std::int64_t>(setup.context, kMostMaskPositions));
    figure.x = {u"position of the key"_s, u"tokens"_s};
    figure.y = {u"position of the query"_s, u"tokens"_s};
    figure.y.downwards = true;
    FigureMap map;
    map.label = u"1: attended, 0: not"_s;
    map.classes = {u"outside the window"_s, u"attended"_s};
    map.blankLabel = u"later keys"_s;
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
    figure.note = joined({u"visible: %1"_s.arg(reachText(setup)), firstText(side, setup.context, u"positions"_s)});
    figure.summary = u"Each token attends to itself and to earlier tokens within %1."_s.arg(reachText(setup));
    return figure;
}

Figure sinusoidalFigure(const RotarySetup& setup) {
    Figure figure = makeFigure("sinusoidal-embeddings", setup);
    const std::int64_t width = widthOf(setup);
    // Sines and cosines alternate. Where channels are left out, all rows have sines: rows of both would be stripes.
    std::int64_t step = (width + kMostEncodingRows - 1) / kMostEncodingRows;
    if (step > 1) step += step % 2;
    figure.x = {u"position"_s, u"tokens"_s};
    figure.y.label = u"channel"_s;
    FigureMap map;
    map.label = u"embedding"_s;
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
    const QString channels = step > 1 ? u"%1 of %2 channels, in steps of %3, all of them sines"_s.arg(
                                            groupedText(map.rows), groupedText(width), groupedText(step))
                                      : u"%1 channels"_s.arg(groupedText(width));
    figure.note = joined({channels, firstText(map.columns, setup.context, u"positions"_s)});
    figure.map = std::move(map);
    figure.summary =
        u"The sinusoidal embeddings of a model with %1 consist of pairs of a sine and a cosine with "
        "wavelengths from %2 to %3 tokens."_s.arg(countText(width, u"channel"_s), readableNumber(2 * std::numbers::pi),
                                                  readableNumber(longestWavelength(width)));
    return figure;
}

QString alibiToolTip(const RotarySetup& setup) {
    const auto heads = static_cast<std::size_t>(setup.heads);
    const std::vector<double> slopes = alibi_slopes(heads);
    const QString others =
        std::has_single_bit(heads)
            ? QString()
            : u"\nH is not a power of two: the slopes of %1 heads come first, then every other slope of %2 heads."_s
                  .arg(std::bit_floor(heads))
                  .arg(2 * std::bit_floor(heads));
    return u"ALiBi lowers the logit of a query and a key that are Δ tokens apart by slope_h·Δ:\n"
           "slope_h = 2^(−8h/H), h = 1 … H, if H is a power of two\n"
           "H = %1 heads: slopes from %2 to %3; visible distances Δ = 0 … %4 tokens"_s.arg(
               groupedText(setup.heads), markText(largestOf(slopes)), markText(smallestOf(slopes)),
               groupedText(visibleTokens(setup) - 1)) +
           others + u"\nPress et al. 2022; formula 25 of the guide"_s;
}

QString maskToolTip(const RotarySetup& setup) {
    const QString value = isWindowed(setup)
                              ? u"N = %1 tokens is the sliding window"_s.arg(groupedText(visibleTokens(setup)))
                              : u"N = L = %1 tokens is the whole context"_s.arg(groupedText(setup.context));
    return u"A query at position m attends to the keys at positions n with 0 ≤ m − n < N:\n"
           "itself and the N − 1 tokens before it. The softmax excludes all other keys.\n"_s +
           value + u"\nBeltagy et al. 2020, Jiang et al. 2023; see formula 25"_s;
}

QString sinusoidalToolTip(const RotarySetup& setup) {
    const std::int64_t width = widthOf(setup);
    return u"The model adds a fixed embedding of position m to √C times the token embedding:\n"
           "PE(m, 2i) = sin(m/10000^(2i/C)), PE(m, 2i + 1) = cos(m/10000^(2i/C))\n"
           "C = %1 heads · %2 channels = %3, √C = %4\n"
           "Vaswani et al. 2017; formula 30 of the guide"_s.arg(groupedText(setup.heads), groupedText(setup.head_dim),
                                                                groupedText(width),
                                                                readableNumber(std::sqrt(static_cast<double>(width))));
}

namespace option {

constexpr FigureOption distances{"distances",
                                 FigureOption::Kind::whole,
                                 "The number of distances to show, starting at distance 0; 0 shows all "
                                 "distances of the context.",
                                 "number",
                                 "0",
                                 0,
                                 kMostEncodingDistances};
constexpr FigureOption layers{"layers", FigureOption::Kind::whole, "The number of layers of the model.", "number", "12",
                              1,        kMostReachLayers};
constexpr FigureOption attentionLayers{"attention-layers",
                                       FigureOption::Kind::text,
                                       "The attention of the layers: auto, or a pattern such as \"3 window + 1 full\".",
                                       "pattern",
                                       "auto",
                                       0,
                                       0,
                                       [](const QString& typed) { windows_of_layers(typed.toStdString(), 1, 1); }};
constexpr FigureOption fullEvery{
    "full-every",
    FigureOption::Kind::whole,
    "Every n-th layer attends to the whole context: short for the pattern \"(n − 1) window + 1 full\"; 0 sets no "
    "pattern.",
    "number",
    "0",
    0,
    kMostReachLayers};

}  // namespace option

namespace {

void checkReach(const FigureRequest& request) {
    if (request.has(option::fullEvery) && request.has(option::attentionLayers)) {
        throw BadInput("--full-every and --attention-layers both set the attention of the layers; use only one.");
    }
}

/// Its origin has the pattern of layers that --full-every means.
Figure chosenReach(const FigureRequest& request) {
    const EncodingChoices choices{.layers = request.whole(option::layers),
                                  .attention_layers = request.has(option::fullEvery)
                                                          ? full_every_pattern(request.whole(option::fullEvery))
                                                          : request.text(option::attentionLayers).toStdString()};
    Figure figure = ofSetups(request, [&](const RotarySetup& setup) { return reachFigure(setup, choices); });
    if (request.has(option::fullEvery)) {
        figure.origin.flags = {{option::fullEvery.name, QJsonValue::Null},
                               {option::attentionLayers.name, QString::fromStdString(choices.attention_layers)}};
    }
    return figure;
}

void checkEncodings(const FigureRequest& request) {
    for (const FigureOption* option : {&option::layer, &option::head}) {
        if (request.has(*option) && request.whole(*option) < 0) {
            throw BadInput("The figure encodings shows one layer and one head, so --" + std::string(option->name) +
                           " must be 0 or more.");
        }
    }
}

/// With the learned encodings of the lab if one is given.
Figure chosenEncodings(const FigureRequest& request) {
    std::int64_t head = request.has(option::head) ? request.whole(option::head) : 0;
    // Figures of earlier versions have no layer, and their heads count from 1.
    if (request.isRecorded() && request.has(option::head) && !request.has(option::layer)) --head;
    const EncodingChoices choices{.head = static_cast<int>(head) + 1,
                                  .distances = request.whole(option::distances),
                                  .layer = request.has(option::layer) ? request.whole(option::layer) : 0};
    const ComparedSetups setups = request.setups();
    LearnedPanels learned;
    std::unique_ptr<LabFile> lab;
    if (!request.sources().labPath().isEmpty()) {
        lab = LabFile::open(toPath(request.sources().labPath()), LabFile::Mode::read);
        learned = learnedPanels(*lab, choices, encodingDistances(setups.a, choices));
    }
    Figure figure = setups.b ? comparedEncodings({setups.a, {}}, {*setups.b, {}}, choices, learned)
                             : encodingsFigure(setups.a, choices, learned);
    if (!learned.empty()) figure.origin.lab = labOrigin(*lab, runsOf(learned));
    return figure;
}

}  // namespace

QJsonObject encodingFlags(const EncodingChoices& choices) {
    return {{option::layer.name, QString::number(choices.layer)},
            {option::head.name, QString::number(choices.head - 1)},
            {option::distances.name, QString::number(choices.distances)}};
}

std::span<const RotaryFigure> encodingFigures() {
    static const std::array<RotaryFigure, 5> figures = {{
        {"alibi-bias", [](const RotarySetup& setup, const ModelShape&) { return alibiFigure(setup); }, nullptr,
         "alibi-bias"},
        {"attention-mask", [](const RotarySetup& setup, const ModelShape&) { return maskFigure(setup); }, nullptr,
         "attention-mask"},
        {"sinusoidal-embeddings", [](const RotarySetup& setup, const ModelShape&) { return sinusoidalFigure(setup); },
         nullptr, "sinusoidal-embeddings"},
        {"window-reach",
         [](const RotarySetup& setup, const ModelShape&) { return reachFigure(setup, {}); },
         nullptr,
         "window-reach",
         {&option::layers, &option::attentionLayers, &option::fullEvery},
         chosenReach,
         FigureEntry::Lab::none,
         checkReach},
        {"encodings",
         [](const RotarySetup& setup, const ModelShape&) { return encodingsFigure(setup, {}); },
         [](const ShapedSetup& a, const ShapedSetup& b) { return comparedEncodings(a, b, {}); },
         "encodings",
         {&option::layer, &option::head, &option::distances},
         chosenEncodings,
         FigureEntry::Lab::optional,
         checkEncodings},
    }};
    return figures;
}

}  // namespace ropelab::ui
