#include "ui/rooms/cache/cache_figures.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "core/rope/cosine_sum.h"
#include "core/rope/logit.h"
#include "core/rope/memory.h"
#include "core/rope/rotation.h"
#include "ui/common/format.h"
#include "ui/common/text.h"
#include "ui/figure/ticks.h"

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr std::int64_t kMaxCells = 262144;
constexpr int kMinColumns = 64;

QJsonObject settingsOf(const RotarySetup& setup) {
    return {{u"setup"_s, QString::fromStdString(text_of(setup))}, {u"precision"_s, text(word_of(setup.precision))}};
}

QString ordinal(std::int64_t number) {
    const bool teen = number % 100 / 10 == 1;
    const std::int64_t last = number % 10;
    const char* end = teen || last == 0 || last > 3 ? "th" : last == 1 ? "st" : last == 2 ? "nd" : "rd";
    return groupedText(number) + QLatin1String(end);
}

bool hasNoRotation(const RotarySetup& setup) {
    return rotary_dim(setup) == 0;
}

const QString& noRotationText() {
    static const QString sentence = u"No channel rotates: the rotated fraction is 0, so there is no cos/sin table."_s;
    return sentence;
}

/// Mean of cos(mω) over `count` positions m, an odd number, around `position` is this times cos(position·ω); the same
/// holds for sin. Without it, fast pairs sampled at every count-th position would show waves that are not there.
double meanFactor(double frequency, std::int64_t count) {
    const double denominator = static_cast<double>(count) * std::sin(frequency / 2);
    return denominator == 0 ? 1 : std::sin(static_cast<double>(count) * frequency / 2) / denominator;
}

/// More than half a period within one column: neighbouring columns cannot show such a wave, only a slower one that is
/// not there. These pairs have the value 0, their mean over whole periods.
bool isTooFast(double frequency, const ShownPositions& shown) {
    return shown.middle > 0 && frequency * static_cast<double>(shown.stride) > std::numbers::pi;
}

/// One row per pair; the figure repeats each row for both channels of the pair. A column of several positions has their
/// mean, except for rounded angles: a mean would hide what the rounding of one position does.
std::vector<float> tableOfPairs(const Frequencies& now, TablePart part, const CacheOptions& options,
                                const ShownPositions& shown, NumberFormat format) {
    const auto columns = static_cast<std::size_t>(shown.columns);
    const bool isShort = bytes_of(format) < 4;
    std::vector<float> values;
    values.reserve(now.inverse_frequencies.size() * columns);
    for (const double frequency : now.inverse_frequencies) {
        const double mean = isTooFast(frequency, shown) ? 0
                            : shown.middle > 0          ? meanFactor(frequency, shown.stride)
                                                        : 1;
        const double factor = now.attention_factor * mean;
        AngleWalk walk(static_cast<double>(shown.stride) * frequency, factor);
        for (std::size_t column = 0; column < columns; ++column) {
            const std::int64_t position = shown.first + static_cast<std::int64_t>(column) * shown.stride + shown.middle;
            const std::size_t step = column % AngleWalk::block;
            double value = 0;
            if (options.anglesInFormat) {
                const double angle = table_angle(position, frequency, format, true);
                value = factor * (part == TablePart::cosine ? std::cos(angle) : std::sin(angle));
            } else {
                if (step == 0) walk.start(table_angle(position, frequency, format, false));
                value = (part == TablePart::cosine ? walk.cosines : walk.sines)[step];
            }
            // The figure's map has float32 values, so longer formats need no rounding.
            values.push_back(static_cast<float>(isShort ? rounded(value, format) : value));
        }
    }
    return values;
}

FigureCurve errorCurve(const std::vector<double>& errors, const QString& label, Ink ink) {
    FigureCurve curve;
    curve.label = label;
    curve.quantity = u"largest absolute error"_s;
    curve.ink = ink;
    for (std::size_t i = 0; i < errors.size(); ++i) {
        curve.x.append(static_cast<double>(i));
        // A logarithmic axis cannot show zero and infinity; the figure's table contains them.
        curve.y.append(errors[i] > 0 ? errors[i] : std::numeric_limits<double>::quiet_NaN());
    }
    return curve;
}

