#include "core/results/fits/loss_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <vector>

#include "core/base/error.h"
#include "core/experiment/experiment.h"
#include "core/plan/layout.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

std::string runs_refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

// Two seeds at every combination of three fractions, two numbers of layers and two numbers of iterations, with `shared`
// settings. The loss follows the formula with fixed deviations.
std::vector<ResultRun> grid_runs(const nlohmann::json& shared = nlohmann::json::object()) {
    std::vector<ResultRun> runs;
    for (const double fraction : {0.0, 0.25, 1.0}) {
        for (const int layers : {1, 3}) {
            for (const int iterations : {100, 400}) {
                for (int seed = 1; seed <= 2; ++seed) {
                    nlohmann::json settings = {
                        {"fraction", fraction}, {"layers", layers}, {"iterations", iterations}, {"seed", seed}};
                    settings.update(shared);
                    const LossPoint at = loss_point_of(run_spec_from_json(settings));
                    const double deviation = ((7 * static_cast<int>(runs.size())) % 11 - 5) * 0.001;
                    const double loss =
                        std::exp(2 - 0.2 * std::sqrt(at.fraction) + 0.1 * at.fraction - 0.03 * std::log(at.parameters) -
                                 0.05 * std::log(at.tokens) + deviation);
                    runs.push_back(result_run(std::move(settings), loss));
                }
            }
        }
    }
    return runs;
}

std::vector<ResultRun> joined_runs(std::vector<ResultRun> runs, const std::vector<ResultRun>& more) {
    runs.insert(runs.end(), more.begin(), more.end());
    return runs;
}

TableLossFit fitted(const std::vector<ResultRun>& runs, const ResultsOptions& options = {},
                    const LossFitChoice& choice = {}) {
    std::vector<LossFitSource> sources;
    for (const ResultRun& run : runs) sources.push_back({run_spec_from_json(run.settings), run.state});
    return fit_table(results_table(runs, options), sources, choice);
}

TEST(LossFitRuns, PointsCountWhatTheModelHas) {
    RunSpec spec;  // 2 layers of width 64 with 2 heads
    spec.fraction = 0.1;
    spec.iterations = 100;
    const LossPoint at = loss_point_of(spec);
    EXPECT_EQ(at.fraction, 4.0 / 32);                            // 3.2 channels are rounded to two pairs
    EXPECT_EQ(at.parameters, 2 * (12 * 64 * 64 + 2 * 64) + 64);  // matrices and norms
    EXPECT_EQ(at.tokens, 100 * 16 * 128);
    // Neither the vocabulary nor embeddings, output head and trained theta count.
    spec.tied_head = false;
    spec.theta_training = ThetaTraining::head;
    spec.position = Position::learned_rope;
    EXPECT_EQ(loss_point_of(spec).parameters, at.parameters);
    spec.position = Position::none;
    EXPECT_EQ(loss_point_of(spec).fraction, 0);
}

TEST(LossFitRuns, FitsTheRunsOfATable) {
    const TableLossFit fit = fitted(grid_runs());
    EXPECT_EQ(fit.fit.n, 24);
    EXPECT_EQ(fit.fit.settings, 12);
    EXPECT_EQ(fit.fit.terms.size(), 4U);
    EXPECT_NEAR(fit.fit.coefficients[2].value, -0.03, 0.003);
    EXPECT_TRUE(fit.chosen_by.empty());
    ASSERT_EQ(fit.points.size(), 12U);
    EXPECT_EQ(fit.points[0]->fraction, 0);
    // The measure of the table is fitted.
    ResultsOptions bits;
    bits.compare = "bits_per_character";
    EXPECT_NEAR(fitted(grid_runs(), bits).fit.constant.value, fit.fit.constant.value - std::log(std::log(2.0)), 1e-10);
    bits.compare = "tokens_per_second";
    EXPECT_THAT(runs_refusal([&] { fitted(grid_runs(), bits); }), HasSubstr("tokens_per_second is not one"));
}

