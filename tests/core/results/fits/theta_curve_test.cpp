#include "core/stats/least_squares.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/results/fits/theta_curve.h"
#include "core/store/imported.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

// Runs with a minimum near θ = 8,000: 2 + 0.03·(ln θ − ln 8000)² plus fixed deviations, two seeds per θ.
std::vector<ResultRun> runs_with_minimum() {
    const double deviations[] = {0.01, -0.02, 0.015, -0.005, 0.0, 0.01, -0.01, 0.02, -0.015, 0.005};
    std::vector<ResultRun> runs;
    int next = 0;
    for (const int theta : {100, 1000, 10'000, 100'000, 1'000'000}) {
        for (int seed = 1; seed <= 2; ++seed) {
            const double off = std::log(theta) - std::log(8000);
            runs.push_back(result_run({{"theta", theta}, {"seed", seed}}, 2 + 0.03 * off * off + deviations[next++]));
        }
    }
    return runs;
}

// Reference values here and below: numpy 2.4.6 (linalg.lstsq and the covariance s²·(XᵀX)⁻¹, with a column per block)
// with the quantiles of SciPy 1.17.1; Fieller's interval of −b/(2c) from the covariance of b and c.
TEST(Quadratic, AgreesWithNumpy) {
    std::vector<double> x, y;
    for (const ResultRun& run : runs_with_minimum()) {
        x.push_back(std::log(run.settings.at("theta").get<double>()));
        y.push_back(run.summary->best_validation_loss);
    }
    const auto found = fit_quadratic(x, y);
    ASSERT_TRUE(found);
    const QuadraticFit& fit = *found;
    EXPECT_EQ(fit.n, 10);
    EXPECT_EQ(fit.blocks, 1);
    EXPECT_EQ(fit.degrees_of_freedom, 7);
    EXPECT_NEAR(fit.curvature.value, 0.02946111, 1e-8);
    EXPECT_NEAR(fit.curvature.low, 0.02828567027, 1e-10);
    EXPECT_NEAR(fit.curvature.high, 0.0306365486, 1e-10);
    EXPECT_NEAR(fit.f, 1805.13944687, 1e-5);
    EXPECT_NEAR(fit.p, 3.18791081e-10, 1e-17);
    EXPECT_NEAR(std::exp(fit.vertex), 7967.413344, 1e-4);
    ASSERT_TRUE(fit.vertex_interval);
    EXPECT_NEAR(std::exp(fit.vertex_interval->low), 7537.20507, 1e-3);
    EXPECT_NEAR(std::exp(fit.vertex_interval->high), 8416.07678, 1e-3);
}

// Every seed has every θ: each seed has a constant of its own, which costs a degree of freedom.
TEST(Quadratic, SeedsAreBlocks) {
    const auto curves = theta_curves(results_table(runs_with_minimum()));
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_THAT(curves[0].thetas, ElementsAre(100, 1000, 10'000, 100'000, 1'000'000));
    EXPECT_TRUE(curves[0].has_blocks);
    const QuadraticFit& fit = curves[0].fit;
    EXPECT_EQ(fit.n, 10);
    EXPECT_EQ(fit.blocks, 2);
    EXPECT_EQ(fit.degrees_of_freedom, 6);
    EXPECT_NEAR(fit.curvature.value, 0.02946110944, 1e-10);
    EXPECT_NEAR(fit.curvature.low, 0.028152141965, 1e-10);
    EXPECT_NEAR(fit.curvature.high, 0.030770076909, 1e-10);
    EXPECT_NEAR(fit.curvature_p, 2.4066854e-9, 1e-15);
    EXPECT_NEAR(fit.f, 1558.71147044, 1e-5);
    EXPECT_NEAR(fit.p, 7.0886146e-9, 1e-15);
    ASSERT_TRUE(fit.vertex_interval);
    EXPECT_NEAR(std::exp(fit.vertex_interval->low), 7489.39236, 1e-3);
    EXPECT_NEAR(std::exp(fit.vertex_interval->high), 8468.32921, 1e-3);
}