/// The largest |rounded(m) − m| for m < context, computed from the spacing of the format's numbers. The context must be
/// longer than the first wrong position.
double largestPositionError(NumberFormat format, std::int64_t context) {
    const std::int64_t last = context - 1;
    double octave =
        static_cast<double>(first_inexact_position(format) - 1);  // the format's numbers are 2 apart from here
    double half = 1;
    while (2 * octave <= static_cast<double>(last)) {
        octave *= 2;
        half *= 2;
    }
    const double into = static_cast<double>(last) - octave;
    return into >= half ? half : std::max(into, half / 2);
}

}  // namespace

ShownPositions shownPositions(const RotarySetup& setup, const CacheOptions& options) {
    ShownPositions shown;
    std::int64_t count = setup.context;
    if (options.rangeStart) {
        shown.first = std::clamp<std::int64_t>(*options.rangeStart, 0, std::max<std::int64_t>(0, count - kRangeLength));
        count = std::min(kRangeLength, count - shown.first);
    }
    const auto rows = static_cast<std::int64_t>(std::max<std::size_t>(1, pairsByChannel(setup).size()));
    const std::int64_t most =
        std::clamp<std::int64_t>(std::min<std::int64_t>(options.maxColumns, kMaxCells / rows), kMinColumns, 1024);
    shown.stride = (count + most - 1) / most;
    shown.stride += shown.stride % 2 == 0 ? 1 : 0;
    shown.columns = static_cast<int>((count - 1) / shown.stride + 1);
    if (!options.anglesInFormat) shown.middle = shown.stride / 2;
    return shown;
}

