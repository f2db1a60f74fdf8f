#include "ui/rooms/train/sweep_plane.h"

#include <gtest/gtest.h>

#include "tests/ui/rooms/train/train_room_bench.h"
#include "ui/figure/ticks.h"
#include "ui/plot/figure_view.h"

namespace ropelab::ui {
namespace {

class SweepPlaneTest : public TrainRoomBench {
 protected:
    void SetUp() override {
        TrainRoomBench::SetUp();
        room->showPlan(true);
        room->refreshNow();
        plane().view().refreshNow();
    }
    SweepPlane& plane() { return room->plane(); }
    std::vector<std::pair<double, double>> settings() {
        std::vector<std::pair<double, double>> result;
        for (const RunSpec& run : workspace->experiment().value().expand())
            result.emplace_back(run.theta, run.fraction);
        return result;
    }
    static QPointF placeOf(const PlanePoint& point) { return {point.theta_number, point.fraction_number}; }
};

TEST_F(SweepPlaneTest, AClickAddsADragMovesAndDeleteRemoves) {
    const auto before = settings();
    ASSERT_EQ(plane().points().size(), before.size());
    plane().add({3000, 0.5});
    auto wanted = before;
    wanted.emplace_back(3000, 0.5);
    EXPECT_EQ(settings(), wanted);
    plane().press(placeOf(plane().points().back()));
    plane().drag({5000, 0.5});
    EXPECT_EQ(settings(), wanted) << "it moves when it is dropped";
    plane().drag({7000, 0.5});
    plane().release();
    wanted.back().first = 7000;
    EXPECT_EQ(settings(), wanted);
    plane().press(placeOf(plane().points().back()));
    plane().release();
    plane().removePicked();
    EXPECT_EQ(settings(), before);
    workspace->undo().undo();
    EXPECT_EQ(settings(), wanted);
}

TEST_F(SweepPlaneTest, FinishedRunsLieOnItWithTheirLoss) {
    const auto labels = [this] {
        QStringList result;
        for (const FigureCurve& curve : plane().view().figure().curves) {
            if (!curve.label.isEmpty()) result << curve.label;
        }
        return result;
    };
    EXPECT_TRUE(labels().isEmpty());
    train();
    room->showPlan(true);
    ASSERT_TRUE(waitUntil([&] { return labels().size() == 2; }));
    for (const RunView& run : workspace->runs().runs()) {
        EXPECT_TRUE(labels().contains(readableNumber(run.record.summary->best_validation_loss)));
    }
}

TEST_F(SweepPlaneTest, ASweepThatPointsCannotDescribeStaysAsItIs) {
    workspace->experiment().edit("zip", [](Experiment& experiment) {
        experiment.set("theta", {"100", "1000"});
        experiment.set("fraction", {"25 %", "100 %"});
        experiment.add_zip("theta,fraction");
    });
    const Experiment before = workspace->experiment().value();
    QStringList problems;
    QObject::connect(workspace.get(), &Workspace::problem, room.get(),
                     [&](const QString&, const QString& sentence) { problems << sentence; });
    plane().add({3000, 0.5});
    EXPECT_EQ(workspace->experiment().value(), before);
    ASSERT_EQ(problems.size(), 1);
    EXPECT_TRUE(problems.first().contains("together with another setting")) << problems.first().toStdString();
}

}  // namespace
}  // namespace ropelab::ui