TEST(LossFitRuns, RunsThatDifferInOtherSettingsAreRefused) {
    const std::vector<ResultRun> runs = joined_runs(grid_runs({{"data", "enwik8"}}), grid_runs({{"theta", 500}}));
    LossFitChoice choice;
    choice.how_to_choose = "Choose a group.";
    EXPECT_EQ(runs_refusal([&] { fitted(runs, {}, choice); }),
              "The runs cannot be fitted together, because they also differ in data (enwik8, synthetic), theta (10000, "
              "500), for which the fit has no term; choose runs without this difference. Choose a group.");
    EXPECT_THAT(runs_refusal([] {
                    fitted(joined_runs(grid_runs(), grid_runs({{"context", 64}})));
                }),
                HasSubstr("context (128, 64)"));
    EXPECT_THAT(runs_refusal([] {
                    fitted(joined_runs(grid_runs(), grid_runs({{"tokenizer", "bytes"}})));
                }),
                HasSubstr("tokenizer (auto, bytes)"));
    EXPECT_THAT(runs_refusal([] {
                    fitted(joined_runs(grid_runs(), grid_runs({{"block", "llama"}})));
                }),
                HasSubstr("block (gpt2, llama)"));
    EXPECT_THAT(runs_refusal([] {
                    fitted(joined_runs(grid_runs(), grid_runs({{"learning_rate", 0.01}})));
                }),
                HasSubstr("learning_rate (0.001, 0.01)"));
}

TEST(LossFitRuns, AGroupChoosesTheRuns) {
    const std::vector<ResultRun> runs = joined_runs(grid_runs(), grid_runs({{"theta", 500}, {"data", "enwik8"}}));
    LossFitChoice choice;
    choice.like = 20;  // of the second half
    const TableLossFit fit = fitted(runs, {}, choice);
    EXPECT_EQ(fit.fit.n, 24);
    EXPECT_EQ(fit.other_runs, 24);
    EXPECT_THAT(fit.chosen_by, ElementsAre("data", "theta"));
    EXPECT_FALSE(fit.points[0]);
    EXPECT_TRUE(fit.points[20]);
    EXPECT_THAT(loss_fit_words(fit),
                Contains("The fit omits 24 runs that differ from the chosen group in data, theta."));
}

TEST(LossFitRuns, ThetaHasNoEffectWithoutRotation) {
    // At fraction 0 the runs of the second theta are copies of those of the first.
    const std::vector<ResultRun> runs = joined_runs(grid_runs(), grid_runs({{"theta", 500}}));
    LossFitChoice choice;
    choice.like = 23;
    const TableLossFit fit = fitted(runs, {}, choice);
    EXPECT_EQ(fit.fit.n, 24);
    EXPECT_EQ(fit.copies, 8);
    EXPECT_EQ(fit.other_runs, 16);
    choice.like = 0;  // a group at fraction 0 has no theta
    EXPECT_THAT(runs_refusal([&] { fitted(runs, {}, choice); }), HasSubstr("select a group of runs with RoPE"));
    // NoPE is the same model as RoPE on 0 channels.
    std::vector<ResultRun> nope = grid_runs();
    for (ResultRun& run : nope) {
        if (run.settings["fraction"] == 0.0) run.settings.update({{"position", "none"}, {"fraction", 1.0}});
    }
    EXPECT_EQ(fitted(nope).fit.fraction.low, 0);
    EXPECT_EQ(fitted(joined_runs(grid_runs(), nope)).copies, 8);
    for (ResultRun& run : nope) {
        if (run.settings.contains("position")) run.settings["position"] = "alibi";
    }
    EXPECT_THAT(runs_refusal([&] { fitted(nope); }), HasSubstr("position (alibi, rope)"));
}

TEST(LossFitRuns, SettingsWithoutEffectMayDiffer) {
    // theta_end acts only with a schedule of theta, and expert_balance only with experts.
    const std::vector<ResultRun> runs =
        joined_runs(grid_runs(), grid_runs({{"theta_end", 500}, {"expert_balance", 0.5}}));
    EXPECT_EQ(fitted(runs).copies, 24);
    const nlohmann::json schedule = {{"theta_schedule", "linear"}};
    nlohmann::json other = schedule;
    other["theta_end"] = 500;
    EXPECT_THAT(runs_refusal([&] { fitted(joined_runs(grid_runs(schedule), grid_runs(other))); }),
                HasSubstr("theta_end"));
}