// A level that all runs of a seed share changes nothing, while it would hide the curve if the runs counted as
// independent.
TEST(Quadratic, LevelOfASeedDoesNotCount) {
    std::vector<ResultRun> runs = runs_with_minimum();
    for (ResultRun& run : runs) {
        if (run.settings.at("seed") == 2) run.summary->best_validation_loss += 5;
    }
    const auto curves = theta_curves(results_table(runs));
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_NEAR(curves[0].fit.f, 1558.71147044, 1e-4);
    EXPECT_NEAR(curves[0].fit.curvature.low, 0.028152141965, 1e-9);
}

// Without one run of a seed, the runs count as independent, and the words say so.
TEST(Quadratic, IncompleteSeedsAreNoBlocks) {
    std::vector<ResultRun> runs = runs_with_minimum();
    runs.pop_back();
    const ResultsTable table = results_table(runs);
    const auto curves = theta_curves(table);
    ASSERT_EQ(curves.size(), 1U);
    EXPECT_FALSE(curves[0].has_blocks);
    EXPECT_EQ(curves[0].fit.degrees_of_freedom, 6);  // 9 − 3
    EXPECT_THAT(
        theta_curve_words(table, curves[0]),
        HasSubstr("runs of equal seed count as independent, because not every seed has one run at every theta"));
    EXPECT_EQ(results_json(table)["theta_curves"][0]["seeds_as_blocks"], false);
}

TEST(Quadratic, BlocksNeedAValueForEachX) {
    const std::vector<double> x = {1, 2, 3, 4};
    EXPECT_THROW(fit_quadratic_in_blocks(x, {}), BadInput);
    EXPECT_THROW(fit_quadratic_in_blocks(x, std::vector<std::vector<double>>{{1, 2, 3}}), BadInput);
    EXPECT_FALSE(fit_quadratic_in_blocks(x, std::vector<std::vector<double>>{{1, 4, 9, 16}, {2, 5, 10, 17}}));
}

TEST(Quadratic, ThetaPaperShowsNoVertexWithTheseSeeds) {
    const ResultsTable table = results_table(theta_paper_runs());
    const auto curves = theta_curves(table);
    ASSERT_EQ(curves.size(), 1U);
    const QuadraticFit& fit = curves[0].fit;
    EXPECT_EQ(fit.n, 18);
    EXPECT_NEAR(fit.curvature.value, 1.27663406e-4, 1e-11);
    EXPECT_NEAR(fit.curvature.low, -0.00065705579, 1e-10);
    EXPECT_NEAR(fit.curvature.high, 0.00091238261, 1e-10);
    EXPECT_NEAR(fit.f, 0.47906310279, 1e-8);
    EXPECT_NEAR(fit.p, 0.629876644052, 1e-9);
    EXPECT_NEAR(fit.vertex, 10.118530878, 1e-6);
    EXPECT_FALSE(fit.vertex_interval);
    EXPECT_THAT(theta_curve_words(table, curves[0]),
                HasSubstr("against a constant per seed (each seed is a block): F(2, 13) = 0.48, p = 0.630 over 18 runs "
                          "at 6 values"));
    EXPECT_THAT(theta_curve_words(table, curves[0]), HasSubstr("neither a minimum nor a maximum is shown."));
}

TEST(Quadratic, ResultsShowTheFitOfASweepOverTheta) {
    const ResultsTable table = results_table(runs_with_minimum());
    EXPECT_THAT(results_text(table), HasSubstr("the fitted minimum is at theta = 7,967 (95 % interval 7,489 … 8,468), "
                                               "estimated from all values of theta."));
    const nlohmann::json curve = results_json(table)["theta_curves"][0];
    EXPECT_EQ(curve["n"], 10);
    EXPECT_NEAR(curve["vertex_theta"].get<double>(), 7967.413344, 1e-4);
    EXPECT_NEAR(curve["vertex_theta_confidence_95"][1].get<double>(), 8468.32921, 1e-3);
    EXPECT_EQ(curve["seeds_as_blocks"], true);
    // A sweep of another setting, or of three θ, has no such fit.
    std::vector<ResultRun> three = runs_with_minimum();
    three.resize(6);
    EXPECT_TRUE(results_json(results_table(three))["theta_curves"].empty());
    EXPECT_TRUE(theta_curves(results_table(std::vector<ResultRun>{})).empty());
}

