#include "core/results/fits/loss_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include "core/base/error.h"

namespace ropelab {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string fit_refusal(const std::function<void()>& work) {
    try {
        work();
    } catch (const BadInput& error) {
        return error.what();
    }
    return "";
}

// Two seeds at every combination of four fractions, two sizes and two numbers of tokens: ln loss = 1 − 0.2·√p + 0.1·p −
// 0.03·ln N − 0.05·ln D plus fixed deviations.
std::vector<LossFitRun> factorial_runs() {
    std::vector<LossFitRun> runs;
    for (const double p : {0.0, 0.25, 0.5, 1.0}) {
        for (const double parameters : {1e5, 4e5}) {
            for (const double tokens : {1e6, 4e6}) {
                for (int seed = 1; seed <= 2; ++seed) {
                    const double deviation = ((7 * static_cast<int>(runs.size())) % 11 - 5) * 0.001;
                    const double loss = std::exp(1 - 0.2 * std::sqrt(p) + 0.1 * p - 0.03 * std::log(parameters) -
                                                 0.05 * std::log(tokens) + deviation);
                    runs.push_back({{p, parameters, tokens}, seed, loss});
                }
            }
        }
    }
    return runs;
}

void expect_estimate(const IntervalEstimate& estimate, double value, double low, double high) {
    EXPECT_NEAR(estimate.value, value, 1e-10);
    EXPECT_NEAR(estimate.low, low, 1e-10);
    EXPECT_NEAR(estimate.high, high, 1e-10);
}

// Reference values here and below: numpy 2.4.6 (linalg.lstsq and the covariance s²·(XᵀX)⁻¹ of the uncentred columns)
// with the quantiles and F distribution of SciPy 1.17.1.
TEST(LossFit, AgreesWithNumpy) {
    const LossFit fit = fit_loss(factorial_runs());
    EXPECT_EQ(fit.n, 32);
    EXPECT_EQ(fit.settings, 16);
    EXPECT_THAT(fit.terms,
                ElementsAre(LossTerm::root_fraction, LossTerm::fraction, LossTerm::parameters, LossTerm::tokens));
    expect_estimate(fit.constant, 0.9944078587279194, 0.9605514184815092, 1.0282642989743296);
    expect_estimate(fit.coefficients[0], -0.20272096199125167, -0.21364798716667388, -0.19179393681582946);
    expect_estimate(fit.coefficients[1], 0.10285214006968561, 0.09207302600482153, 0.11363125413454969);
    expect_estimate(fit.coefficients[2], -0.02914339981947193, -0.030924342816602526, -0.027362456822341338);
    expect_estimate(fit.coefficients[3], -0.05031558954019408, -0.05209653253732444, -0.04853464654306371);
    EXPECT_NEAR(fit.residual_deviation, 0.003403368576435771, 1e-12);
    EXPECT_NEAR(fit.r_squared, 0.9969463305681827, 1e-10);
    EXPECT_EQ(fit.tokens.low, 1e6);
    EXPECT_EQ(fit.tokens.high, 4e6);
}

TEST(LossFit, TestsAndPredictionErrorAgreeWithNumpy) {
    const LossFit fit = fit_loss(factorial_runs());
    ASSERT_TRUE(fit.left_out);
    EXPECT_EQ(fit.left_out->settings, 16);
    EXPECT_NEAR(fit.left_out->error, 0.0035129034308149145, 1e-12);
    EXPECT_NEAR(fit.left_out->mean_error, 0.06033524239962911, 1e-12);
    ASSERT_TRUE(fit.lack_of_fit);
    EXPECT_NEAR(fit.lack_of_fit->f, 0.41359732394041687, 1e-8);
    EXPECT_EQ(fit.lack_of_fit->numerator, 11);
    EXPECT_EQ(fit.lack_of_fit->denominator, 16);
    EXPECT_NEAR(fit.lack_of_fit->p, 0.9289043750280157, 1e-8);
    ASSERT_TRUE(fit.interaction);
    EXPECT_NEAR(fit.interaction->f, 1.7295722894002235, 1e-8);
    EXPECT_EQ(fit.interaction->numerator, 2);
    EXPECT_EQ(fit.interaction->denominator, 25);
    EXPECT_NEAR(fit.interaction->p, 0.19791425854628247, 1e-8);
}

TEST(LossFit, PredictionIntervalAgreesWithNumpy) {
    const LossFit fit = fit_loss(factorial_runs());
    const LossPrediction inside = predict_loss(fit, {0.1, 2e5, 3e6});
    EXPECT_NEAR(inside.loss, 0.8474255730128236, 1e-10);
    EXPECT_NEAR(inside.low, 0.8412865618420002, 1e-10);
    EXPECT_NEAR(inside.high, 0.8536093815925976, 1e-10);
    EXPECT_TRUE(inside.outside.empty());
    const LossPrediction outside = predict_loss(fit, {1, 2e5, 8e6}, true);
    EXPECT_NEAR(outside.loss, 0.7703184300243613, 1e-10);
    EXPECT_NEAR(outside.low, 0.7643420181192973, 1e-10);
    EXPECT_NEAR(outside.high, 0.7763415716635133, 1e-10);
    EXPECT_THAT(outside.outside, ElementsAre("tokens"));
}

TEST(LossFit, PointsOutsideTheRangeAreRefused) {
    const LossFit fit = fit_loss(factorial_runs());
    EXPECT_EQ(fit_refusal([&] {
                  predict_loss(fit, {1, 2e5, 8e6});
              }),
              "The prediction at tokens = 8000000 is refused, because the runs of the fit have tokens from 1000000 to "
              "4000000, and a fit says nothing beyond the range of its runs.");
    EXPECT_THAT(fit_refusal([&] { predict_loss(fit, {1, 9e4, 2e6}); }), HasSubstr("at parameters = 90000 is refused"));
    EXPECT_THAT(fit_refusal([&] { predict_loss(fit, {1.5, 2e5, 2e6}, true); }), HasSubstr("not between 0 and 1"));
    EXPECT_THAT(fit_refusal([&] { predict_loss(fit, {1, -2e5, 2e6}, true); }), HasSubstr("must be a positive number"));
    EXPECT_NO_THROW(predict_loss(fit, {0, 1e5, 1e6}));
    EXPECT_NO_THROW(predict_loss(fit, {1, 4e5, 4e6}));
}

TEST(LossFit, CombinationFarFromAllRunsIsRefused) {
    // The large model is trained on few tokens only.
    std::vector<LossFitRun> runs = factorial_runs();
    std::erase_if(runs, [](const LossFitRun& run) { return run.at.parameters == 4e5 && run.at.tokens == 4e6; });
    const LossFit fit = fit_loss(runs);
    EXPECT_NO_THROW(predict_loss(fit, {1, 4e5, 1e6}));
    EXPECT_THAT(fit_refusal([&] { predict_loss(fit, {1, 4e5, 4e6}); }), HasSubstr("no run of the fit is near"));
    EXPECT_THAT(predict_loss(fit, {1, 4e5, 4e6}, true).outside, ElementsAre("combination"));
}

TEST(LossFit, TermsNeedDifferentValues) {
    std::vector<LossFitRun> runs = factorial_runs();
    std::erase_if(runs, [](const LossFitRun& run) { return run.at.tokens == 4e6; });
    EXPECT_THAT(fit_loss(runs).terms, ElementsAre(LossTerm::root_fraction, LossTerm::fraction, LossTerm::parameters));
    std::erase_if(runs, [](const LossFitRun& run) { return run.at.fraction == 0.25 || run.at.fraction == 0.5; });
    const LossFit fit = fit_loss(runs);
    EXPECT_THAT(fit.terms, ElementsAre(LossTerm::root_fraction, LossTerm::parameters));
    // Without one of the two fractions their effect cannot be fitted, so no setting can be left out.
    EXPECT_EQ(fit.lack_of_fit->numerator, 1);
    EXPECT_THAT(fit_refusal([&] { predict_loss(fit, {1, 2e5, 2e6}); }), HasSubstr("at tokens = 2000000 is refused"));
}

TEST(LossFit, OneFractionHasNoInteraction) {
    std::vector<LossFitRun> runs = factorial_runs();
    std::erase_if(runs, [](const LossFitRun& run) { return run.at.fraction != 1; });
    const LossFit fit = fit_loss(runs);
    EXPECT_THAT(fit.terms, ElementsAre(LossTerm::parameters, LossTerm::tokens));
    EXPECT_FALSE(fit.interaction);
}

TEST(LossFit, FindsAnInteraction) {
    std::vector<LossFitRun> runs = factorial_runs();
    for (LossFitRun& run : runs) run.loss *= std::exp(0.05 * std::sqrt(run.at.fraction) * std::log(run.at.tokens));
    const LossFit fit = fit_loss(runs);
    EXPECT_LT(fit.interaction->p, 1e-6);
    EXPECT_LT(fit.lack_of_fit->p, 1e-3);
}

TEST(LossFit, RefusesRunsThatCannotBeFitted) {
    const std::vector<LossFitRun> all = factorial_runs();
    EXPECT_THAT(fit_refusal([&] { fit_loss({}); }), HasSubstr("needs runs that differ in the rotated fraction"));
    EXPECT_EQ(fit_refusal([&] {
                  fit_loss(std::vector<LossFitRun>{all[0], all[2], all[4], all[8], all[16]});
              }),
              "The fit has 5 coefficients and needs at least 8 finished runs, but there are 5; train more seeds or "
              "settings.");

    std::vector<LossFitRun> together = all;
    for (LossFitRun& run : together) run.at.tokens = 20 * run.at.parameters;
    EXPECT_THAT(
        fit_refusal([&] { fit_loss(together); }),
        HasSubstr("the number of training tokens changes together with the model size or the rotated fraction"));
    for (LossFitRun& run : together) run.at.parameters = 1e5 * std::exp(std::sqrt(run.at.fraction));
    for (LossFitRun& run : together) run.at.tokens = 1e6;
    EXPECT_THAT(fit_refusal([&] { fit_loss(together); }),
                HasSubstr("the number of parameters changes together with the rotated fraction"));
    std::vector<LossFitRun> close = all;
    for (LossFitRun& run : close) run.at.fraction = 0.98 + 0.02 * run.at.fraction;
    EXPECT_THAT(fit_refusal([&] { fit_loss(close); }), HasSubstr("fractions of the runs are too close together"));

    std::vector<LossFitRun> exact = all;
    for (LossFitRun& run : exact) run.loss = std::exp(2 - 0.05 * std::log(run.at.tokens));
    EXPECT_THAT(fit_refusal([&] { fit_loss(exact); }), HasSubstr("no scatter around the fit"));
    exact[3].loss = 0;
    EXPECT_THAT(fit_refusal([&] { fit_loss(exact); }), HasSubstr("needs positive losses, but a run has the loss 0."));
}

TEST(LossFit, ParsesPoints) {
    const LossFit fit = fit_loss(factorial_runs());
    const LossPoint expected{0.25, 2e5, 3e6};
    EXPECT_EQ(parse_loss_point(fit, "fraction=25%,parameters=200k,tokens=3M"), expected);
    EXPECT_EQ(parse_loss_point(fit, "tokens=3e6, parameters=200000, fraction=0.25"), expected);
    EXPECT_THAT(fit_refusal([&] { parse_loss_point(fit, "fraction=25%,parameters=200k"); }),
                HasSubstr("needs a value of tokens"));
    EXPECT_THAT(fit_refusal([&] { parse_loss_point(fit, "size=3"); }),
                HasSubstr("\"size=3\" does not give a variable"));
    EXPECT_THAT(fit_refusal([&] { parse_loss_point(fit, "fraction"); }),
                HasSubstr("\"fraction\" does not give a variable"));
    EXPECT_THAT(fit_refusal([&] { parse_loss_point(fit, "fraction=2 ch,parameters=1,tokens=1"); }),
                HasSubstr("head dimensions"));
    EXPECT_THAT(fit_refusal([&] { parse_loss_point(fit, "fraction=1,parameters=big,tokens=1"); }),
                HasSubstr("\"big\" is not a number"));
    // A variable with a single value may be omitted.
    std::vector<LossFitRun> runs = factorial_runs();
    for (LossFitRun& run : runs) run.at.tokens = 1e6;
    EXPECT_EQ(parse_loss_point(fit_loss(runs), "fraction=1,parameters=1e5"), (LossPoint{1, 1e5, 1e6}));
}

TEST(LeastSquares, ColumnsWithoutVarianceAreCollinear) {
    EXPECT_EQ(collinear_column({{1, 5}, {2, 5}, {4, 5}}), 1U);
    EXPECT_EQ(collinear_column({{1, 5}, {2, 4}, {4, 5}}), std::nullopt);
    EXPECT_EQ(fit_linear({{1, 2}, {2, 4}, {4, 8}}, std::vector<double>{1, 2, 3}), std::nullopt);
    EXPECT_EQ(fit_linear({}, {}), std::nullopt);
    EXPECT_THROW(fit_linear({{1}, {2}}, std::vector<double>{1}), BadInput);
    const auto line = fit_linear({{1}, {2}, {3}}, std::vector<double>{1, 3, 4});
    ASSERT_TRUE(line);
    EXPECT_NEAR(line->slopes[0], 1.5, 1e-12);
    EXPECT_NEAR(line->intercept, -1.0 / 3, 1e-12);
    EXPECT_NEAR(line->residual_sum, 1.0 / 6, 1e-12);
    EXPECT_NEAR(line->leverage(std::vector<double>{2}), 1.0 / 3, 1e-12);
    EXPECT_NEAR(line->slope_error(0), std::sqrt(1.0 / 12), 1e-12);
}

}  // namespace
}  // namespace ropelab
