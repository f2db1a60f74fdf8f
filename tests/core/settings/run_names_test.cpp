#include "core/settings/run_names.h"

#include <gtest/gtest.h>

#include <functional>

namespace ropelab {
namespace {

RunSpec spec_with(const std::function<void(RunSpec&)>& change) {
    RunSpec spec;
    change(spec);
    return spec;
}

using Names = std::vector<std::string>;

TEST(RunNames, ContainEverySettingInWhichRunsDiffer) {
    std::vector<RunSpec> runs;
    for (const double theta : {100.0, 10000.0}) {
        for (const std::int64_t seed : {1, 2}) {
            runs.push_back(spec_with([&](auto& s) {
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

TEST(RunNames, DoNotRepeatSettingsThatTheLabelShows) {
    EXPECT_EQ(
        run_names({spec_with([](auto& s) { s.pairs = "0-3"; }), spec_with([](auto& s) { s.rotated_layers = "0"; }),
                   spec_with([](auto& s) { s.theta_training = ThetaTraining::layer; }), spec_with([](auto& s) {
                       s.theta_schedule = ThetaSchedule::linear;
                       s.theta_end = 500;
                   }),
                   spec_with([](auto& s) {
                       s.theta_schedule = ThetaSchedule::geometric;
                       s.theta_end = 500;
                   })}),
        (Names{"θ 10k, 100 %, pairs 0-3", "θ 10k, 100 %, layers 0", "θ 10k trained (layer), 100 %",
               "θ 10k → 500 (linear), 100 %", "θ 10k → 500 (geometric), 100 %"}));
}

TEST(RunNames, NumbersHaveAPrefixWithFewDigitsOnly) {
    const std::vector<std::pair<double, std::string>> numbers = {
        {100, "100"},          {500, "500"},    {1000, "1k"},         {10000, "10k"},    {1.5e6, "1.5M"},
        {4580, "4,580"},       {1092, "1,092"}, {209758, "209,758"},  {65536, "65,536"}, {1117751, "1,117,751"},
        {41381.7, "41,381.7"}, {0.25, "0.25"},  {1e10, "10000000000"}};
    for (const auto& [number, words] : numbers) EXPECT_EQ(number_in_names(number), words);
    EXPECT_EQ(run_names({spec_with([](auto& s) { s.theta = 209758; })}), (Names{"θ 209,758, 100 %"}));
}

// Theta has no effect spec_with fraction 0, and theta_end has none without a schedule, so labels show neither.
TEST(RunNames, ContainDifferencesThatTheLabelDoesNotShow) {
    EXPECT_EQ(run_names({spec_with([](auto& s) { s.fraction = 0; }), spec_with([](auto& s) {
                             s.fraction = 0;
                             s.theta = 100;
                         }),
                         spec_with([](auto& s) { s.theta = 100; })}),
              (Names{"RoPE 0 %, theta 10000", "RoPE 0 %, theta 100", "θ 100, 100 %"}));
    EXPECT_EQ(run_names({RunSpec{}, spec_with([](auto& s) { s.theta_end = 500; })}),
              (Names{"θ 10k, 100 %, theta end 10000", "θ 10k, 100 %, theta end 500"}));
    EXPECT_EQ(run_names({RunSpec{}, RunSpec{}}), (Names{"θ 10k, 100 %", "θ 10k, 100 %"}));
}

}  // namespace
}  // namespace ropelab
