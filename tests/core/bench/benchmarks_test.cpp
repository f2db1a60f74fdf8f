#include "core/bench/benchmarks.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "core/base/error.h"
#include "core/forecast/likely_data.h"
#include "core/plan/kernels.h"
#include "core/settings/keys.h"
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
    EXPECT_GT(speed.evaluated_per_second.minimum, 0);
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
    EXPECT_TRUE(both.rolling && both.rolling_over_recompute && both.rolling_int8 && both.streams_int8);
    EXPECT_GT(both.recompute.median, 0);
    RunSpec of_context = spec;
    of_context.context = 20;
    EXPECT_NEAR(both.operations_per_token, forward_operations(of_context, likely_vocabulary(spec)), 1)
        << "each token attends to those before it";
    EXPECT_GT(measure_generation(engine, spec, 200, patience).operations_per_token, both.operations_per_token);
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

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// Returns the parts of one variant of small_shape() that LibTorch computes.
std::vector<std::string> parts_of(const std::string& settings) {
    for (const Variant& variant : variants_of(small_shape())) {
        if (variant.settings == settings) return unfused_parts(variant.spec);
    }
    return {"no variant " + settings};
}

TEST(VariantBench, VariantsDifferFromTheDefaultAndFromEachOther) {
    const std::vector<Variant> variants = variants_of(small_shape());
    std::set<std::string> settings;
    for (const Variant& variant : variants) {
        EXPECT_NE(variant.spec, small_shape()) << variant.settings;
        EXPECT_NO_THROW(check(variant.spec)) << variant.settings;
        EXPECT_TRUE(settings.insert(variant.settings).second) << variant.settings;
    }
    EXPECT_TRUE(settings.contains("attention_layers=1 window + 1 full, attention_window=32"));
    for (const ChoiceText& each : key("position").choices) {
        EXPECT_EQ(settings.contains("position=" + std::string(each.word)), each.word != "rope") << each.word;
    }
    EXPECT_FALSE(settings.contains("feed_forward=gelu")) << "the default of the block";
}

TEST(VariantBench, NamesThePartsThatAreNotFused) {
    EXPECT_THAT(unfused_parts(small_shape()), IsEmpty());
    EXPECT_THAT(parts_of("position=alibi"), IsEmpty());
    EXPECT_THAT(parts_of("feed_forward=swiglu"), IsEmpty());
    EXPECT_THAT(parts_of("norm=zero-centered-rmsnorm"), IsEmpty());
    EXPECT_THAT(parts_of("position=cope"), IsEmpty());
    EXPECT_THAT(parts_of("attention=mla"), IsEmpty());
    EXPECT_THAT(parts_of("attention_layers=1 deltanet + 1 full"), ElementsAre("gated DeltaNet"));
    EXPECT_THAT(parts_of("experts=4"), ElementsAre("experts"));
    EXPECT_THAT(parts_of("feed_forward=relu"), ElementsAre("activation"));
    EXPECT_THAT(parts_of("norm=dyt"), ElementsAre("norm"));
    EXPECT_THAT(parts_of("weight_decay_kind=l2"), ElementsAre("optimizer"));
    RunSpec eager = small_shape();
    eager.operations = Operations::eager;
    EXPECT_THAT(unfused_parts(eager), ElementsAre("all"));
}

TEST(VariantBench, MeasuresEachVariantBesideTheDefault) {
    ropelab::testing::FakeEngine engine;
    engine.step_microseconds = 200;
    const VariantsSpeed speed = measure_variants(engine, small_shape(), {2, 2, 0, 0.001});
    EXPECT_EQ(speed.conditions.precision, "float32");
    ASSERT_EQ(speed.variants.size(), variants_of(small_shape()).size());
    EXPECT_EQ(engine.cohorts, 2 * static_cast<int>(speed.variants.size()));
    for (const VariantSpeed& row : speed.variants) {
        EXPECT_EQ(row.ratio.repetitions, 2U);
        EXPECT_GT(row.ratio.minimum, 0);
        EXPECT_LE(row.steps_per_second.maximum, 5000);  // the fake engine sleeps for 200 µs per step
    }
    EXPECT_THROW(measure_variants(engine, small_shape(), {2, 2, 0, 0.001}, [] { return true; }), std::runtime_error);
}

TEST(RotationBench, ComparesBothPairingsWithACopy) {
    const RotationSpeed speed = measure_rotation(4, 32, 16, 0.5, {3, 3, 1});
    EXPECT_DOUBLE_EQ(speed.bytes, 4 * 32 * 16 * 4);
    for (const Spread& spread :
         {speed.half, speed.interleaved, speed.copy, speed.half_over_copy, speed.interleaved_over_copy}) {
        EXPECT_EQ(spread.repetitions, 3U);
        EXPECT_GT(spread.median, 0);
    }
    EXPECT_THROW(measure_rotation(4, 32, 15, 1, {3, 3, 1}), BadInput);
}

}  // namespace

}  // namespace ropelab::bench
