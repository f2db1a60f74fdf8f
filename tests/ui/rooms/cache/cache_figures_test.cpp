#include "ui/rooms/cache/cache_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rope/rotation.h"
#include "ui/figure/export/export.h"
#include "ui/figure/paint/figure_head.h"

namespace ropelab::ui {
namespace {

RotarySetup small() {
    return {.head_dim = 8, .theta = 100, .context = 16};
}

/// Returns one cacheCell of a figure's map.
double cacheCell(const Figure& figure, int channel, int column) {
    return figure.map->values[channel * figure.map->columns + column];
}

TEST(CacheFigure, RepeatsEachAngleAtBothChannelsInHalfPairing) {
    const Figure figure = cacheTableFigure(small(), TablePart::cosine);
    ASSERT_EQ(figure.map->rows, 8);
    ASSERT_EQ(figure.map->columns, 16);
    for (int channel = 0; channel < 8; ++channel) {
        const double g = std::pow(100.0, -2.0 * (channel % 4) / 8);
        for (int m = 0; m < 16; ++m) {
            EXPECT_EQ(cacheCell(figure, channel, m), static_cast<float>(std::cos(m * g))) << channel << " " << m;
        }
    }
}

TEST(CacheFigure, PairsNeighbouringChannelsInInterleavedPairing) {
    RotarySetup setup = small();
    setup.pairing = Pairing::interleaved;
    EXPECT_EQ(pairsByChannel(setup), (std::vector<int>{0, 0, 1, 1, 2, 2, 3, 3}));
    const Figure figure = cacheTableFigure(setup, TablePart::sine);
    EXPECT_EQ(cacheCell(figure, 5, 3), static_cast<float>(std::sin(3 * std::pow(100.0, -4.0 / 8))));
    Figure marked = figure;
    markChannels(marked, setup, 2);
    ASSERT_EQ(marked.horizontalLines.size(), 2U);
    EXPECT_EQ(marked.horizontalLines[0].at, 4);
    EXPECT_EQ(marked.horizontalLines[1].at, 5);
    EXPECT_EQ(marked.horizontalLines[0].label, "pair 2");
    markChannels(marked, setup, std::nullopt);
    EXPECT_EQ(marked.horizontalLines.size(), 2U);
}

TEST(CacheFigure, FollowsSliceAndTruncate) {
    RotarySetup setup = small();
    setup.fraction = 0.5;
    EXPECT_EQ(pairsByChannel(setup), (std::vector<int>{0, 1, 0, 1}));
    setup.partial = Partial::truncate;
    EXPECT_EQ(pairsByChannel(setup), (std::vector<int>{0, 1, 2, 3, 0, 1, 2, 3}));
    const Figure figure = cacheTableFigure(setup, TablePart::cosine);
    EXPECT_EQ(cacheCell(figure, 3, 15), 1);  // an unrotated pair
    setup.fraction = 0;
    EXPECT_TRUE(cacheTableFigure(setup, TablePart::cosine).emptyText.contains("No channel rotates"));
    EXPECT_TRUE(cacheErrorFigure(setup).emptyText.contains("No channel rotates"));
}

TEST(CacheFigure, ShowsRoundedEntriesTimesTheAttentionFactor) {
    RotarySetup setup = small();
    setup.precision = NumberFormat::bfloat16;
    setup.scaling = {.method = ScalingMethod::yarn, .factor = 4};
    const Frequencies of = frequencies(frequency_settings(setup));
    ASSERT_GT(of.attention_factor, 1.1);
    const Figure figure = cacheTableFigure(setup, TablePart::cosine);
    const double exact = std::cos(5 * of.inverse_frequencies[1]) * of.attention_factor;
    EXPECT_EQ(cacheCell(figure, 1, 5), static_cast<float>(rounded(exact, NumberFormat::bfloat16)));
    EXPECT_EQ(figure.map->maximum, of.attention_factor);
}

TEST(CacheFigure, AnglesInBfloat16RoundPosition257To256) {
    RotarySetup setup = small();
    setup.context = 512;
    setup.precision = NumberFormat::bfloat16;
    const CacheOptions range{.anglesInFormat = true, .rangeStart = 250};
    const Figure figure = cacheTableFigure(setup, TablePart::cosine, range);
    ASSERT_EQ(figure.map->xFirst, 250);
    ASSERT_EQ(figure.map->columns, kRangeLength);
    EXPECT_EQ(cacheCell(figure, 0, 7), cacheCell(figure, 0, 6));  // 257 is rounded to 256
    const Figure exact = cacheTableFigure(setup, TablePart::cosine, {.rangeStart = 250});
    EXPECT_NE(cacheCell(exact, 0, 7), cacheCell(exact, 0, 6));
    EXPECT_TRUE(figure.note.contains("angles in bfloat16")) << figure.note.toStdString();
}

// In the sine table, sin = 0 and "not in the table" were both white.
TEST(CacheFigure, PartsWithoutAChannelAreGreyAndInTheLegend) {
    RotarySetup setup = small();
    Figure figure = cacheTableFigure(setup, TablePart::sine);
    EXPECT_FALSE(hasLabelledBlank(figure)) << "every row is a channel";
    const FigureStyle style = FigureStyle::screen(Theme::light(), 96.0 / 72);
    EXPECT_TRUE(FigureHead(figure, style, {420, 280}).legendTexts().isEmpty());
    figure.y.minimum = -0.5;
    figure.y.maximum = 2.0 * figure.map->rows - 0.5;  // as beside a setup with twice as many channels
    EXPECT_TRUE(hasLabelledBlank(figure));
    EXPECT_EQ(FigureHead(figure, style, {420, 280}).legendTexts(), QStringList{"not in the table"});
    EXPECT_NE(style.blankColor(), style.theme.paper);
}

TEST(CacheFigure, LongContextsHaveAnOddStrideThatTheNoteStates) {
    RotarySetup setup{.head_dim = 128, .context = 131072};
    const ShownPositions shown = shownPositions(setup, {});
    EXPECT_EQ(shown.stride % 2, 1);
    EXPECT_LE(shown.columns, 1024);
    EXPECT_GT(shown.columns, 900);
    const Figure figure = cacheTableFigure(setup, TablePart::cosine);
    EXPECT_EQ(figure.map->xStep, static_cast<double>(shown.stride));
    // A column has the mean of its positions; of the fastest pairs, which complete many periods in it, that of whole
    // ones.
    EXPECT_EQ(figure.map->label, "cosine, mean of 129 positions");
    EXPECT_EQ(cacheCell(figure, 0, 10), 0);
    EXPECT_TRUE(figure.note.endsWith("blank: pairs 0 to 25 with more than half a period per column, mean 0"));
    for (const int channel : {26, 40}) {
        double sum = 0;
        for (int position = 1290; position < 1290 + 129; ++position) {
            sum += std::cos(position * std::pow(setup.theta, -2.0 * channel / setup.head_dim));
        }
        EXPECT_NEAR(cacheCell(figure, channel, 10), sum / 129, 1e-6) << channel;
    }
    const Figure rounded = cacheTableFigure(setup, TablePart::cosine, {.anglesInFormat = true});
    EXPECT_TRUE(rounded.note.contains("every 129th position")) << rounded.note.toStdString();
    EXPECT_EQ(cacheCell(rounded, 0, 10), static_cast<float>(std::cos(1290.0)));
    setup.head_dim = 4096;
    EXPECT_LE(shownPositions(setup, {}).columns, 64);
    EXPECT_EQ(shownPositions(setup, {.rangeStart = 1 << 30}).first, 131072 - kRangeLength);
}

TEST(CacheFigure, SeparatesErrorsOfAnglesAndOfEntries) {
    RotarySetup setup{.head_dim = 64, .context = 1024, .precision = NumberFormat::bfloat16};
    Figure figure = cacheErrorFigure(setup);
    ASSERT_EQ(figure.curves.size(), 2U);
    EXPECT_EQ(figure.curves[0].label, "angles in bfloat16");
    EXPECT_EQ(figure.curves[1].label, "table in bfloat16");
    EXPECT_TRUE(figure.y.logarithmic);
    EXPECT_GT(figure.curves[0].y.first(), 1.0);
    EXPECT_LT(figure.curves[1].y.first(), 0.002);
    EXPECT_TRUE(figure.note.contains("all 1,024 positions")) << figure.note.toStdString();
    EXPECT_TRUE(cacheErrorFigure({.head_dim = 64, .context = 1024}).note.contains("no point: angles of pair 0"));
    markPair(figure, 5);
    EXPECT_EQ(figure.verticalLines.front().at, 5);
    setup.precision = NumberFormat::float64;
    EXPECT_TRUE(cacheErrorFigure(setup).emptyText.contains("float64"));
    EXPECT_TRUE(figureCsv(cacheErrorFigure({.precision = NumberFormat::float16})).contains("stored · largest error"));
}

TEST(CacheWords, StatesTheFirstWrongPosition) {
    RotarySetup setup{.context = 8192, .precision = NumberFormat::bfloat16};
    EXPECT_TRUE(positionsSentence(setup).contains("position 257")) << positionsSentence(setup).toStdString();
    EXPECT_TRUE(positionsSentence(setup).contains("wrong by up to 16 tokens"))
        << positionsSentence(setup).toStdString();
    setup.context = 258;
    EXPECT_TRUE(positionsSentence(setup).contains("up to 1 token.")) << positionsSentence(setup).toStdString();
    setup.context = 257;
    EXPECT_TRUE(positionsSentence(setup).contains("represents every position"))
        << positionsSentence(setup).toStdString();
    setup.context = 131072;
    setup.precision = NumberFormat::float16;
    EXPECT_TRUE(positionsSentence(setup).contains("2,049")) << positionsSentence(setup).toStdString();
    EXPECT_TRUE(positionsSentence(setup).contains("65,519")) << positionsSentence(setup).toStdString();
    setup.precision = NumberFormat::float32;
    EXPECT_TRUE(positionsSentence(setup).contains("16,777,217")) << positionsSentence(setup).toStdString();
}

TEST(CacheWords, StatesTheLargestPositionError) {
    for (const std::int64_t context : {258, 300, 512, 513, 600, 1030, 5000, 8192}) {
        double largest = 0;
        for (std::int64_t m = 0; m < context; ++m) {
            const auto position = static_cast<double>(m);
            largest = std::max(largest, std::abs(rounded(position, NumberFormat::bfloat16) - position));
        }
        const QString sentence =
            positionsSentence(RotarySetup{.context = context, .precision = NumberFormat::bfloat16});
        EXPECT_TRUE(sentence.contains(QStringLiteral("up to %1 token").arg(largest)))
            << context << " " << largest << " " << sentence.toStdString();
    }
}

TEST(CacheWords, SizesMatchReferenceValues) {
    const RotarySetup setup{.head_dim = 128, .context = 131072};
    EXPECT_TRUE(bytesSentence(setup).contains("128 MiB")) << bytesSentence(setup).toStdString();
    EXPECT_TRUE(bytesSentence(setup).contains("64 MiB")) << bytesSentence(setup).toStdString();
}

TEST(CacheFigures, AreFoundByName) {
    QStringList names;
    for (const RotaryFigure& each : cacheFigures()) {
        const Figure figure = each.make(small(), {});
        EXPECT_EQ(figure.name, each.name);
        EXPECT_FALSE(figure.summary.isEmpty());
        EXPECT_FALSE(isEmpty(figure));
        names << figure.name;
    }
    EXPECT_EQ(names, QStringList({"cosine-table", "sine-table", "table-error"}));
}

}  // namespace
}  // namespace ropelab::ui
