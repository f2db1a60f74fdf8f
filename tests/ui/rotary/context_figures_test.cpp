#include "ui/rotary/context/context_figures.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"
#include "ui/rotary/context/context_criteria.h"

namespace ropelab::ui {
namespace {

RotarySetup setupOf(int headDim, double theta, std::int64_t context, double fraction = 1) {
    RotarySetup setup;
    setup.head_dim = headDim;
    setup.theta = theta;
    setup.context = context;
    setup.fraction = fraction;
    return setup;
}

BoundData boundOf(const RotarySetup& setup) {
    return boundData(setup, kMostFollowed);
}

const FigureLine* contextLine(const Figure& figure) {
    for (const FigureLine& line : figure.verticalLines) {
        if (line.handle == kContextLine) return &line;
    }
    return nullptr;
}

TEST(BoundData, FirstNegativePositionsOfTheFormulaBook) {
    EXPECT_EQ(boundOf(setupOf(64, 10000, 1024)).firstNegative, 725);
    EXPECT_EQ(boundOf(setupOf(64, 1e6, 1024)).firstNegative, 6235);
    EXPECT_EQ(boundOf(setupOf(128, 10000, 4096)).firstNegative, 1707);
    EXPECT_EQ(boundOf(setupOf(128, 5e5, 8192)).firstNegative, 18438);
}

TEST(BoundData, WhatTheContextMeets) {
    EXPECT_EQ(isCarried(boundOf(setupOf(128, 10000, 1707))), true);
    EXPECT_EQ(isCarried(boundOf(setupOf(128, 10000, 1708))), false);
    EXPECT_EQ(isCarried(boundData(setupOf(128, 5e5, 8192), 4096)), std::nullopt);
    EXPECT_FALSE(boundData(setupOf(128, 5e5, 8192), 4096).isComplete);
}

TEST(BoundData, HalfTheChannelsAreNeverNegative) {
    const BoundData half = boundOf(setupOf(64, 10000, 1 << 18, 0.5));
    EXPECT_FALSE(canBeNegative(half.setup));
    EXPECT_TRUE(half.isComplete);
    EXPECT_EQ(half.firstNegative, std::nullopt);
    EXPECT_EQ(isCarried(half), true);
    EXPECT_TRUE(canBeNegative(setupOf(64, 10000, 1024, 0.6)));
}

TEST(BoundData, ThePictureShowsContextAndFirstNegative) {
    EXPECT_EQ(boundOf(setupOf(64, 10000, 100)).end, 1024);  // 725 and room
    EXPECT_EQ(boundOf(setupOf(64, 10000, 5000)).end, 8192);
    EXPECT_EQ(boundOf(setupOf(64, 10000, 1 << 25)).end, kMostFollowed);
    EXPECT_EQ(boundData(setupOf(64, 10000, 100), kMostFollowed, 4096).bound.size(), 4096U);
}

TEST(BoundFigure, ItsCurveIsTheSumOfCosines) {
    const BoundData data = boundData(setupOf(64, 10000, 1024, 0.75), kMostFollowed, 1024);
    const Figure figure = boundFigure(data, false);
    ASSERT_FALSE(figure.curves.empty());
    const FigureCurve& curve = figure.curves.front();
    for (const qsizetype m : {0, 1, 10, 700}) {
        double sum = 8;  // pairs that do not turn
        for (int i = 0; i < 24; ++i) sum += std::cos(static_cast<double>(m) * std::pow(10000.0, -i / 24.0));
        EXPECT_EQ(curve.x[m], static_cast<double>(m));
        EXPECT_NEAR(curve.y[m], sum, 1e-9) << m;
    }
    EXPECT_TRUE(figure.note.contains("8 that do not turn")) << figure.note.toStdString();
}

TEST(BoundFigure, TheContextLineIsGreenOrRed) {
    const Figure carried = boundFigure(boundOf(setupOf(128, 10000, 1024)), true);
    ASSERT_NE(contextLine(carried), nullptr);
    EXPECT_EQ(contextLine(carried)->ink.kind, Ink::Kind::success);
    const Figure failed = boundFigure(boundOf(setupOf(128, 10000, 4096)), true);
    EXPECT_EQ(contextLine(failed)->ink.kind, Ink::Kind::error);
    EXPECT_EQ(failed.verticalLines.front().at, 1707);
    EXPECT_TRUE(failed.summary.contains("supports 1,707 tokens")) << failed.summary.toStdString();
}

TEST(BoundFigure, LongCurvesKeepTheirExtremes) {
    const BoundData data = boundOf(setupOf(128, 5e5, 65536));
    ASSERT_EQ(data.bound.size(), 131072U);
    const double lowest = *std::min_element(data.bound.begin(), data.bound.end());
    for (const bool logarithmic : {false, true}) {
        const Figure figure = boundFigure(data, logarithmic);
        const FigureCurve& curve = figure.curves.front();
        EXPECT_LT(curve.x.size(), 40000);
        EXPECT_DOUBLE_EQ(*std::min_element(curve.y.begin(), curve.y.end()), lowest);
    }
}

TEST(ContextCriteria, CriticalDimensionsOfTheFormulaBook) {
    EXPECT_EQ(tuningNumbers(setupOf(128, 10000, 4096), {}).criticalDimension, 92);
    EXPECT_EQ(tuningNumbers(setupOf(128, 5e5, 8192), {}).criticalDimension, 70);
    EXPECT_EQ(tuningNumbers(setupOf(64, 500, 256), {}).criticalDimension, 40);
}

TEST(ContextCriteria, TuningAboveTheCriticalBaseReachesTheTarget) {
    const RotarySetup llama2 = setupOf(128, 10000, 4096);
    Tuning tuning;
    tuning.context = 16384;
    TuningNumbers numbers = tuningNumbers(llama2, tuning);
    ASSERT_TRUE(numbers.criticalBase.has_value());
    // F15 written out.
    const double twoPi = 2 * std::acos(-1.0);
    EXPECT_NEAR(*numbers.criticalBase, std::pow(10000, std::log(16384 / twoPi) / std::log(4096 / twoPi)),
                1e-6 * *numbers.criticalBase);
    tuning.base = 1e6;
    numbers = tuningNumbers(llama2, tuning);
    EXPECT_NEAR(*numbers.reach, twoPi * std::pow(1e6, 92.0 / 128), 1e-6 * *numbers.reach);
    const auto above = contextCriteria(boundOf(llama2), tuning);
    EXPECT_EQ(above[2].state, Criterion::State::met) << above[2].text.toStdString();
    tuning.base = 50000;
    const auto below = contextCriteria(boundOf(llama2), tuning);
    EXPECT_EQ(below[2].state, Criterion::State::failed) << below[2].text.toStdString();
    EXPECT_TRUE(below[2].text.contains("β₀")) << below[2].text.toStdString();
}

TEST(ContextCriteria, StatesAndSentences) {
    const auto failed = contextCriteria(boundOf(setupOf(128, 10000, 4096)), {});
    EXPECT_EQ(failed[0].state, Criterion::State::failed);
    EXPECT_TRUE(failed[0].text.contains("only 1,707 tokens")) << failed[0].text.toStdString();
    EXPECT_EQ(failed[1].state, Criterion::State::failed);
    EXPECT_TRUE(failed[1].text.contains("92 of 128 channels")) << failed[1].text.toStdString();
    const auto trained = contextCriteria(boundOf(setupOf(64, 100, 4096)), {});
    EXPECT_EQ(trained[1].state, Criterion::State::met) << trained[1].text.toStdString();
    const auto open = contextCriteria(boundData(setupOf(128, 5e5, 8192), 4096), {});
    EXPECT_EQ(open[0].state, Criterion::State::open);
    for (const auto& criterion : contextCriteria(boundOf(setupOf(64, 10000, 4, 0)), {})) {
        EXPECT_NE(criterion.state, Criterion::State::failed) << criterion.text.toStdString();
    }
}

TEST(BaseProfile, IslandsOfTheFormulaBook) {
    // d = 64, L = 256: about [1413, 1792] ∪ [1892, 1897] ∪ [1952, ∞).
    const RotarySetup setup = setupOf(64, 1850, 256);
    BaseProfile profile(setup, {.low = 1000, .high = 10000, .limit = 4096, .doublings = 13});
    profile.extend();
    ASSERT_TRUE(profile.isComplete());
    const auto intervals = carryingBases(profile.points(), 256);
    ASSERT_EQ(intervals.size(), 3U);
    EXPECT_NEAR(intervals[0].low, 1413, 2);
    EXPECT_NEAR(intervals[0].high, 1792, 2);
    EXPECT_NEAR(intervals[1].low, 1892, 2);
    EXPECT_NEAR(intervals[1].high, 1897, 2);
    EXPECT_NEAR(intervals[2].low, 1952, 2);
    EXPECT_DOUBLE_EQ(intervals[2].high, 10000);
}

TEST(BaseProfile, FirstFeasibleBasesOfTheFormulaBook) {
    const RotarySetup setup = setupOf(128, 10000, 1024);
    BaseProfile profile(setup, {.low = 1000, .high = 1e6, .limit = 8192, .doublings = 11});
    profile.extend();
    const auto points = profile.points();
    EXPECT_NEAR(carryingBases(points, 1024).front().low, 4.3e3, 100);
    EXPECT_NEAR(carryingBases(points, 1024).back().low, 6.0e3, 100);
    EXPECT_NEAR(carryingBases(points, 2048).front().low, 1.16e4, 200);
    EXPECT_NEAR(carryingBases(points, 2048).back().low, 2.27e4, 300);
    EXPECT_NEAR(carryingBases(points, 8192).front().low, 8.4e4, 1000);
}

TEST(BaseProfile, RefiningKeepsWhatIsThere) {
    const RotarySetup setup = setupOf(64, 10000, 256);
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
        EXPECT_EQ(fine[2 * i].reach, coarse[i].reach);
    }
    EXPECT_TRUE(profile.isOf(setup, {.low = 100, .high = 10000, .limit = 1024}));
    EXPECT_FALSE(profile.isOf(setupOf(128, 10000, 256), {.low = 100, .high = 10000, .limit = 1024}));
    EXPECT_TRUE(profile.isOf(setupOf(64, 500, 999), {.low = 100, .high = 10000, .limit = 1024}));
}

TEST(BaseProfile, CancelledItKeepsOnlyWhatIsSure) {
    BaseProfile profile(setupOf(64, 10000, 256), {});
    profile.extend(0, [] { return true; });
    EXPECT_EQ(profile.done(), 0U);
    EXPECT_MESSAGE(BaseProfile(setupOf(64, 10000, 256), {.low = 1, .high = 100}), BadInput, "from base 1 to 100");
}

TEST(BasesFigure, StatesItsScanAndTheIslands) {
    const RotarySetup setup = setupOf(64, 1850, 256);
    BaseProfile profile(setup, {.low = 1000, .high = 10000, .limit = 4096, .doublings = 12});
    EXPECT_TRUE(scanText(profile).contains("0 of 4,097 bases")) << scanText(profile).toStdString();
    profile.extend();
    const Figure figure = basesFigure(setup, profile, plainlyCarried(setup, kMostFollowed));
    EXPECT_TRUE(figure.note.contains("4,097 bases from 1k to 10k")) << figure.note.toStdString();
    EXPECT_TRUE(figure.summary.contains("all from 1,95")) << figure.summary.toStdString();
    ASSERT_EQ(figure.table.columns.size(), 2);
    EXPECT_EQ(figure.table.columns[0].size(), 4097);
    const FigureCurve& today = figure.curves.back();
    EXPECT_EQ(today.ink.kind, Ink::Kind::error);  // 1,850 lies between two islands
    EXPECT_EQ(today.x, QList<double>{1850});
}

TEST(BasesFigure, SaysSoWhereEveryBaseWillDo) {
    const RotarySetup setup = setupOf(64, 10000, 256, 0.25);
    const Figure figure = basesFigure(setup, BaseProfile(setup, baseRange(setup, false)), true);
    EXPECT_TRUE(isEmpty(figure));
    EXPECT_TRUE(figure.emptyText.contains("every base carries every context"));
}

TEST(BasesFigure, TheRangeHoldsTheta) {
    for (const double theta : {1.5, 50.0, 10000.0, 5e8, 1e15}) {
        for (const bool near : {false, true}) {
            const auto range = baseRange(setupOf(64, theta, 256), near);
            EXPECT_LE(range.low, std::max(2.0, theta)) << theta;
            EXPECT_GE(range.high, theta) << theta;
        }
    }
}

TEST(DecayFigure, SuCurveOfTheFormulaBook) {
    const RotarySetup setup = setupOf(128, 10000, 4096);
    const Figure figure = decayFigure(setup, 8192);
    const FigureCurve& curve = figure.curves.front();
    const auto at = [&](double distance) { return curve.y[curve.x.indexOf(distance)]; };
    EXPECT_NEAR(at(1), 31.54, 0.005);
    EXPECT_NEAR(at(10), 17.95, 0.005);
    EXPECT_TRUE(figure.note.contains("32.50 at Δ = 0")) << figure.note.toStdString();
    EXPECT_TRUE(figure.note.contains("not monotone"));
    EXPECT_TRUE(isEmpty(decayFigure(setupOf(64, 10000, 256, 0), 512)));
}

TEST(LogitDraws, RoundsAreOneSample) {
    LogitDraws draws = startDraws(setupOf(64, 10000, 256), 1, 512);
    while (draws.draws < 4096) draws = withMoreDraws(draws, nextRound(draws));
    EXPECT_EQ(draws.draws, 4096);
    const Frequencies now = frequencies(frequency_settings(draws.setup));
    for (std::size_t i = 0; i < draws.distances.size(); ++i) {
        // F16; five standard errors.
        EXPECT_LT(std::abs(draws.independent.mean[i]), 5 * draws.independent.standard_error[i]) << draws.distances[i];
        EXPECT_NEAR(draws.independent.standard_error[i], std::sqrt(64.0 / 4096), 0.02);
        EXPECT_NEAR(draws.equal.mean[i], expected_logit(now, 64, draws.distances[i], true),
                    5 * draws.equal.standard_error[i]);
    }
    LogitDraws again = startDraws(draws.setup, 1, 512);
    while (again.draws < 4096) again = withMoreDraws(again, nextRound(again));
    EXPECT_EQ(again.equal.mean, draws.equal.mean);
    LogitDraws other = withMoreDraws(startDraws(draws.setup, 2, 512), 4096);
    EXPECT_NE(other.equal.mean, draws.equal.mean);
}

TEST(RandomFigure, ExpectedLinesAndColumns) {
    const RotarySetup setup = setupOf(64, 10000, 256);
    const Figure figure = randomFigure(withMoreDraws(startDraws(setup, 1, 512), 64), 512);
    const FigureCurve& equal = figure.curves.front();
    EXPECT_NEAR(equal.y[equal.x.indexOf(1.0)], 61.8, 0.05);
    EXPECT_NEAR(equal.y[equal.x.indexOf(10.0)], 42.1, 0.05);
    EXPECT_NEAR(equal.y[equal.x.indexOf(100.0)], 35.7, 0.05);
    EXPECT_EQ(figure.table.names.size(), 7);
    EXPECT_EQ(figure.table.columns.size(), 7);
    EXPECT_TRUE(figure.note.contains("64 draws"));
}

TEST(ContextFigures, AllAreMadeFromAnySetup) {
    EXPECT_EQ(contextFigures().size(), 4U);
    for (const RotarySetup& setup : {setupOf(16, 10000, 64), setupOf(16, 10000, 3, 0), setupOf(16, 500, 64, 0.25)}) {
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