// The unit in which another program logged its losses is not known.
TEST(Quadratic, OfImportedRunsNamesNoUnit) {
    std::vector<ResultRun> runs = runs_with_minimum();
    const TableStyle columns{.columns = {"full"}};
    for (const char* words :
         {"The coefficient of (ln theta)² is 0.029 nats", "Detectable difference: difference [nats]"})
        EXPECT_THAT(results_text(results_table(runs), columns), HasSubstr(words));
    for (ResultRun& run : runs) run.settings[std::string(imported_setting)] = "wandb";
    EXPECT_THAT(results_text(results_table(runs), columns),
                AllOf(HasSubstr("Detectable difference: difference that "), Not(HasSubstr("nats"))));
}

TEST(Quadratic, EachCombinationOfTheOtherSettingsHasAFitOfItsOwn) {
    std::vector<ResultRun> runs = runs_with_minimum();
    for (ResultRun& run : runs) run.settings["fraction"] = 0.25;
    const std::vector<ResultRun> others = runs_with_minimum();
    for (std::size_t i = 0; i < others.size(); ++i) {
        runs.push_back(others[i]);
        runs.back().settings["fraction"] = 0.5;
        runs.back().summary->best_validation_loss *= -1;
    }
    const ResultsTable table = results_table(runs);
    const auto curves = theta_curves(table);
    ASSERT_EQ(curves.size(), 2U);
    EXPECT_EQ(curves[0].settings.at("fraction"), 0.25);
    EXPECT_NEAR(curves[0].fit.curvature.value, -curves[1].fit.curvature.value, 1e-12);
    EXPECT_THAT(theta_curve_words(table, curves[1]), HasSubstr("for fraction = 50 %, against a constant per seed"));
    EXPECT_THAT(theta_curve_words(table, curves[1]), HasSubstr("the fitted maximum is at theta = 7,967"));
}

TEST(Quadratic, NeedsFourPlacesAndScatter) {
    const std::vector<double> x = {1, 2, 3, 4, 5};
    const std::vector<double> exact = {1, 4, 9, 16, 25};
    EXPECT_FALSE(fit_quadratic(x, exact));
    EXPECT_FALSE(fit_quadratic(x, std::vector<double>(5, 1.5)));
    EXPECT_FALSE(fit_quadratic(std::vector<double>{1, 2, 3, 3, 2}, std::vector<double>{1, 2, 4, 3, 1}));
    const double missing = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(fit_quadratic(x, std::vector<double>{1, 4.1, missing, 15.8, missing}));
    EXPECT_EQ(fit_quadratic(x, std::vector<double>{1, 4.1, missing, 15.8, 25.1})->n, 4);
    EXPECT_THROW(fit_quadratic(x, std::vector<double>{1}), BadInput);
}

