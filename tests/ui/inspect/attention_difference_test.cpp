#include "ui/inspect/attention_difference.h"

#include <QImage>

#include "tests/ui/inspect/inspect_fixture.h"
#include "ui/figure/export.h"
#include "ui/inspect/attention_figures.h"

namespace ropelab::ui {
namespace {

/// Two runs; the second reads key 0 by 0.25 more in the last query of layer 1, head 1, and key 1 by that much less.
InspectData twoRuns(const std::function<void(InsideRun&, ProbeResult&)>& change = {}) {
    InspectData data;
    data.run = std::make_shared<const InsideRun>(testRun(1, 100));
    InsideRun other = testRun(2, 10000);
    ProbeResult result = seenAt(100);
    auto& values = result.attention.values;
    const std::size_t row = values.size() - testMap;
    values[row] += 0.25F;
    values[row + 1] -= 0.25F;
    if (change) change(other, result);
    other.take({100, std::make_shared<const ProbeResult>(result)});
    data.ghost = std::make_shared<const InsideRun>(std::move(other));
    data.iteration = 100;
    data.choices.difference = true;
    data.choices.layer = 1;
    data.choices.head = 1;
    return data;
}

TEST(AttentionDifference, IsTheFirstRunMinusTheSecond) {
    InspectData data = twoRuns();
    const Figure figure = attentionMap(data).figure;
    ASSERT_TRUE(figure.map) << figure.emptyText.toStdString();
    EXPECT_EQ(figure.map->scale, FigureMap::Scale::diverging);
    const auto at = [&figure](int query, int key) { return figure.map->values[query * testMap + key]; };
    EXPECT_FLOAT_EQ(at(testMap - 1, 0), -0.25F);
    EXPECT_FLOAT_EQ(at(testMap - 1, 1), 0.25F);
    EXPECT_FLOAT_EQ(at(2, 1), 0);
    EXPECT_TRUE(std::isnan(at(1, 2)));
    EXPECT_FLOAT_EQ(static_cast<float>(figure.map->range().maximum), 0.25F);
    EXPECT_DOUBLE_EQ(figure.map->range().minimum, -figure.map->range().maximum);
    // Colours mean the same at every step, also where the runs do not differ.
    data.iteration = 0;
    EXPECT_FLOAT_EQ(static_cast<float>(attentionMap(data).figure.map->range().maximum), 0.25F);
    data.iteration = 100;
    EXPECT_TRUE(figure.note.contains("−")) << figure.note.toStdString();
    // The mean over the two heads of the layer.
    data.choices.head = -1;
    EXPECT_FLOAT_EQ(attentionMap(data).figure.map->values[(testMap - 1) * testMap], -0.125F);
    EXPECT_FLOAT_EQ(static_cast<float>(attentionMap(data).figure.map->range().maximum), 0.125F);
    // A layer in which they do not differ: nothing is in the colours of a difference.
    data.choices.layer = 0;
    EXPECT_DOUBLE_EQ(attentionMap(data).figure.map->range().minimum, -1);
    EXPECT_DOUBLE_EQ(attentionMap(data).figure.map->range().maximum, 1);
    data.choices.layer = 1;
    data.choices.difference = false;
    EXPECT_EQ(attentionMap(data).figure.map->scale, FigureMap::Scale::magnitude);
}

TEST(AttentionDifference, AllHeadsShowTheirs) {
    const Figure figure = attentionGrid(twoRuns()).figure;
    EXPECT_TRUE(figure.drawing);
    EXPECT_TRUE(figure.summary.contains("full colour: ±0.25")) << figure.summary.toStdString();
    EXPECT_EQ(figure.table.names.last(), "difference of shares");
    double most = 0;
    for (const double value : figure.table.columns.last()) most = std::max(most, value);
    EXPECT_DOUBLE_EQ(most, 0.25);
}

TEST(AttentionDifference, MoreIsOrangeAndLessIsBlue) {
    // The second run reads key 0 by 0.25 more (blue) and key 1 by that much less (red).
    const ExportOptions options{.format = FigureFormat::png, .widthMm = 80, .heightMm = 80, .dpi = 96};
    const QImage image = figureImage(attentionGrid(twoRuns()).figure, options);
    int red = 0;
    int blue = 0;
    int leftmostRed = image.width();
    int leftmostBlue = image.width();
    for (int y = image.height() / 2; y < image.height() * 9 / 10; ++y) {
        for (int x = image.width() / 2; x < image.width(); ++x) {
            const QColor color = image.pixelColor(x, y);
            if (color.red() > color.blue() + 80) {
                ++red;
                leftmostRed = std::min(leftmostRed, x);
            } else if (color.blue() > color.red() + 80) {
                ++blue;
                leftmostBlue = std::min(leftmostBlue, x);
            }
        }
    }
    EXPECT_GT(red, 20);
    EXPECT_GT(blue, 20);
    EXPECT_LT(leftmostBlue, leftmostRed);
}

TEST(AttentionDifference, ColoursMeanTheSameInEveryFrame) {
    InspectData data = twoRuns();
    data.iteration = 50;  // no difference at this step
    EXPECT_TRUE(attentionGrid(data).figure.summary.contains("full colour: ±0.25"))
        << attentionGrid(data).figure.summary.toStdString();
}

TEST(AttentionDifference, TellsTheStepsOfBothRuns) {
    InspectData data = twoRuns();
    EXPECT_TRUE(attentionDifferenceNote(data).startsWith("step 100: "));
    InsideRun shorter = *data.ghost;
    shorter.cutBack(50);
    data.ghost = std::make_shared<const InsideRun>(std::move(shorter));
    EXPECT_EQ(attentionDifferenceNote(data), "step 100 of θ = 100 − step 50 of θ = 10000");
}

TEST(AttentionDifference, SaysWhyThereIsNone) {
    const auto why = [](const InspectData& data) { return attentionMap(data).figure.emptyText; };
    EXPECT_TRUE(
        why(twoRuns([](InsideRun&, ProbeResult& result) { result.map_tokens[0] = 3; })).contains("other texts"));
    EXPECT_TRUE(why(twoRuns([](InsideRun& run, ProbeResult&) {
                    run.vocabulary = "characters:33,97";
                })).contains("other texts"));
    EXPECT_TRUE(why(twoRuns([](InsideRun&, ProbeResult& result) {
                    result.attention = filled({1, testHeads, testMap, testMap}, 0, 0);
                })).contains("other layers, heads"));
    EXPECT_TRUE(why(twoRuns([](InsideRun&, ProbeResult& result) { result.attention = {}; })).contains("no attention"));
    InspectData data = twoRuns();
    data.text = data.run->snapshots.front().result;
    EXPECT_TRUE(why(data).contains("clear it to see the difference"));
    data.text.reset();
    data.ghost.reset();
    EXPECT_TRUE(why(data).contains("Choose a second run"));
    EXPECT_TRUE(attentionGrid(data).figure.emptyText.contains("Choose a second run"));
}

}  // namespace
}  // namespace ropelab::ui
