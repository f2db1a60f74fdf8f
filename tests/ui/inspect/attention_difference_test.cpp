#include "ui/inspect/attention_difference.h"

#include "tests/ui/inspect/inspect_fixture.h"
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
    EXPECT_DOUBLE_EQ(figure.map->range().minimum, -figure.map->range().maximum);
    EXPECT_TRUE(figure.note.contains("−")) << figure.note.toStdString();
    // The mean over the two heads of the layer.
    data.choices.head = -1;
    EXPECT_FLOAT_EQ(attentionMap(data).figure.map->values[(testMap - 1) * testMap], -0.125F);
    data.choices.difference = false;
    EXPECT_EQ(attentionMap(data).figure.map->scale, FigureMap::Scale::magnitude);
}

TEST(AttentionDifference, AllHeadsShowTheirs) {
    const Figure figure = attentionGrid(twoRuns()).figure;
    EXPECT_TRUE(figure.drawing);
    EXPECT_TRUE(figure.summary.contains("at most ±0.25")) << figure.summary.toStdString();
    EXPECT_EQ(figure.table.names.last(), "difference of shares");
    double most = 0;
    for (const double value : figure.table.columns.last()) most = std::max(most, value);
    EXPECT_DOUBLE_EQ(most, 0.25);
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
