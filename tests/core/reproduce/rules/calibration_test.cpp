#include "core/reproduce/rules/evaluate.h"

#include <gtest/gtest.h>

#include <vector>

namespace ropelab {
namespace {

using Outcome = ScoredPrediction::Outcome;

ScoredPrediction scored(Outcome outcome, double chance) {
    ScoredPrediction result;
    result.outcome = outcome;
    result.chance = chance;
    return result;
}

// Expected values: a Python script that sums over all 2³ outcomes.
TEST(Calibration, PoissonBinomialIsExact) {
    const std::vector<double> chances = {1.0 / 6, 1.0 / 2, 1.0 / 15};
    EXPECT_DOUBLE_EQ(at_least_by_chance(chances, 0), 1);
    EXPECT_NEAR(at_least_by_chance(chances, 1), 11.0 / 18, 1e-12);
    EXPECT_NEAR(at_least_by_chance(chances, 2), 7.0 / 60, 1e-12);
    EXPECT_NEAR(at_least_by_chance(chances, 3), 1.0 / 180, 1e-12);
    EXPECT_EQ(at_least_by_chance(chances, 4), 0);
    EXPECT_EQ(at_least_by_chance({}, 0), 1);
}

TEST(Calibration, CountsPredictionsThatCouldHaveBeenWrong) {
    std::vector<ScoredPrediction> all = {scored(Outcome::right, 1.0 / 6), scored(Outcome::wrong, 1.0 / 2),
                                         scored(Outcome::right, 1.0 / 15), scored(Outcome::right, 1),
                                         scored(Outcome::unmeasured, 1.0 / 3)};
    all.push_back(scored(Outcome::right, 1.0 / 4));
    all.back().prediction.retrieval = RetrievalRule{16, 241};  // the rule of earlier versions
    const Calibration calibration = calibration_of(all);
    EXPECT_EQ(calibration.scored, 3);
    EXPECT_EQ(calibration.right, 2);
    EXPECT_NEAR(calibration.expected, 11.0 / 15, 1e-12);
    EXPECT_NEAR(calibration.p, 7.0 / 60, 1e-12);
    EXPECT_EQ(calibration_words(calibration),
              "Calibration: 2 of 3 predictions with a score are right; 0.73 would be expected by chance. At least 2 "
              "would be right by chance with probability 0.117 if the predictions were independent; predictions on the "
              "same runs are not independent.");
    EXPECT_EQ(calibration_json(calibration).at("right"), 2);
    EXPECT_EQ(calibration_words(calibration_of({})), "");
    EXPECT_TRUE(calibration_json(calibration_of({})).at("p_at_least_as_many").is_null());
}

}  // namespace
}  // namespace ropelab
