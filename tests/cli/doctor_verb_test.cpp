#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(DoctorVerb, DescribesTheMachine) {
    const Finished text = ropelab_cli({"doctor"});
    EXPECT_EQ(text.status, 0);
    EXPECT_THAT(text.out, testing::HasSubstr("processor  "));
    const auto report = ropelab_cli({"doctor", "--json"}).json();
    EXPECT_GT(report.at("cores"), 0);
    if (report.at("engine").is_null()) GTEST_SKIP() << "no engine is built";
    EXPECT_THAT(text.out, testing::HasSubstr("\ncuda       "));
    EXPECT_TRUE(report.at("engine").contains("cuda_check"));
    const bool cuda = report.at("engine").at("cuda").get<bool>();
    EXPECT_TRUE(cuda || report.at("engine").at("cuda_check").is_null());
}

TEST(DoctorVerb, RejectsADeviceCheckWithoutADevice) {
    const auto engine = ropelab_cli({"doctor", "--json"}).json().at("engine");
    if (engine.is_null()) GTEST_SKIP() << "no engine is built";
    if (engine.at("cuda").get<bool>()) GTEST_SKIP() << "there is a CUDA device";
    EXPECT_BAD_INPUT(ropelab_cli({"doctor", "--check-device"}), "There is no CUDA device to check");
    EXPECT_BAD_INPUT(ropelab_cli({"doctor", "--check-device", "--json"}), "There is no CUDA device to check");
    EXPECT_BAD_INPUT(ropelab_cli({"doctor", "--check-device"}, "", "ROPELAB_DEVICE_CHECK_CHILD=1"),
                     "There is no CUDA device to check");
}

}  // namespace
}  // namespace ropelab
