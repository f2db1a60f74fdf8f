#include "core/store/run_settings.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(RunSettings, RoundTrip) {
    RunSpec spec;
    spec.theta = 12345.678;
    spec.fraction = 1.0 / 3;
    spec.position = Position::learned_rope;
    spec.precision = Precision::bfloat16;
    EXPECT_EQ(run_spec_from_json(to_json(spec)), spec);
    EXPECT_EQ(run_spec_from_json(nlohmann::json::parse(to_json(spec).dump())), spec);
}

TEST(RunSettings, UnknownKeysAreIgnoredAndNullIsTheDefault) {
    EXPECT_EQ(run_spec_from_json({{"a key of a newer version", 1}, {"theta", nullptr}}), RunSpec());
    EXPECT_EQ(run_spec_from_json({{"theta", "10k"}}).theta, 10000);
    EXPECT_MESSAGE(run_spec_from_json(nlohmann::json::array()), BadInput, "must be a JSON object");
    EXPECT_MESSAGE(run_spec_from_json({{"theta", nlohmann::json::array({1, 2})}}), BadInput, "value of theta");
}

TEST(RunSettings, ValuesAreWrittenAsTyped) {
    EXPECT_EQ(typed_text("theta", 10000), "10000");
    EXPECT_EQ(typed_text("bias", true), "true");
    EXPECT_EQ(typed_text("fraction", "6 ch"), "6 ch");
    EXPECT_MESSAGE(typed_text("theta", nullptr), BadInput, "not null");
}

}  // namespace
}  // namespace ropelab
