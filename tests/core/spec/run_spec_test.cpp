#include <functional>

#include "core/spec/run_spec.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

RunSpec with(const std::function<void(RunSpec&)>& change) {
    RunSpec spec;
    change(spec);
    return spec;
}

TEST(RunSpec, DefaultsHoldTogether) {
    EXPECT_NO_THROW(check(RunSpec{}));
}

TEST(RunSpec, RefusesWhatDoesNotFitTogether) {
    EXPECT_MESSAGE(check(with([](auto& s) { s.heads = 3; })), BadInput, "64 is not a multiple of the 3 heads");
    EXPECT_MESSAGE(check(with([](auto& s) { s.width = 6; })), BadInput, "head dimension is 3");
    EXPECT_MESSAGE(check(with([](auto& s) { s.final_learning_rate = 1; })), BadInput, "final_learning_rate");
    EXPECT_MESSAGE(check(with([](auto& s) { s.context = 0; })), BadInput, "context is 0");
    EXPECT_NO_THROW(check(with([](auto& s) {
        s.width = 6;
        s.position = Position::learned;
    })));
}

TEST(RunSpec, LabelsTellSweepMatesApart) {
    EXPECT_EQ(label_of(RunSpec{}), "θ 10k, 100 %");
    EXPECT_EQ(label_of(with([](auto& s) { s.fraction = 0; })), "no rotation");
    EXPECT_EQ(label_of(with([](auto& s) { s.fraction = 2.0 / 32; })), "θ 10k, 2 ch");
    EXPECT_EQ(label_of(with([](auto& s) {
                  s.fraction = 0.25;
                  s.partial = Partial::truncate;
              })),
              "θ 10k, 25 % truncated");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::none; })), "no positions");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::learned; })), "learned positions");
    EXPECT_EQ(label_of(with([](auto& s) { s.position = Position::learned_rope; })), "learned + θ 10k, 100 %");
}

TEST(RunSpec, CohortMatesDifferInRotationSeedAndLearningRateOnly) {
    const RunSpec base;
    EXPECT_TRUE(same_shape(base, with([](auto& s) {
                               s.theta = 500;
                               s.fraction = 0.1;
                               s.seed = 1;
                               s.learning_rate = 1e-2;
                               s.position = Position::none;
                           })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.width = 128; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.position = Position::learned; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.batch = 8; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.operations = Operations::eager; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.rope_cache = false; })));
    EXPECT_FALSE(same_shape(base, with([](auto& s) { s.data = "text8"; })));
}

}  // namespace
}  // namespace ropelab
