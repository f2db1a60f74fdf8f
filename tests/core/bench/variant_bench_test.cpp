#include "core/bench/variant_bench.h"
#include "core/plan/kernels.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "tests/ui/support/fake_engine.h"

namespace ropelab::bench {
namespace {

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
}

TEST(VariantBench, NamesThePartsThatAreNotFused) {
    EXPECT_THAT(unfused_parts(small_shape()), IsEmpty());
    EXPECT_THAT(parts_of("position=alibi"), IsEmpty());
    EXPECT_THAT(parts_of("feed_forward=swiglu"), IsEmpty());
    EXPECT_THAT(parts_of("norm=zero-centered-rmsnorm"), IsEmpty());
    EXPECT_THAT(parts_of("position=cope"), ElementsAre("attention"));
    EXPECT_THAT(parts_of("attention=mla"), ElementsAre("attention"));
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

}  // namespace
}  // namespace ropelab::bench
