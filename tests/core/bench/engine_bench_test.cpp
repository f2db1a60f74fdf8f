#include "core/bench/engine_bench.h"

#include <gtest/gtest.h>

#include "core/bench/cache_bench.h"
#include "tests/ui/support/fake_engine.h"

namespace ropelab::bench {
namespace {

class EngineBench : public ::testing::Test {
 protected:
    EngineBench() { engine.step_microseconds = 1000; }
    ropelab::testing::FakeEngine engine;
    const MeasurementLimits patience{2, 2, 0, 0.005};
};

TEST_F(EngineBench, MeasuresTimePerStepAndTokensPerSecond) {
    const RunSpec spec = small_shape();
    const TrainingSpeed speed = measure_training(engine, spec, patience);
    EXPECT_EQ(speed.conditions.precision, "float32");
    EXPECT_GE(speed.milliseconds_per_step.minimum, 1.0);  // the fake engine sleeps for 1 ms per step
    EXPECT_NEAR(speed.tokens_per_second.minimum * speed.milliseconds_per_step.maximum / 1000.0, 16 * 128, 1e-6);
}

TEST_F(EngineBench, ComparesACohortOfSixWithSequentialRuns) {
    const CohortSpeed speed = measure_cohort(engine, small_shape(), patience);
    EXPECT_EQ(engine.cohorts, 7);
    EXPECT_EQ(speed.speedup.repetitions, 2U);
    EXPECT_GT(speed.milliseconds_sequential.median, speed.milliseconds_as_cohort.median);
    EXPECT_GT(speed.speedup.median, 1);
}

TEST_F(EngineBench, SettingsDifferInThetaOrFractionOnly) {
    const SettingsSpeed speed = measure_settings(engine, small_shape(), patience);
    ASSERT_EQ(speed.settings.size(), 7U);
    EXPECT_DOUBLE_EQ(speed.settings.front().theta, 100);
    EXPECT_DOUBLE_EQ(speed.settings[4].theta, 1e6);
    EXPECT_DOUBLE_EQ(speed.settings.back().fraction, 0.5);
    EXPECT_GE(speed.slowest_over_fastest, 1);
}

TEST_F(EngineBench, MeasuresRollingGenerationOnlyIfSupported) {
    RunSpec spec = small_shape();
    const GenerationSpeed both = measure_generation(engine, spec, 20, patience);
    EXPECT_EQ(both.length, 20);
    EXPECT_TRUE(both.rolling && both.rolling_over_recompute);
    EXPECT_GT(both.recompute.median, 0);
    spec.position = Position::learned;
    EXPECT_FALSE(measure_generation(engine, spec, 20, patience).rolling);
}

TEST_F(EngineBench, CountsTheCacheOfAGenerationBesideTheFormula) {
    const RunSpec spec = small_shape();
    const auto measured = measure_cache(engine, spec, 20);
    ASSERT_TRUE(measured);
    EXPECT_EQ(measured->tokens, 20);
    EXPECT_EQ(measured->kv, 4096);  // of the fake engine
    EXPECT_EQ(measured->formula.kv, 2 * 2 * 64 * 128 * 4);
    EXPECT_EQ(measure_cache(engine, spec, 1000)->tokens, 128) << "the context";
    EXPECT_FALSE(measure_cache(engine, spec, 20, [] { return true; }));
}

TEST_F(EngineBench, ThrowsIfCancelled) {
    EXPECT_THROW(measure_training(engine, small_shape(), patience, [] { return true; }), std::runtime_error);
}

}  // namespace
}  // namespace ropelab::bench
