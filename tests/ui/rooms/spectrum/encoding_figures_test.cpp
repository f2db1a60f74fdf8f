#include "ui/rooms/spectrum/spectrum_figures.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "core/rope/encodings.h"
#include "ui/figure/export/export.h"
#include "ui/window/frame/figures.h"

namespace ropelab::ui {
namespace {

RotarySetup setupOf(std::int64_t heads, std::int64_t context, std::int64_t window = 0, int headDim = 16) {
    return {.head_dim = headDim, .context = context, .heads = heads, .attention_window = window};
}

float cell(const Figure& figure, int row, int column) {
    return figure.map->values[static_cast<qsizetype>(row) * figure.map->columns + column];
}

qsizetype countOfEncodings(const Figure& figure, float value) {
    return std::count(figure.map->values.begin(), figure.map->values.end(), value);
}

qsizetype emptyCells(const Figure& figure) {
    return std::count_if(figure.map->values.begin(), figure.map->values.end(),
                         [](float value) { return std::isnan(value); });
}

TEST(AlibiFigure, BiasIsMinusSlopeTimesDistance) {
    for (const std::int64_t heads : {1, 8, 12}) {
        const Figure figure = alibiFigure(setupOf(heads, 200));
        const std::vector<double> slopes = alibi_slopes(static_cast<std::size_t>(heads));
        ASSERT_EQ(figure.map->rows, heads);
        ASSERT_EQ(figure.map->columns, 200);
        for (int head = 0; head < heads; ++head) {
            for (const int distance : {0, 1, 7, 199}) {
                const double bias = -slopes[static_cast<std::size_t>(head)] * distance;
                EXPECT_FLOAT_EQ(cell(figure, head, distance), static_cast<float>(bias)) << heads << ", " << head;
            }
        }
        EXPECT_EQ(emptyCells(figure), 0);
    }
}

TEST(AlibiFigure, LabelsSlopesAndUnit) {
    const Figure figure = alibiFigure(setupOf(8, 16));
    EXPECT_EQ(figure.map->title(), "bias of the logit (nats)");
    EXPECT_EQ(figure.map->scale, FigureMap::Scale::magnitude);
    EXPECT_EQ(figure.x.title(), "distance (tokens)");
    ASSERT_EQ(figure.y.categories.size(), 8);
    EXPECT_EQ(figure.y.categories.first(), "head 1, slope 1/2");
    EXPECT_EQ(figure.y.categories.last(), "head 8, slope 1/256");
    EXPECT_EQ(figure.note, "heads are counted from 1");
    EXPECT_EQ(figure.map->maximum, 0);
    EXPECT_EQ(figure.map->minimum, -7.5);
    // The bias at distance 0 is +0, so that no text shows −0.
    EXPECT_FALSE(std::signbit(cell(figure, 0, 0)));
    EXPECT_EQ(figure.table.columns[0].size(), 8 * 16);
    EXPECT_EQ(figure.table.columns[3].last(), -15.0 / 256);
}

TEST(AlibiFigure, IsEmptyBeyondTheSlidingWindow) {
    const Figure figure = alibiFigure(setupOf(4, 200, 20));
    ASSERT_EQ(figure.map->columns, 40) << "the figure shows twice the length of the sliding window";
    for (int distance = 0; distance < 40; ++distance) {
        EXPECT_EQ(std::isnan(cell(figure, 3, distance)), distance >= 20) << distance;
    }
    EXPECT_TRUE(figure.note.contains("empty: distances beyond the sliding window of 20 tokens"))
        << figure.note.toStdString();
    EXPECT_EQ(figure.table.columns[0].size(), 4 * 20);
    EXPECT_TRUE(figure.settings.value("setup").toString().contains("attention_window=20"));
    // A sliding window as long as the context masks no distance.
    EXPECT_EQ(emptyCells(alibiFigure(setupOf(4, 20, 20))), 0);
}

TEST(AlibiFigure, NotesOmittedHeadsAndDistances) {
    const Figure figure = alibiFigure(setupOf(200, 1 << 20));
    EXPECT_EQ(figure.map->rows, kMostEncodingRows);
    EXPECT_EQ(figure.map->columns, kMostEncodingColumns);
    EXPECT_EQ(figure.map->xStep, 4096);
    EXPECT_EQ(figure.map->minimum, kLeastBias);
    EXPECT_EQ(figure.note,
              "first 128 of 200 heads; heads are counted from 1; distances in steps of 4,096 tokens; the colour scale "
              "ends at −16 nats");
    EXPECT_FLOAT_EQ(cell(figure, 0, 2), static_cast<float>(-alibi_slopes(200)[0] * 8192));
}

TEST(MaskFigure, CountsVisibleKeysOfEachQuery) {
    for (const std::int64_t window : {0, 1, 5, 16, 64}) {
        const Figure figure = maskFigure(setupOf(8, 16, window));
        ASSERT_EQ(figure.map->rows, 16);
        ASSERT_EQ(figure.map->columns, 16);
        qsizetype visible = 0;
        for (std::int64_t query = 0; query < 16; ++query) {
            visible += window == 0 ? query + 1 : std::min<std::int64_t>(query + 1, window);
        }
        EXPECT_EQ(countOfEncodings(figure, kVisible), visible) << window;
        EXPECT_EQ(emptyCells(figure), 16 * 15 / 2) << window;
        EXPECT_EQ(countOfEncodings(figure, kOutsideWindow), 16 * 17 / 2 - visible) << window;
    }
    const Figure figure = maskFigure(setupOf(8, 16, 5));
    EXPECT_TRUE(figure.y.downwards) << "query 0 is at the top";
    EXPECT_EQ(cell(figure, 10, 6), kVisible);
    EXPECT_EQ(cell(figure, 10, 5), kOutsideWindow);
    EXPECT_TRUE(std::isnan(cell(figure, 10, 11)));
    EXPECT_TRUE(figure.note.contains("sliding window of 5 tokens")) << figure.note.toStdString();
    EXPECT_FALSE(figure.note.contains("first"));
}

TEST(MaskFigure, NotesThatALongContextIsTruncated) {
    const Figure figure = maskFigure(setupOf(8, 4096));
    EXPECT_EQ(figure.map->rows, kMostMaskPositions);
    EXPECT_TRUE(figure.note.contains("first 64 of 4,096 positions")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("the whole context of 4,096 tokens"));
}

TEST(SinusoidalFigure, UsesTheWidthOfTheModel) {
    const RotarySetup setup = setupOf(4, 50);  // 64 channels
    const Figure figure = sinusoidalFigure(setup);
    const std::vector<double> rows = sinusoidal_embeddings(50, 64);
    ASSERT_EQ(figure.map->columns, 50);
    ASSERT_EQ(figure.map->rows, 64);
    for (int channel = 0; channel < 64; ++channel) {
        for (int position = 0; position < 50; ++position) {
            EXPECT_FLOAT_EQ(cell(figure, channel, position),
                            static_cast<float>(rows[static_cast<std::size_t>(position * 64 + channel)]));
        }
    }
    EXPECT_EQ(figure.map->scale, FigureMap::Scale::diverging);
    EXPECT_EQ(figure.map->minimum, -1);
    EXPECT_EQ(figure.map->maximum, 1);
    EXPECT_EQ(figure.note, "64 channels");
}

TEST(SinusoidalFigure, WideModelShowsSines) {
    const Figure figure = sinusoidalFigure(setupOf(8, 1000, 0, 64));  // 512 channels
    EXPECT_EQ(figure.map->yStep, 4) << "with odd steps, rows of sines and cosines would alternate";
    EXPECT_LE(figure.map->rows, kMostEncodingRows);
    EXPECT_EQ(figure.map->columns, kMostEncodingColumns);
    EXPECT_EQ(figure.note, "128 of 512 channels, in steps of 4, all of them sines; first 256 of 1,000 positions");
    const std::vector<double> rows = sinusoidal_embeddings(100, 512);
    for (const int row : {0, 1, 50, 126, 127}) {
        EXPECT_FLOAT_EQ(cell(figure, row, 99), static_cast<float>(rows[static_cast<std::size_t>(99 * 512 + 4 * row)]));
    }
}

TEST(EncodingFigures, ToolTipsContainTheValuesOfTheSetup) {
    const RotarySetup setup = setupOf(12, 4096, 256, 64);
    EXPECT_TRUE(alibiToolTip(setup).contains("H = 12 heads")) << alibiToolTip(setup).toStdString();
    EXPECT_TRUE(alibiToolTip(setup).contains("Δ = 0 … 255 tokens"));
    EXPECT_TRUE(alibiToolTip(setup).contains("slopes of 8 heads come first"));
    EXPECT_TRUE(alibiToolTip(setup).contains("formula 25"));
    EXPECT_FALSE(alibiToolTip(setupOf(8, 4096)).contains("not a power of two"));
    EXPECT_TRUE(maskToolTip(setup).contains("N = 256 tokens")) << maskToolTip(setup).toStdString();
    EXPECT_TRUE(maskToolTip(setupOf(8, 4096)).contains("N = L = 4,096 tokens"));
    EXPECT_TRUE(sinusoidalToolTip(setup).contains("12 heads · 64 channels = 768"))
        << sinusoidalToolTip(setup).toStdString();
    EXPECT_TRUE(sinusoidalToolTip(setup).contains("formula 30"));
}

TEST(EncodingFigures, AreFoundByName) {
    QStringList names;
    for (const RotaryFigure& each : encodingFigures()) {
        const Figure figure = each.make(setupOf(8, 300, 40), {});
        EXPECT_EQ(figure.name, each.name);
        EXPECT_FALSE(isEmpty(figure));
        EXPECT_TRUE(figureCsv(figure).contains("attention_window=40"));
        EXPECT_NE(findRotaryFigure(figure.name), nullptr);
        names << figure.name;
    }
    EXPECT_EQ(names,
              QStringList({"alibi-bias", "attention-mask", "sinusoidal-embeddings", "window-reach", "encodings"}));
}

}  // namespace
}  // namespace ropelab::ui
