#include "core/experiment/theta_plane.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/error.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using testing::ThrowsMessage;

std::vector<std::pair<double, double>> numbers_of(const std::vector<PlanePoint>& points) {
    std::vector<std::pair<double, double>> result;
    for (const PlanePoint& point : points) result.emplace_back(point.theta_number, point.fraction_number);
    return result;
}

// Those that expand() trains, whatever the points say.
std::vector<std::pair<double, double>> trained(const Experiment& experiment) {
    std::vector<std::pair<double, double>> result;
    for (const RunSpec& run : experiment.expand()) {
        const std::pair pair(run.theta, run.fraction);
        if (std::ranges::find(result, pair) == result.end()) result.push_back(pair);
    }
    return result;
}

Experiment grid() {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("fraction", {"25 %", "100 %"});
    experiment.set("seed", {"1", "2"});
    return experiment;
}

TEST(ThetaPlane, PointsAreTheSettingsThatTrain) {
    for (const Preset& preset : presets()) {
        if (!preset.experiment.exclusions().empty() || !preset.experiment.zips().empty()) continue;
        EXPECT_EQ(numbers_of(plane_points(preset.experiment)), trained(preset.experiment)) << preset.name;
    }
    EXPECT_THAT(numbers_of(plane_points(grid())),
                ElementsAre(Pair(500, 0.25), Pair(500, 1), Pair(10000, 0.25), Pair(10000, 1)));
}

TEST(ThetaPlane, APointOffTheGridMakesSingleRunsAndBackOnItLists) {
    Experiment experiment = grid();
    std::vector<PlanePoint> points = plane_points(experiment);
    points.push_back(snapped_point(experiment, 2210, 0.51));
    set_plane_points(experiment, points);
    EXPECT_EQ(experiment.explicit_runs().size(), 5U);
    EXPECT_EQ(trained(experiment), numbers_of(points));
    EXPECT_EQ(experiment.expand().size(), 10U) << "each with both seeds";
    EXPECT_EQ(numbers_of(plane_points(experiment)), numbers_of(points));
    points.pop_back();
    set_plane_points(experiment, points);
    EXPECT_EQ(experiment, grid());
}

TEST(ThetaPlane, PointsSnapToWhatAModelCanHave) {
    Experiment experiment;
    experiment.set("width", {"64"});
    experiment.set("heads", {"4"});  // heads of 16 channels: 8 pairs
    const PlanePoint point = snapped_point(experiment, 23456, 0.3);
    EXPECT_EQ(point.theta, "23000");
    EXPECT_EQ(point.fraction, "0.25");
    EXPECT_EQ(snapped_point(experiment, 0.2, -3).theta, "1.1");
    EXPECT_EQ(snapped_point(experiment, 0.2, -3).fraction, "0");
    EXPECT_EQ(snapped_point(experiment, 9.96e5, 3).theta, "1000000");
    EXPECT_EQ(snapped_point(experiment, 9.96e5, 3).fraction, "1");
    for (double fraction = 0; fraction <= 1; fraction += 0.01) {
        Experiment one = experiment;
        set_plane_points(one, {snapped_point(experiment, 100, fraction)});
        EXPECT_EQ(one.expand().size(), 1U) << fraction;
    }
}

TEST(ThetaPlane, WhatPointsCannotSayIsRefused) {
    Experiment zipped = grid();
    zipped.add_zip("theta,fraction");
    EXPECT_THAT([&] { set_plane_points(zipped, plane_points(grid())); },
                ThrowsMessage<BadInput>(HasSubstr("together with another setting")));
    Experiment excluding = grid();
    excluding.add_exclusion("theta=500,fraction=0.25");
    EXPECT_THAT([&] { set_plane_points(excluding, plane_points(grid())); },
                ThrowsMessage<BadInput>(HasSubstr("excludes runs")));
    Experiment listed;
    listed.set_explicit_runs({{{"theta", "100"}, {"layers", "3"}}});
    EXPECT_THAT([&] { set_plane_points(listed, plane_points(grid())); },
                ThrowsMessage<BadInput>(HasSubstr("other settings")));
    Experiment experiment = grid();
    EXPECT_THROW(set_plane_points(experiment, {}), BadInput);
    EXPECT_EQ(experiment, grid());
}

}  // namespace
}  // namespace ropelab