TEST(LossFitRuns, SettingsMayFollowTheSize) {
    std::vector<ResultRun> runs = grid_runs();
    for (ResultRun& run : runs) {
        run.settings["learning_rate"] = run.settings["layers"] == 1 ? 0.002 : 0.001;
        run.settings["warmup"] = run.settings["iterations"] == 100 ? 10 : 40;
        run.settings["threads"] = run.settings["seed"];
    }
    const TableLossFit fit = fitted(runs);
    EXPECT_THAT(fit.following, ElementsAre("learning_rate", "warmup"));
    EXPECT_THAT(loss_fit_words(fit),
                Contains(HasSubstr("settings that change with these two: learning_rate, warmup.")));
    // The same number of tokens with another batch size is another setting.
    runs = grid_runs();
    for (ResultRun& run : runs) {
        if (run.settings["fraction"] == 1.0) {
            run.settings["batch"] = 32;
            run.settings["iterations"] = run.settings["iterations"].get<int>() / 2;
        }
    }
    EXPECT_THAT(runs_refusal([&] { fitted(runs); }), HasSubstr("batch (16, 32)"));
}

TEST(LossFitRuns, OnlyFinishedRunsCount) {
    std::vector<ResultRun> runs = grid_runs();
    runs[0].state = RunState::stopped;
    runs[3].state = RunState::failed;
    runs[5].summary->best_validation_loss = std::numeric_limits<double>::quiet_NaN();
    ResultsOptions all;
    all.unfinished = true;
    for (const ResultsOptions& options : {ResultsOptions{}, all}) {
        const TableLossFit fit = fitted(runs, options);
        EXPECT_EQ(fit.fit.n, 21);
    }
    EXPECT_THAT(loss_fit_words(fitted(runs)), Contains("The fit omits 1 run that failed or diverged."));
    EXPECT_THAT(loss_fit_words(fitted(runs)), Contains("The fit omits 1 run without a finite best_validation_loss."));
    EXPECT_THAT(runs_refusal([] { fitted({}); }), HasSubstr("there is none yet"));
}

TEST(LossFitRuns, WordsAndJsonTellTheFit) {
    const TableLossFit fit = fitted(grid_runs());
    const std::vector<std::string> words = loss_fit_words(fit);
    EXPECT_THAT(words.front(), HasSubstr("Fit of the loss: ln best_validation_loss = "));
    EXPECT_THAT(words.front(), HasSubstr("over 24 runs at 12 settings"));
    EXPECT_THAT(words, Contains(HasSubstr("coefficient of ln D: -0.04982 (95 % interval -0.05198 … -0.04766)")));
    EXPECT_THAT(words, Contains(HasSubstr("Range of the fitted runs: rotated fraction p = 0 to 100 %, parameters N = "
                                          "49344 to 147904, training tokens D = 204800 to 819200.")));
    const LossPrediction inside = predict_loss(fit.fit, {0.5, 1e5, 4e5});
    const LossPrediction outside = predict_loss(fit.fit, {0.5, 1e5, 1e6}, true);
    EXPECT_THAT(prediction_words(fit, inside),
                HasSubstr("Predicted best_validation_loss of one run at rotated fraction p = 50 %, parameters N = "
                          "100000, training tokens D = 400000: "));
    EXPECT_THAT(prediction_words(fit, outside), HasSubstr("), outside the range of the runs in tokens."));

    const nlohmann::json json = loss_fit_json(fit, std::vector{inside, outside});
    EXPECT_EQ(json["n"], 24);
    EXPECT_EQ(json["degrees_of_freedom"], 19);
    EXPECT_EQ(json["terms"][1]["name"], "sqrt_fraction");
    EXPECT_EQ(json["terms"][4]["value"], fit.fit.coefficients[3].value);
    EXPECT_EQ(json["range"]["tokens"], nlohmann::json({204800, 819200}));
    EXPECT_EQ(json["predictions"][0]["value"], inside.loss);
    EXPECT_EQ(json["predictions"][0]["prediction_95"][1], inside.high);
    EXPECT_EQ(json["predictions"][1]["outside_range"], nlohmann::json({"tokens"}));
    EXPECT_EQ(json["lack_of_fit"]["p"], fit.fit.lack_of_fit->p);
}

}  // namespace
}  // namespace ropelab