// Seed i has its minimum at best[i]: 0.02·(ln θ − ln best[i])², so that the curve of the means has the geometric mean.
std::vector<ResultRun> runs_on(const std::string& data, const std::vector<double>& best) {
    std::vector<ResultRun> runs;
    for (const int theta : {30, 100, 300, 1000, 3000, 10'000}) {
        for (std::size_t i = 0; i < best.size(); ++i) {
            const double off = std::log(theta) - std::log(best[i]);
            runs.push_back(result_run({{"theta", theta}, {"data", data}, {"seed", 7 * i}},
                                      2 + 0.1 * static_cast<double>(i) + 0.02 * off * off));
        }
    }
    return runs;
}

// SciPy 1.17.1: bootstrap(log(best), np.mean, method="percentile", n_resamples=99999) has [623.9, 756.7].
TEST(SettingOptimum, IsTheVertexBesideTheBestMeanWithItsBootstrapInterval) {
    std::vector<ResultRun> runs = runs_on("synthetic", {560, 640, 700, 690, 760, 820});
    for (ResultRun& run : runs_on("text8", {10, 12, 9})) runs.push_back(std::move(run));
    runs.push_back(result_run({{"theta", 30}, {"data", "synthetic"}, {"seed", 99}}, 1));  // not at every θ
    const ResultsTable table = results_table(runs);
    const auto optima = setting_optima(table, "theta");
    ASSERT_EQ(optima.size(), 2U);
    const SettingOptimum& inside = optima.front();
    EXPECT_EQ(inside.settings.at("data"), "synthetic");
    EXPECT_EQ(inside.seeds, 6);
    EXPECT_EQ(inside.values[inside.best], 1000);
    EXPECT_NEAR(inside.at, 689.9598, 1e-3);
    EXPECT_NEAR(inside.interval.low, 623.9, 4);
    EXPECT_NEAR(inside.interval.high, 756.7, 4);
    EXPECT_FALSE(inside.is_end());
    EXPECT_TRUE(optima.back().is_end());
    EXPECT_NEAR(optima.back().at, 30, 1e-9);
    EXPECT_NEAR(optima.back().share, 1, 1e-9);
    EXPECT_TRUE(setting_optima(table, "fraction").empty());
    const auto words = optimum_words(table);
    EXPECT_THAT(words.at(0), HasSubstr("Best theta for data = synthetic, estimated from the best mean and its two "
                                       "neighbours: 690 (95 % bootstrap interval 6"));
    EXPECT_THAT(words.at(1), HasSubstr("It is an end of the sweep, so that the optimum may lie beyond it."));
    EXPECT_EQ(results_json(table).at("optima").size(), 2U);
}

// Differences of 10⁻⁷ nats have a fitted minimum and a best mean, but no setting is better than another one.
TEST(SettingOptimum, IsNotNamedWhereAllSettingsAreEquivalent) {
    std::vector<ResultRun> runs;
    for (const int theta : {100, 200, 300, 500, 1000, 2000, 3000, 5000, 10'000}) {
        for (const int seed : {1, 2}) {
            const double off = std::log(theta) - std::log(1000);
            const double noise = 1e-8 * std::sin(37.0 * static_cast<double>(runs.size()));
            runs.push_back(result_run({{"theta", theta}, {"seed", seed}}, 3 + 0.01 * seed + 1e-7 * off * off + noise));
        }
    }
    const ResultsTable table = results_table(runs, {.margin = "0.1"});
    EXPECT_THAT(theta_curve_words(table, theta_curves(table).at(0)),
                HasSubstr("; no minimum is named, because all settings are equivalent within the relevance margin."));
    EXPECT_THAT(optimum_words(table),
                testing::ElementsAre("Best theta: none is named, because all settings are equivalent within the "
                                     "relevance margin."));
}

TEST(SettingOptimum, AFractionMayBeZeroAndSpeedsAreBestWhenHigh) {
    std::vector<ResultRun> runs;
    for (const double fraction : {0.0, 0.25, 0.5, 1.0}) {
        runs.push_back(result_run({{"fraction", fraction}, {"seed", 1}}, 2 + (fraction - 0.4) * (fraction - 0.4)));
        runs.back().summary->tokens_per_second = 1000 * fraction;
    }
    const auto optima = setting_optima(results_table(runs), "fraction");
    ASSERT_EQ(optima.size(), 1U);
    EXPECT_NEAR(optima[0].at, 0.4, 1e-9);
    EXPECT_TRUE(std::isnan(optima[0].interval.low));
    const auto speeds = setting_optima(results_table(runs, {.compare = "tokens_per_second"}), "fraction");
    EXPECT_EQ(speeds.at(0).at, 1);
    EXPECT_EQ(speeds.at(0).means.back(), 1000);
}

}  // namespace
}  // namespace ropelab
