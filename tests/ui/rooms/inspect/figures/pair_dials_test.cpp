#include "ui/rooms/inspect/figures/figures.h"

#include <QImage>
#include <cmath>
#include <numbers>

#include "tests/ui/rooms/inspect/inspect_fixture.h"
#include "ui/figure/export/export.h"

namespace ropelab::ui {
namespace {

InspectData dataOf(InsideRun run) {
    InspectData data;
    data.run = std::make_shared<const InsideRun>(std::move(run));
    data.iteration = 100;
    data.choices.lag = 3;
    return data;
}

QList<double> column(const Figure& figure, int index) {
    return figure.table.columns.at(index);
}

TEST(PairDials, HandsShowAngleAndNorms) {
    InspectData data = dataOf(testRun(1, 100));
    data.choices.layer = 1;
    data.choices.head = 0;
    const Figure figure = pairDials(data).figure;
    ASSERT_EQ(column(figure, 0), (QList<double>{0, 1, 2, 3}));
    // Layer 1 of the fixture has theta 5,000 at every step; its norms are the values 8 to 11 of the array.
    for (int pair = 0; pair < kTestPairs; ++pair) {
        const double frequency = std::pow(5000.0, -2.0 * pair / (2.0 * kTestPairs));
        EXPECT_NEAR(column(figure, 1)[pair], frequency, 1e-6);
        EXPECT_NEAR(column(figure, 2)[pair],
                    std::remainder(3 * frequency, 2 * std::numbers::pi) * 180 / std::numbers::pi, 1e-4);
        EXPECT_EQ(column(figure, 3)[pair], 100 + 8 + pair);
        EXPECT_EQ(column(figure, 4)[pair], 101 + 8 + pair);
    }
    EXPECT_TRUE(figure.summary.contains("step 100: θ = 100; layer 1, head 0; full-length hand: norm 112.0"))
        << figure.summary.toStdString();
}

TEST(PairDials, BothRunsHaveTheSameScale) {
    InspectData data = dataOf(testRun(1, 100));
    InsideRun other = testRun(2, 10000);
    other.addSnapshot({100, std::make_shared<const ProbeResult>(probeResultAt(500))});
    data.choices.layer = 1;
    data.choices.head = 0;
    const auto full = [](const InspectData& shown) {
        return pairDials(shown).figure.summary.section("full-length hand: norm ", 1);
    };
    EXPECT_TRUE(full(data).startsWith("112")) << full(data).toStdString();
    data.ghost = std::make_shared<const InsideRun>(std::move(other));
    EXPECT_TRUE(full(data).startsWith("512")) << full(data).toStdString();
    std::swap(data.run, data.ghost);
    EXPECT_TRUE(full(data).startsWith("512")) << full(data).toStdString();
}

TEST(PairDials, AnglesFollowATrainedTheta) {
    InspectData data = dataOf(testRun(1, 100));
    data.choices.layer = 0;
    const Figure late = pairDials(data).figure;
    data.iteration = 1;
    const Figure early = pairDials(data).figure;
    EXPECT_NEAR(column(early, 1)[1], std::pow(100.0, -0.25), 1e-6);
    EXPECT_NEAR(column(late, 1)[1], std::pow(10000.0, -0.25), 1e-6);
    EXPECT_LT(column(early, 3)[0], column(late, 3)[0]);
    // The scale of the hands covers the whole run, so that figures of different steps are comparable.
    const auto full = [](const Figure& figure) { return figure.summary.section("full-length hand: norm ", 1); };
    EXPECT_EQ(full(early), full(late));
    const ExportOptions options{.format = FigureFormat::png, .widthMm = 100, .heightMm = 50, .dpi = 72};
    EXPECT_NE(figureImage(early, options), figureImage(late, options));
    data.choices.pair = 2;
    EXPECT_EQ(figureImage(pairDials(data).figure, options), figureImage(early, options))
        << "the frame of the selected pair is the window's";
}

TEST(PairDials, ConstantThetaIsTakenFromTheSpecification) {
    InsideRun run = testRun(1, 100);
    ProbeResult result = probeResultAt(5);
    result.frequencies = {};
    run.spec.fraction = 0.5;
    run.plan = plan_of(run.spec, 65);
    run.addSnapshot({100, std::make_shared<const ProbeResult>(result)});
    const Figure figure = pairDials(dataOf(std::move(run))).figure;
    EXPECT_NEAR(column(figure, 1)[0], 1, 1e-9);
    EXPECT_EQ(column(figure, 1)[3], 0);
    EXPECT_TRUE(figure.summary.contains("grey: not rotated"));
    InsideRun none = testRun(1, 100);
    none.snapshots.clear();
    EXPECT_FALSE(pairDials(dataOf(std::move(none))).figure.emptyText.isEmpty());
}

}  // namespace
}  // namespace ropelab::ui