std::vector<int> pairsByChannel(const RotarySetup& setup) {
    const std::vector<ChannelPair> pairs =
        channel_pairs(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    std::vector<int> result(2 * pairs.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        result[pairs[i].first] = static_cast<int>(i);
        result[pairs[i].second] = static_cast<int>(i);
    }
    return result;
}

Figure cacheTableFigure(const RotarySetup& setup, TablePart part, const CacheOptions& options) {
    const bool isCosine = part == TablePart::cosine;
    Figure figure;
    figure.name = isCosine ? u"cosine-table"_s : u"sine-table"_s;
    figure.x.label = u"position"_s;
    figure.x.unit = u"tokens"_s;
    figure.y.label = u"channel"_s;
    figure.settings = settingsOf(setup);
    if (hasNoRotation(setup)) {
        figure.emptyText = noRotationText();
        figure.summary = figure.emptyText;
        return figure;
    }
    const ShownPositions shown = shownPositions(setup, options);
    const Frequencies now = frequencies(frequency_settings(setup));
    const std::vector<float> ofPairs = tableOfPairs(now, part, options, shown, setup.precision);
    const std::vector<int> channels = pairsByChannel(setup);

    FigureMap map;
    map.label = isCosine ? u"cosine"_s : u"sine"_s;
    if (shown.middle > 0) map.label += u", mean of %1 positions"_s.arg(groupedText(shown.stride));
    map.columns = shown.columns;
    map.rows = static_cast<int>(channels.size());
    map.values.resize(static_cast<qsizetype>(map.rows) * map.columns);
    float* next = map.values.data();
    for (const int pair : channels) {
        const auto row = ofPairs.begin() + static_cast<std::ptrdiff_t>(pair) * shown.columns;
        next = std::copy_n(row, shown.columns, next);
    }
    map.xFirst = static_cast<double>(shown.first + shown.middle);
    map.xStep = static_cast<double>(shown.stride);
    map.scale = FigureMap::Scale::diverging;
    map.minimum = -now.attention_factor;
    map.maximum = now.attention_factor;
    map.blankLabel = u"not in the table"_s;  // sin = 0 has the colour of the background
    figure.map = std::move(map);

    QStringList notes;
    const auto pairs = static_cast<qsizetype>(channels.size() / 2);
    notes << (setup.pairing == Pairing::half ? u"channels i and i + %1 are a pair with the same angle"_s.arg(pairs)
                                             : u"channels 2i and 2i + 1 are a pair with the same angle"_s);
    if (options.anglesInFormat) {
        notes << u"angles in %1"_s.arg(text(word_of(setup.precision)));
    }
    if (shown.stride > 1 && shown.middle == 0) {
        notes << u"every %1 position"_s.arg(ordinal(shown.stride));
    }
    const auto fast =
        std::ranges::count_if(now.inverse_frequencies, [&](double frequency) { return isTooFast(frequency, shown); });
    if (fast > 0) {
        notes << u"blank: %1 with more than half a period per column, mean 0"_s.arg(
            fast == 1 ? u"pair 0"_s : u"pairs 0 to %1"_s.arg(fast - 1));
    }
    figure.note = notes.join(u", "_s);
    figure.settings.insert(u"angles"_s, options.anglesInFormat ? text(word_of(setup.precision)) : u"float64"_s);
    figure.settings.insert(u"stride"_s, static_cast<double>(shown.stride));
    figure.summary =
        u"The table shows the %1 of %2 channels at %3 positions from position %4 (%5 pairing, stored in %6)."_s
            .arg(isCosine ? u"cosines"_s : u"sines"_s)
            .arg(channels.size())
            .arg(shown.columns)
            .arg(shown.first)
            .arg(setup.pairing == Pairing::half ? u"half"_s : u"interleaved"_s, text(word_of(setup.precision)));
    return figure;
}

void markChannels(Figure& figure, const RotarySetup& setup, std::optional<int> pair) {
    if (!pair || !figure.map) {
        return;
    }
    const std::vector<ChannelPair> pairs =
        channel_pairs(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    if (static_cast<std::size_t>(*pair) >= pairs.size()) {
        return;
    }
    const ChannelPair& channels = pairs[static_cast<std::size_t>(*pair)];
    const Ink ink{Ink::Kind::text};
    figure.horizontalLines.push_back({static_cast<double>(channels.first), u"pair %1"_s.arg(*pair), ink});
    figure.horizontalLines.push_back({static_cast<double>(channels.second), {}, ink});
}

Figure cacheErrorFigure(const RotarySetup& setup) {
    Figure figure;
    figure.name = u"table-error"_s;
    figure.x.label = u"pair"_s;
    figure.x.whole = true;
    figure.y.label = u"largest absolute error of cos and sin in %1"_s.arg(text(word_of(setup.precision)));
    figure.y.logarithmic = true;
    figure.settings = settingsOf(setup);
    if (hasNoRotation(setup)) {
        figure.emptyText = noRotationText();
    } else if (setup.precision == NumberFormat::float64) {
        figure.emptyText =
            u"The precision float64 is the reference for the errors. Choose a lower precision to see "
            "its errors."_s;
    }
    if (!figure.emptyText.isEmpty()) {
        figure.summary = figure.emptyText;
        return figure;
    }
    const Frequencies now = frequencies(frequency_settings(setup));
    const TableErrors errors = table_errors(now, setup.context, setup.precision);
    const QString word = text(word_of(setup.precision));
    figure.x.minimum = -0.5;
    figure.x.maximum = static_cast<double>(now.inverse_frequencies.size()) - 0.5;
    figure.curves.push_back(errorCurve(errors.computed, u"angles in %1"_s.arg(word), Ink::data(1)));
    figure.curves.push_back(errorCurve(errors.stored, u"table in %1"_s.arg(word), Ink::data(2)));

    figure.table = {{u"pair"_s, u"angles · largest error"_s, u"stored · largest error"_s},
                    {figure.curves[0].x, QList<double>(errors.computed.begin(), errors.computed.end()),
                     QList<double>(errors.stored.begin(), errors.stored.end())}};

    const QString positions = errors.stride > 1 ? u"every %1 position up to the last one"_s.arg(ordinal(errors.stride))
                                                : u"all %1 positions"_s.arg(groupedText(setup.context));
    figure.note = u"maximum over "_s + positions;
    figure.valuesNote = u"numbers at the right: values of the last pair"_s;
    QList<double> computed(errors.computed.begin(), errors.computed.end());
    const qsizetype lost = computed.removeIf([](double error) { return !std::isfinite(error); });
    const auto exact = std::ranges::count(errors.computed, 0.0);
    if (exact > 0) {
        figure.note += u"; no error, and so no point: angles of %1"_s.arg(
            exact == 1 && errors.computed.front() == 0 ? u"pair 0"_s : countText(exact, u"pair"_s));
    }
    if (lost > 0) figure.note += u"; gaps: angles above the largest %1 number"_s.arg(word);
    figure.settings.insert(u"stride"_s, static_cast<double>(errors.stride));
    figure.summary = u"Storing the table in %1 causes errors of at most %2 (maximum over %3)."_s.arg(
        word, readableNumber(std::ranges::max(errors.stored)), positions);
    if (!computed.isEmpty()) {
        figure.summary += u" Computing the angles in %1 causes errors of up to %2."_s.arg(
            word, readableNumber(std::ranges::max(computed)));
    }
    if (lost > 0) {
        figure.summary += u" The angles of %1 are above the largest %2 number at some positions."_s.arg(
            countText(lost, u"pair"_s), word);
    }
    return figure;
}

void markPair(Figure& figure, std::optional<int> pair) {
    if (pair && !figure.curves.empty()) {
        figure.verticalLines.push_back({static_cast<double>(*pair), u"pair %1"_s.arg(*pair), {Ink::Kind::accent}});
    }
}

QString positionsSentence(const RotarySetup& setup) {
    const QString word = text(word_of(setup.precision));
    const std::int64_t wrong = first_inexact_position(setup.precision);
    if (setup.context <= wrong) {
        return u"%1 represents every position of this context exactly; the first position that it rounds is %2."_s.arg(
            word, groupedText(wrong));
    }
    QString sentence = u"%1 rounds position %2; positions of this context are wrong by up to %3."_s.arg(
        word, groupedText(wrong),
        countText(std::llround(largestPositionError(setup.precision, setup.context)), u"token"_s));
    if (!std::isfinite(rounded(static_cast<double>(setup.context - 1), setup.precision))) {
        sentence += u" Positions above 65,519 overflow to infinity."_s;
    }
    return sentence;
}

QString bytesSentence(const RotarySetup& setup) {
    const int rotated = rotary_dim(setup);
    if (rotated == 0) {
        return noRotationText();
    }
    const int bytes = bytes_of(setup.precision);
    QString sentence = u"Table size: %1 (%2 if each angle is stored once)."_s.arg(
        binarySize(rope_cache_bytes(rotated, setup.context, bytes, TableLayout::duplicated)),
        binarySize(rope_cache_bytes(rotated, setup.context, bytes, TableLayout::single)));
    if (setup.partial == Partial::truncate && rotated < setup.head_dim) {
        sentence += u" With the unrotated pairs in the table, the size of the table is %1."_s.arg(
            binarySize(rope_cache_bytes(setup.head_dim, setup.context, bytes, TableLayout::duplicated)));
    }
    return sentence;
}

std::span<const RotaryFigure> cacheFigures() {
    static const std::array<RotaryFigure, 3> figures = {{
        {"cosine-table",
         [](const RotarySetup& setup, const ModelShape&) { return cacheTableFigure(setup, TablePart::cosine); }},
        {"sine-table",
         [](const RotarySetup& setup, const ModelShape&) { return cacheTableFigure(setup, TablePart::sine); }},
        {"table-error", [](const RotarySetup& setup, const ModelShape&) { return cacheErrorFigure(setup); }},
    }};
    return figures;
}

}  // namespace ropelab::ui
