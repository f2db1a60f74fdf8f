#include "ui/rooms/context/context_figures.h"

#include <gtest/gtest.h>

#include <QRegularExpression>
#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "tests/support/expect_message.h"
#include "ui/figure/export/export.h"
#include "ui/figure/export/figure_page.h"
#include "ui/rooms/context/criteria_panel.h"
#include "ui/rotary/spectrum_data.h"

namespace ropelab::ui {
namespace {

RotarySetup contextSetup(int headDim, double theta, std::int64_t context, double fraction = 1) {
    RotarySetup setup;
    setup.head_dim = headDim;
    setup.theta = theta;
    setup.context = context;
    setup.fraction = fraction;
    return setup;
}

BoundData boundOf(const RotarySetup& setup) {
    return boundData(setup, kMaxPositions);
}

const FigureLine* contextLine(const Figure& figure) {
    for (const FigureLine& line : figure.verticalLines) {
        if (line.handle == kContextLine) return &line;
    }
    return nullptr;
}

TEST(BoundData, FirstNegativePositionsMatchReferenceValues) {
    EXPECT_EQ(boundOf(contextSetup(64, 10000, 1024)).firstNegative, 725);
    EXPECT_EQ(boundOf(contextSetup(64, 1e6, 1024)).firstNegative, 6235);
    EXPECT_EQ(boundOf(contextSetup(128, 10000, 4096)).firstNegative, 1707);
    EXPECT_EQ(boundOf(contextSetup(128, 5e5, 8192)).firstNegative, 18438);
}

TEST(BoundData, SupportsContextsUpToTheFirstNegativePosition) {
    EXPECT_EQ(isSupported(boundOf(contextSetup(128, 10000, 1707))), true);
    EXPECT_EQ(isSupported(boundOf(contextSetup(128, 10000, 1708))), false);
    EXPECT_EQ(isSupported(boundData(contextSetup(128, 5e5, 8192), 4096)), std::nullopt);
    EXPECT_FALSE(boundData(contextSetup(128, 5e5, 8192), 4096).isComplete);
}

TEST(BoundData, HasTheDepthOfAnInfeasibleBase) {
    const BoundData data = boundOf(contextSetup(64, 1850, 256));
    ASSERT_TRUE(data.lowest);
    EXPECT_NEAR(data.lowest->value, -0.1566, 1e-4);  // computed with a Python sum of cosines
    EXPECT_EQ(data.lowest->distance, 235);
    EXPECT_EQ(data.lowest->negative, 1);
    EXPECT_FALSE(boundOf(contextSetup(64, 10000, 256)).lowest);
    const QString text = contextCriteria(data, {})[0].text;
    EXPECT_TRUE(text.contains("(the largest possible value is 32), at Δ = 235; B(Δ) < 0 at 1 of the 256 distances"))
        << text.toStdString();
    EXPECT_NEAR(boundFigure(data, true).settings["lowest_bound"].toDouble(), -0.1566, 1e-4);
}

TEST(BoundData, IsNeverNegativeWithHalfOfTheChannelsRotated) {
    const BoundData half = boundOf(contextSetup(64, 10000, 1 << 18, 0.5));
    EXPECT_FALSE(canBeNegative(half.setup));
    EXPECT_TRUE(half.isComplete);
    EXPECT_EQ(half.firstNegative, std::nullopt);
    EXPECT_EQ(isSupported(half), true);
    EXPECT_TRUE(canBeNegative(contextSetup(64, 10000, 1024, 0.6)));
}

TEST(BoundData, AxisShowsContextAndFirstNegativePosition) {
    EXPECT_EQ(boundOf(contextSetup(64, 10000, 100)).end, 1024);  // 725 with a margin
    EXPECT_EQ(boundOf(contextSetup(64, 10000, 5000)).end, 8192);
    EXPECT_EQ(boundOf(contextSetup(64, 10000, 1 << 25)).end, kMaxPositions);
    EXPECT_EQ(boundData(contextSetup(64, 10000, 100), kMaxPositions, 4096).bound.size(), 4096U);
}

TEST(BoundFigure, CurveIsTheSumOfCosines) {
    const BoundData data = boundData(contextSetup(64, 10000, 1024, 0.75), kMaxPositions, 1024);
    const Figure figure = boundFigure(data, false);
    ASSERT_FALSE(figure.curves.empty());
    const FigureCurve& curve = figure.curves.front();
    for (const qsizetype m : {0, 1, 10, 700}) {
        double sum = 8;  // unrotated pairs
        for (int i = 0; i < 24; ++i) sum += std::cos(static_cast<double>(m) * std::pow(10000.0, -i / 24.0));
        EXPECT_EQ(curve.x[m], static_cast<double>(m));
        EXPECT_NEAR(curve.y[m], sum, 1e-9) << m;
    }
    EXPECT_TRUE(figure.note.contains("8 unrotated pairs")) << figure.note.toStdString();
}

TEST(BoundFigure, ContextLineIsGreenIfSupportedElseRed) {
    const Figure supported = boundFigure(boundOf(contextSetup(128, 10000, 1024)), true);
    ASSERT_NE(contextLine(supported), nullptr);
    EXPECT_EQ(contextLine(supported)->ink.kind, Ink::Kind::success);
    const Figure failed = boundFigure(boundOf(contextSetup(128, 10000, 4096)), true);
    EXPECT_EQ(contextLine(failed)->ink.kind, Ink::Kind::error);
    EXPECT_EQ(failed.verticalLines.front().at, 1707);
    EXPECT_TRUE(failed.summary.contains("supports a context of 1,707 tokens")) << failed.summary.toStdString();
}

// At 3,045 tokens, dynamic NTK has other frequencies, with which B(Δ) is not negative yet.
TEST(BoundFigure, DynamicScalingSupportsItsContextAndNotMore) {
    const RotarySetup setup =
        parse_setup("theta=10k head_dim=64 context=2048 scaling=dynamic factor=8 original_context=1024");
    const BoundData data = boundOf(setup);
    EXPECT_EQ(data.firstNegative, 3044);
    const QString words = boundFigure(data, true).summary;
    EXPECT_TRUE(words.contains("supports its context of 2,048 tokens")) << words.toStdString();
    EXPECT_FALSE(words.contains("a context of 3,044")) << words.toStdString();
}

TEST(DecayFigure, NamesTheChannelsOfTheBound) {
    const Figure figure = decayFigure(parse_setup("theta=500 head_dim=32 fraction=25% context=256"), 256, false);
    EXPECT_TRUE(figure.note.contains("d = 8 rotated channels of 32")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.contains("of the rotated channels' part of the attention logit"));
    EXPECT_TRUE(decayFigure(parse_setup("theta=500 head_dim=32 context=256"), 256, false).note.contains("d = 32;"));
}

TEST(BoundFigure, ThinnedCurvesKeepTheirExtremes) {
    const BoundData data = boundOf(contextSetup(128, 5e5, 65536));
    ASSERT_EQ(data.bound.size(), 131072U);
    const double lowest = *std::min_element(data.bound.begin(), data.bound.end());
    for (const bool logarithmic : {false, true}) {
        const Figure figure = boundFigure(data, logarithmic);
        const FigureCurve& curve = figure.curves.front();
        EXPECT_LT(curve.x.size(), 40000);
        EXPECT_DOUBLE_EQ(*std::min_element(curve.y.begin(), curve.y.end()), lowest);
    }
}

TEST(ContextCriteria, CriticalDimensionsMatchReferenceValues) {
    EXPECT_EQ(tuningNumbers(contextSetup(128, 10000, 4096), {}).criticalDimension, 92);
    EXPECT_EQ(tuningNumbers(contextSetup(128, 5e5, 8192), {}).criticalDimension, 70);
    EXPECT_EQ(tuningNumbers(contextSetup(64, 500, 256), {}).criticalDimension, 40);
}

TEST(ContextCriteria, CriticalBaseAndExtrapolationLimitFollowFormula15) {
    const RotarySetup llama2 = contextSetup(128, 10000, 4096);
    Tuning tuning;
    tuning.context = 16384;
    TuningNumbers numbers = tuningNumbers(llama2, tuning);
    ASSERT_TRUE(numbers.criticalBase.has_value());
    // F15, computed directly.
    const double twoPi = 2 * std::acos(-1.0);
    const double criticalBase = std::pow(10000, std::log(16384 / twoPi) / std::log(4096 / twoPi));
    EXPECT_NEAR(*numbers.criticalBase, criticalBase, 1e-6 * criticalBase);
    tuning.base = 1e6;
    numbers = tuningNumbers(llama2, tuning);
    const double limit = twoPi * std::pow(1e6, 92.0 / 128);
    EXPECT_NEAR(*numbers.extrapolationLimit, limit, 1e-6 * limit);
    const QString text = contextCriteria(boundOf(llama2), tuning)[2].text;
    EXPECT_TRUE(
        text.contains(tokensText(std::floor(limit)) +
                      " tokens after training at a context of 4,096 tokens and fine-tuning with base β = 1,000,000"))
        << text.toStdString();
    EXPECT_TRUE(text.contains("critical base, which is " + tokensText(std::ceil(criticalBase)) +
                              " for the target of 16,384 tokens"))
        << text.toStdString();
}

TEST(ContextCriteria, AreReadOutsWithTheoryConditionAndNumber) {
    const auto short_ = contextCriteria(boundOf(contextSetup(128, 10000, 4096)), {});
    EXPECT_TRUE(
        short_[0].text.contains("the mean logit advantage of similar keys, B(Δ), is ≥ 0 for distances Δ < 1,707 "
                                "tokens; the context is 4,096 tokens."))
        << short_[0].text.toStdString();
    EXPECT_EQ(short_[1].text,
              "Critical dimension (Liu et al.): 92 of 128 channels complete a period in the training context of 4,096 "
              "tokens.");
    EXPECT_TRUE(short_[2].text.startsWith("Extrapolation limit (Liu et al.):")) << short_[2].text.toStdString();
    EXPECT_EQ(short_[2].condition, "fine-tuned at base β = 10,000");
    const auto open = contextCriteria(boundData(contextSetup(128, 5e5, 8192), 4096), {});
    EXPECT_EQ(open[0].condition, "computing more …");
    EXPECT_NE(open[1].condition, "computing more …");
    const auto none = contextCriteria(boundOf(contextSetup(64, 10000, 4, 0)), {});
    EXPECT_TRUE(none[1].text.endsWith("no channel rotates."));
    EXPECT_TRUE(none[2].text.contains("no channel rotates"));
}

TEST(ContextCriteria, HaveATargetOnlyIfTheUserSetOne) {
    const RotarySetup setup = contextSetup(64, 10000, 1024);  // four times the context would be 4,096
    const TuningNumbers numbers = tuningNumbers(setup, {});
    EXPECT_FALSE(numbers.context);
    EXPECT_FALSE(numbers.criticalBase);
    EXPECT_TRUE(numbers.extrapolationLimit);
    for (const Tile& criterion : contextCriteria(boundOf(setup), {})) {
        EXPECT_FALSE(criterion.text.contains("4,096")) << criterion.text.toStdString();
        EXPECT_FALSE(criterion.text.contains("target")) << criterion.text.toStdString();
    }
    EXPECT_EQ(suggestedTarget(setup), 4096);
}

TEST(BaseProfile, FeasibleIntervalsMatchReferenceValues) {
    // d = 64, L = 256: about [1413, 1792] ∪ [1892, 1897] ∪ [1952, ∞).
    const RotarySetup setup = contextSetup(64, 1850, 256);
    BaseProfile profile(setup, {.low = 1000, .high = 10000, .limit = 4096, .doublings = 13});
    profile.extend();
    ASSERT_TRUE(profile.isComplete());
    const auto intervals = feasibleIntervals(profile.points(), 256);
    ASSERT_EQ(intervals.size(), 3U);
    EXPECT_NEAR(intervals[0].low, 1413, 2);
    EXPECT_NEAR(intervals[0].high, 1792, 2);
    EXPECT_NEAR(intervals[1].low, 1892, 2);
    EXPECT_NEAR(intervals[1].high, 1897, 2);
    EXPECT_NEAR(intervals[2].low, 1952, 2);
    EXPECT_DOUBLE_EQ(intervals[2].high, 10000);
}

TEST(BaseProfile, FirstFeasibleBasesMatchReferenceValues) {
    const RotarySetup setup = contextSetup(128, 10000, 1024);
    BaseProfile profile(setup, {.low = 1000, .high = 1e6, .limit = 8192, .doublings = 11});
    profile.extend();
    const auto points = profile.points();
    EXPECT_NEAR(feasibleIntervals(points, 1024).front().low, 4.3e3, 100);
    EXPECT_NEAR(feasibleIntervals(points, 1024).back().low, 6.0e3, 100);
    EXPECT_NEAR(feasibleIntervals(points, 2048).front().low, 1.16e4, 200);
    EXPECT_NEAR(feasibleIntervals(points, 2048).back().low, 2.27e4, 300);
    EXPECT_NEAR(feasibleIntervals(points, 8192).front().low, 8.4e4, 1000);
}

TEST(BaseProfile, RefiningKeepsComputedBases) {
    const RotarySetup setup = contextSetup(64, 10000, 256);
    BaseProfile profile(setup, {.low = 100, .high = 10000, .limit = 1024, .doublings = 4});
    profile.extend();
    const auto coarse = profile.points();
    EXPECT_EQ(coarse.size(), 17U);
    profile.refine();
    EXPECT_FALSE(profile.isComplete());
    EXPECT_EQ(profile.done(), 17U);
    profile.extend();
    const auto fine = profile.points();
    ASSERT_EQ(fine.size(), 33U);
    for (std::size_t i = 0; i < coarse.size(); ++i) {
        EXPECT_DOUBLE_EQ(fine[2 * i].base, coarse[i].base);
        EXPECT_EQ(fine[2 * i].supported, coarse[i].supported);
    }
    EXPECT_TRUE(profile.matches(setup, {.low = 100, .high = 10000, .limit = 1024}));
    EXPECT_FALSE(profile.matches(contextSetup(128, 10000, 256), {.low = 100, .high = 10000, .limit = 1024}));
    EXPECT_TRUE(profile.matches(contextSetup(64, 500, 999), {.low = 100, .high = 10000, .limit = 1024}));
}

TEST(BaseProfile, CancelledScanKeepsNoPartialResult) {
    BaseProfile profile(contextSetup(64, 10000, 256), {});
    profile.extend(0, [] { return true; });
    EXPECT_EQ(profile.done(), 0U);
    EXPECT_MESSAGE(BaseProfile(contextSetup(64, 10000, 256), {.low = 1, .high = 100}), BadInput, "from 1 to 100");
}

TEST(BasesFigure, StatesScanAndFeasibleIntervals) {
    const RotarySetup setup = contextSetup(64, 1850, 256);
    BaseProfile profile(setup, {.low = 1000, .high = 10000, .limit = 4096, .doublings = 12});
    EXPECT_TRUE(scanText(profile).contains("0 of 4,097 bases")) << scanText(profile).toStdString();
    profile.extend();
    const Figure figure = basesFigure(profile, boundOf(setup));
    EXPECT_TRUE(figure.note.contains("4,097 bases from 1k to 10k")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.contains("all bases ≥ 1,95")) << figure.summary.toStdString();
    ASSERT_EQ(figure.table.columns.size(), 2);
    EXPECT_EQ(figure.table.columns[0].size(), 4098);  // the scanned bases and θ
    const FigureCurve& current = figure.curves.back();
    EXPECT_EQ(current.ink.kind, Ink::Kind::error);  // 1,850 lies between two feasible intervals
    EXPECT_EQ(current.x, QList<double>{1850});
}

TEST(BasesFigure, AppliesTheScalingOfTheSetup) {
    RotarySetup qwen = contextSetup(128, 1e6, 32768);
    qwen.scaling = {.method = ScalingMethod::yarn, .factor = 4, .original_context = 32768};
    BaseProfile profile(qwen, {.low = 1e6 * (1 - 1e-9), .high = 1e7, .limit = 65536, .doublings = 1});
    profile.extend();
    // Computed with a Python sum of cosines: B(Δ) ≥ 0 for Δ < 32,768 with YaRN, but not without.
    EXPECT_GE(profile.points().front().supported, 32768);
    EXPECT_TRUE(basesSentence(profile, boundOf(qwen)).contains("32,768 tokens with YaRN"));
    EXPECT_EQ(isSupported(boundOf(qwen)), true);
    EXPECT_EQ(isSupported(boundOf(contextSetup(128, 1e6, 32768))), false);
    // A scaling can depend on the context, so another context needs another scan.
    RotarySetup longer = qwen;
    longer.context = 65536;
    EXPECT_TRUE(profile.matches(qwen, profile.range()));
    EXPECT_FALSE(profile.matches(longer, profile.range()));
    EXPECT_FALSE(profile.matches(contextSetup(128, 1e6, 32768), profile.range()));
}

TEST(ContextCriteria, SayWhichNumbersAreUnscaled) {
    RotarySetup llama = contextSetup(128, 500000, 131072);
    llama.scaling = {.method = ScalingMethod::llama3, .factor = 8, .original_context = 8192};
    const auto criteria = contextCriteria(boundOf(llama), {});
    EXPECT_TRUE(criteria[0].text.contains("85,133 tokens with Llama 3")) << criteria[0].text.toStdString();
    EXPECT_TRUE(criteria[1].text.startsWith("Critical dimension (Liu et al.), unscaled: 70 of 128"))
        << criteria[1].text.toStdString();
    // The command `context` prints the same number of channels for the scaled frequencies.
    EXPECT_TRUE(
        criteria[1].text.endsWith("With the setup's scaling, 78 of 128 channels complete a period in 131,072 tokens."))
        << criteria[1].text.toStdString();
    EXPECT_TRUE(criteria[2].text.startsWith("Extrapolation limit (Liu et al.), unscaled:"));
}

TEST(BasesFigure, AgreesWithTheContextBoundAboutTheta) {
    RotarySetup llama = contextSetup(128, 500000, 131072);
    llama.scaling = {.method = ScalingMethod::llama3, .factor = 8, .original_context = 8192};
    BaseProfile profile(llama, {.low = 1e5, .high = 1e6, .limit = 131072, .doublings = 2});
    profile.extend();
    const BoundData bound = boundOf(llama);
    ASSERT_EQ(bound.firstNegative, 85133);
    const Figure figure = basesFigure(profile, bound);
    const qsizetype row = figure.table.columns[0].indexOf(500000.0);
    ASSERT_GE(row, 0);  // the scan itself misses θ
    EXPECT_EQ(figure.table.columns[1][row], 85133);
    for (const BaseProfile::Point& point : profile.points()) EXPECT_NE(point.base, 500000);
    // A base that the bound supports is feasible in the sentence, too, even if no scanned base is, with its interval.
    RotarySetup narrow = contextSetup(64, 1895, 256);                                        // between 1,892 and 1,897
    BaseProfile coarse(narrow, {.low = 1800, .high = 1950, .limit = 4096, .doublings = 1});  // infeasible
    coarse.extend();
    EXPECT_TRUE(basesSentence(coarse, boundOf(narrow)).contains("1,892–1,897"))
        << basesSentence(coarse, boundOf(narrow)).toStdString();
}

TEST(BasesFigure, SaysThatEveryBaseIsFeasible) {
    const RotarySetup setup = contextSetup(64, 10000, 256, 0.25);
    const Figure figure = basesFigure(BaseProfile(setup, baseRange(setup, false)), boundOf(setup));
    EXPECT_TRUE(isEmpty(figure));
    EXPECT_TRUE(figure.emptyText.contains("excludes no base and no context"));
}

TEST(BasesFigure, RangeContainsTheta) {
    for (const double theta : {1.5, 50.0, 10000.0, 5e8, 1e15}) {
        for (const bool near : {false, true}) {
            const auto range = baseRange(contextSetup(64, theta, 256), near);
            EXPECT_LE(range.low, std::max(2.0, theta)) << theta;
            EXPECT_GE(range.high, theta) << theta;
        }
    }
}

TEST(DecayFigure, SuBoundMatchesReferenceValues) {
    const RotarySetup setup = contextSetup(128, 10000, 4096);
    const Figure figure = decayFigure(setup, 8192);
    const FigureCurve& curve = figure.curves.front();
    const auto at = [&](double distance) { return curve.y[curve.x.indexOf(distance)]; };
    EXPECT_NEAR(at(1), 31.54, 0.005);
    EXPECT_NEAR(at(10), 17.95, 0.005);
    EXPECT_TRUE(figure.note.contains("value at Δ = 0: 32.50")) << figure.note.toStdString();
    EXPECT_TRUE(isEmpty(decayFigure(contextSetup(64, 10000, 256, 0), 512)));
}

TEST(DecayFigure, ComparedPointsAreFarEnoughApartToBeHollow) {
    const Figure figure = decayFigure(contextSetup(128, 10000, 4096), 8192, true);
    EXPECT_LE(figure.curves.front().x.size(), 80);
    EXPECT_GE(figure.curves.front().pointPt, 3);
    EXPECT_TRUE(figure.note.contains(QStringLiteral("at %1 distances").arg(figure.curves.front().x.size())));
}

TEST(LogitSamples, RoundsCombineToOneSample) {
    LogitSamples samples = startSampling(contextSetup(64, 10000, 256), 1, 512);
    while (samples.count < 4096) samples = withMoreSamples(samples, nextRound(samples));
    EXPECT_EQ(samples.count, 4096);
    const Frequencies now = frequencies(frequency_settings(samples.setup));
    for (std::size_t i = 0; i < samples.distances.size(); ++i) {
        // F16; five standard errors.
        EXPECT_LT(std::abs(samples.chosen.mean[i]), 5 * samples.chosen.standard_error[i]) << samples.distances[i];
        EXPECT_NEAR(samples.chosen.standard_error[i], std::sqrt(64.0 / 4096), 0.02);
        EXPECT_NEAR(samples.equal.mean[i], expected_logit(now, 64, samples.distances[i], equalVectors({})),
                    5 * samples.equal.standard_error[i]);
    }
    LogitSamples again = startSampling(samples.setup, 1, 512);
    while (again.count < 4096) again = withMoreSamples(again, nextRound(again));
    EXPECT_EQ(again.equal.mean, samples.equal.mean);
    LogitSamples other = withMoreSamples(startSampling(samples.setup, 2, 512), 4096);
    EXPECT_NE(other.equal.mean, samples.equal.mean);
}

TEST(RandomFigure, ExpectedValuesAndTableColumns) {
    const RotarySetup setup = contextSetup(64, 10000, 256);
    const BoundData data = boundOf(setup);
    const Figure figure = randomFigure(withMoreSamples(startSampling(setup, 1, 512), 64), data.bound, 512);
    const FigureCurve& equal = figure.curves.front();
    EXPECT_NEAR(equal.y[equal.x.indexOf(1.0)], 61.8, 0.05);
    EXPECT_NEAR(equal.y[equal.x.indexOf(10.0)], 42.1, 0.05);
    EXPECT_NEAR(equal.y[equal.x.indexOf(100.0)], 35.7, 0.05);
    EXPECT_EQ(figure.table.names.size(), 7);
    EXPECT_EQ(figure.table.columns.size(), 7);
    EXPECT_TRUE(figure.note.contains("64 samples"));
    EXPECT_TRUE(figure.summary.contains("because μ² + ρ = 0")) << figure.summary.toStdString();
}

TEST(RandomFigure, ShowsTheChosenDistribution) {
    const RotarySetup setup = contextSetup(64, 10000, 256);
    const Figure mean = randomFigure(setup, {.mean = 1});
    const FigureCurve& independent = mean.curves[1];
    EXPECT_EQ(independent.quantity, "independent, expected");
    EXPECT_NEAR(independent.y[independent.x.indexOf(10.0)], 42.1, 0.05);
    EXPECT_NEAR(independent.y[independent.x.indexOf(100.0)], 35.7, 0.05);
    EXPECT_EQ(mean.settings["mean"].toDouble(), 1.0);
    EXPECT_EQ(mean.settings["correlation"].toDouble(), 0.0);
    EXPECT_TRUE(mean.summary.contains("μ² + ρ = 1 is above 0")) << mean.summary.toStdString();
    // k = q with a mean of 1 has μ² + ρ = 2.
    EXPECT_NEAR(mean.curves[0].y[mean.curves[0].x.indexOf(10.0)], 84.2, 0.05);

    const Figure correlated = randomFigure(setup, {.correlation = -0.5});
    const FigureCurve& curve = correlated.curves[1];
    EXPECT_EQ(curve.quantity, "ρ = −0.5, expected");
    EXPECT_NEAR(curve.y[curve.x.indexOf(100.0)], -17.87, 0.01);
    EXPECT_LT(correlated.y.minimum, -32);
    EXPECT_TRUE(correlated.summary.contains("increases on the whole")) << correlated.summary.toStdString();
    EXPECT_TRUE(correlated.table.names.contains("ρ = −0.5 · mean"));
}

TEST(RandomFigure, ExpectedCurveHasTheExtremesOfEveryDistance) {
    RotarySetup llama = contextSetup(128, 500000, 131072);  // Llama 3.1
    llama.scaling = {.method = ScalingMethod::llama3, .factor = 8, .original_context = 8192};
    const std::int64_t end = distanceAxisEnd(llama.context);
    ASSERT_EQ(end, 262144);
    const std::vector<double> bound = context_bound(frequencies(frequency_settings(llama)), 128, 262144);
    const Figure figure = randomFigure(startSampling(llama, 1, end), bound, end);
    const FigureCurve& curve = figure.curves.front();
    qsizetype far = 0;
    for (qsizetype i = 0; i < curve.x.size(); ++i) {
        EXPECT_DOUBLE_EQ(curve.y[i], 2 * bound[static_cast<std::size_t>(curve.x[i])]);
        far += curve.x[i] > 16384 ? 1 : 0;
    }
    EXPECT_GT(far, 800);  // the minimum and the maximum of each of the 455 columns beyond 16,384 tokens
    const auto lowest = std::min_element(bound.begin(), bound.end());
    const auto place = static_cast<double>(lowest - bound.begin());
    EXPECT_GE(place, 85133);  // the first negative distance
    EXPECT_TRUE(curve.x.contains(place));
    // Without the values beyond a distance, the curve ends there.
    const Figure part = randomFigure(startSampling(llama, 1, end), std::span(bound).first(1000), end);
    EXPECT_EQ(part.curves.front().x.last(), 999);
    EXPECT_TRUE(part.note.contains("computed for Δ < 1,000")) << part.note.toStdString();
}

// The models' own heads and scalings decide; the curves are those of the setup.
TEST(ContextMap, PlacesModelsByTheirOwnHeads) {
    const auto place = [](const QString& name) {
        const auto found = std::ranges::find(knownPlaces(), name, &ContextPlace::name);
        EXPECT_NE(found, knownPlaces().end()) << name.toStdString();
        return *found;
    };
    const ContextPlace second = place("Llama 2 7B");
    EXPECT_EQ(second.theta, 10000);
    EXPECT_EQ(second.context, 4096);
    EXPECT_FALSE(second.isSupported) << "B(Δ) is first negative at 1,707";
    EXPECT_FALSE(second.isComplete) << "46 of 64 pairs are complete";
    EXPECT_TRUE(place("Llama 3 8B").isSupported) << "B(Δ) is first negative at 18,438";
    const RotarySetup setup = contextSetup(64, 10000, 1024);
    BaseProfile profile(setup, baseRange(setup, false));
    profile.extend();
    std::vector<ContextPlace> places = {second, place("Llama 3 8B")};
    places.push_back({"run", 500, 128, true, false, true, true});
    places.push_back({"other run", 500, 256, false, false, true, true});
    const Figure figure = mapFigure(profile, boundOf(setup), places);
    EXPECT_TRUE(figure.summary.contains("Of 2 known models")) << figure.summary.toStdString();
    EXPECT_TRUE(figure.summary.contains("in the whole context of 1,")) << figure.summary.toStdString();
    EXPECT_TRUE(figure.summary.contains("agrees with the bound in 1 of 2 measured settings"))
        << figure.summary.toStdString();
    const auto at = [&](const QString& quantity, double theta) {
        for (const FigureCurve& curve : figure.curves) {
            if (curve.quantity != quantity || curve.x.size() < 2) continue;
            const auto next = std::ranges::lower_bound(curve.x, theta * (1 - 1e-9));
            return curve.y[next - curve.x.begin()];
        }
        return 0.0;
    };
    EXPECT_EQ(at("supported context length", 10000), 725);
    EXPECT_NEAR(at("longest period", 10000), 2 * M_PI * std::pow(10000, 62.0 / 64), 1);
    EXPECT_NEAR(at("longest tuning context (Liu et al.)", 10000), 1024, 1e-6) << "at the setup's θ its own context";
    EXPECT_NEAR(at("extrapolation limit (Liu et al.)", 10000), 2 * M_PI * std::pow(10000, 36.0 / 64), 1e-6);
    EXPECT_EQ(figure.table.columns.front().size(), 4);
}

TEST(ContextMap, NamesEveryModelOnPaper) {
    const RotarySetup setup = contextSetup(64, 10000, 1024);
    const Figure figure = mapFigure(BaseProfile(setup, baseRange(setup, false)), boundOf(setup), knownPlaces());
    ExportOptions options;
    options.format = FigureFormat::svg;
    options.widthMm = 85;
    options.heightMm = fittedHeightMm({&figure, 1}, options);
    QString page = QString::fromUtf8(figureBytes(figure, options));
    page = page.left(page.indexOf("<metadata"));
    page.remove(QRegularExpression("<[^>]*>")).replace(QRegularExpression("\\s+"), " ");
    std::size_t models = 0;
    for (const FigureCurve& curve : figure.curves) {
        if (curve.quantity != "context of a known model") continue;
        EXPECT_TRUE(page.contains(curve.label)) << curve.label.toStdString();
        const qsizetype more = curve.label.lastIndexOf(" +");  // "Llama 2 7B +2"
        models += 1 + (more < 0 ? 0 : curve.label.mid(more + 2).toUInt());
    }
    EXPECT_EQ(models, knownPlaces().size());
}

TEST(ContextFigures, EveryFigureIsMadeFromAnySetup) {
    EXPECT_EQ(contextFigures().size(), 6U);
    for (const RotarySetup& setup :
         {contextSetup(16, 10000, 64), contextSetup(16, 10000, 3, 0), contextSetup(16, 500, 64, 0.25)}) {
        for (const RotaryFigure& each : contextFigures()) {
            const Figure figure = each.make(setup, {});
            EXPECT_EQ(figure.name, QLatin1String(each.name));
            EXPECT_FALSE(figure.summary.isEmpty()) << each.name;
            EXPECT_TRUE(figure.settings.contains("setup")) << each.name;
        }
    }
}

}  // namespace
}  // namespace ropelab::ui
