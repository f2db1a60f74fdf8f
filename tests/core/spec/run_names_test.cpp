#include "core/spec/run_names.h"

#include <gtest/gtest.h>

#include <functional>

namespace ropelab {
namespace {

RunSpec with(const std::function<void(RunSpec&)>& change) {
    RunSpec spec;
    change(spec);
    return spec;
}

using Names = std::vector<std::string>;

TEST(RunNames, TellRunsApartByEveryKeyInWhichTheyDiffer) {
    std::vector<RunSpec> runs;
    for (const double theta : {100.0, 10000.0}) {
        for (const std::int64_t seed : {1, 2}) {
            runs.push_back(with([&](auto& s) {
                s.theta = theta;
                s.seed = seed;
                s.learning_rate = seed == 1 ? 1e-3 : 1e-2;
            }));
        }
    }
    EXPECT_EQ(run_names(runs),
              (Names{"θ 100, 100 %, seed 1, learning rate 0.001", "θ 100, 100 %, seed 2, learning rate 0.01",
                     "θ 10k, 100 %, seed 1, learning rate 0.001", "θ 10k, 100 %, seed 2, learning rate 0.01"}));
    EXPECT_EQ(run_names({runs.front()}), Names{"θ 100, 100 %"});
    EXPECT_TRUE(run_names({}).empty());
}

TEST(RunNames, SayNothingTwice) {
    EXPECT_EQ(run_names({with([](auto& s) { s.pairs = "0-3"; }), with([](auto& s) { s.rotated_layers = "0"; }),
                         with([](auto& s) { s.theta_training = ThetaTraining::layer; }), with([](auto& s) {
                             s.theta_schedule = ThetaSchedule::linear;
                             s.theta_end = 500;
                         }),
                         with([](auto& s) {
                             s.theta_schedule = ThetaSchedule::geometric;
                             s.theta_end = 500;
                         })}),
              (Names{"θ 10k, 100 %, pairs 0-3", "θ 10k, 100 %, layers 0", "θ 10k trained (layer), 100 %",
                     "θ 10k → 500 (linear), 100 %", "θ 10k → 500 (geometric), 100 %"}));
}

// Two thetas that turn nothing, an end that no schedule reaches.
TEST(RunNames, SayWhatTheLabelIsSilentAbout) {
    EXPECT_EQ(run_names({with([](auto& s) { s.fraction = 0; }), with([](auto& s) {
                             s.fraction = 0;
                             s.theta = 100;
                         }),
                         with([](auto& s) { s.theta = 100; })}),
              (Names{"no rotation, theta 10000", "no rotation, theta 100", "θ 100, 100 %"}));
    EXPECT_EQ(run_names({RunSpec{}, with([](auto& s) { s.theta_end = 500; })}),
              (Names{"θ 10k, 100 %, theta end 10000", "θ 10k, 100 %, theta end 500"}));
    EXPECT_EQ(run_names({RunSpec{}, RunSpec{}}), (Names{"θ 10k, 100 %", "θ 10k, 100 %"}));
}

}  // namespace
}  // namespace ropelab
