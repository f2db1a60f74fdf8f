#include "ui/rooms/inspect/figures/figures.h"

#include <QImage>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

/// Returns data with two runs. In layer 1, head 1, the second run's last query has 0.25 more attention weight on key 0
/// and 0.25 less on key 1. `change` can modify the second run and its result.
InspectData twoRuns(const std::function<void(InsideRun&, ProbeResult&)>& change = {}) {
    InspectData data;
    data.run = std::make_shared<const InsideRun>(testRun(1, 100));
    InsideRun other = testRun(2, 10000);
    ProbeResult result = probeResultAt(100);
    auto& values = result.attention.values;
    const std::size_t row = values.size() - kTestMapSize;
    values[row] += 0.25F;
    values[row + 1] -= 0.25F;
    if (change) change(other, result);
    other.addSnapshot({100, std::make_shared<const ProbeResult>(result)});
    data.ghost = std::make_shared<const InsideRun>(std::move(other));
    data.iteration = 100;
    data.choices.difference = true;
    data.choices.layer = 1;
    data.choices.head = 1;
    return data;
}

TEST(AttentionDifference, IsTheFirstRunMinusTheSecond) {
    InspectData data = twoRuns();
    const Figure figure = drawn("attention-map", data).figure;
    ASSERT_TRUE(figure.map) << figure.emptyText.toStdString();
    EXPECT_EQ(figure.map->scale, FigureMap::Scale::diverging);
    const auto at = [&figure](int query, int key) { return figure.map->values[query * kTestMapSize + key]; };
    EXPECT_FLOAT_EQ(at(kTestMapSize - 1, 0), -0.25F);
    EXPECT_FLOAT_EQ(at(kTestMapSize - 1, 1), 0.25F);
    EXPECT_FLOAT_EQ(at(2, 1), 0);
    EXPECT_TRUE(std::isnan(at(1, 2)));
    EXPECT_FLOAT_EQ(static_cast<float>(figure.map->range().maximum), 0.25F);
    EXPECT_DOUBLE_EQ(figure.map->range().minimum, -figure.map->range().maximum);
    // The colour scale is equal at all steps, also where the runs do not differ.
    data.iteration = 0;
    EXPECT_FLOAT_EQ(static_cast<float>(drawn("attention-map", data).figure.map->range().maximum), 0.25F);
    data.iteration = 100;
    EXPECT_TRUE(figure.note.contains("−")) << figure.note.toStdString();
    // The map shows the mean over the two heads of the layer.
    data.choices.head = -1;
    EXPECT_FLOAT_EQ(drawn("attention-map", data).figure.map->values[(kTestMapSize - 1) * kTestMapSize], -0.125F);
    EXPECT_FLOAT_EQ(static_cast<float>(drawn("attention-map", data).figure.map->range().maximum), 0.125F);
    // In a layer without differences, the colour scale has its default range.
    data.choices.layer = 0;
    EXPECT_DOUBLE_EQ(drawn("attention-map", data).figure.map->range().minimum, -1);
    EXPECT_DOUBLE_EQ(drawn("attention-map", data).figure.map->range().maximum, 1);
    data.choices.layer = 1;
    data.choices.difference = false;
    EXPECT_EQ(drawn("attention-map", data).figure.map->scale, FigureMap::Scale::magnitude);
}

TEST(AttentionDifference, GridShowsTheDifferenceOfAllHeads) {
    const Figure figure = drawn("attention-heads", twoRuns()).figure;
    EXPECT_TRUE(figure.drawing);
    EXPECT_TRUE(figure.summary.contains("full colour at ±0.25")) << figure.summary.toStdString();
    EXPECT_EQ(figure.table.names.last(), "difference of attention weights");
    double most = 0;
    for (const double value : figure.table.columns.last()) most = std::max(most, value);
    EXPECT_DOUBLE_EQ(most, 0.25);
}

TEST(AttentionDifference, PositiveIsOrangeAndNegativeIsBlue) {
    // The second run has more weight on key 0 (blue) and less on key 1 (orange).
    const ExportOptions options{.format = FigureFormat::png, .widthMm = 80, .heightMm = 80, .dpi = 96};
    const QImage image = figureImage(drawn("attention-heads", twoRuns()).figure, options);
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

TEST(AttentionDifference, ColourScaleIsEqualInEveryFrame) {
    InspectData data = twoRuns();
    data.iteration = 50;  // no difference at this step
    EXPECT_TRUE(drawn("attention-heads", data).figure.summary.contains("full colour at ±0.25"))
        << drawn("attention-heads", data).figure.summary.toStdString();
}

TEST(AttentionDifference, NoteContainsTheStepsOfBothRuns) {
    InspectData data = twoRuns();
    EXPECT_TRUE(drawn("attention-map", data).figure.note.startsWith("step 100: "));
    InsideRun shorter = *data.ghost;
    shorter.truncateAfter(50);
    data.ghost = std::make_shared<const InsideRun>(std::move(shorter));
    EXPECT_TRUE(drawn("attention-map", data)
                    .figure.note.startsWith("difference: step 100 of θ = 100 − step 50 of θ = 10000, "));
}

TEST(AttentionDifference, ExplainsMissingDifference) {
    const auto why = [](const InspectData& data) { return drawn("attention-map", data).figure.emptyText; };
    EXPECT_TRUE(
        why(twoRuns([](InsideRun&, ProbeResult& result) { result.map_tokens[0] = 3; })).contains("different texts"));
    EXPECT_TRUE(why(twoRuns([](InsideRun& run, ProbeResult&) {
                    run.vocabulary = "characters:33,97";
                })).contains("different texts"));
    EXPECT_TRUE(why(twoRuns([](InsideRun&, ProbeResult& result) {
                    result.attention = filledArray({1, kTestHeads, kTestMapSize, kTestMapSize}, 0, 0);
                })).contains("differ in their number of layers"));
    EXPECT_TRUE(
        why(twoRuns([](InsideRun&, ProbeResult& result) { result.attention = {}; })).contains("no attention weights"));
    InspectData data = twoRuns();
    data.text = data.run->snapshots.front().result;
    EXPECT_TRUE(why(data).contains("clear the text to compare"));
    data.text.reset();
    data.ghost.reset();
    EXPECT_TRUE(why(data).contains("Choose a second run"));
    EXPECT_TRUE(drawn("attention-heads", data).figure.emptyText.contains("Choose a second run"));
}

}  // namespace
}  // namespace ropelab::ui
