// Tests of the device check, with the CPU as the device.
#include "core/engine/train/device_check.h"

#include <gtest/gtest.h>

#include <limits>

#include "core/engine/device/accelerator.h"
#include "tests/core/engine/device/emulated_device.h"

namespace ropelab {
namespace {

using Outcome = DeviceCheck::Outcome;
using Graphs = EmulatedDevice::Graphs;

struct Found {
    DeviceTrust trust{.graphs = true};
    std::string failures;  // details of the failed checks
    std::size_t checks = 0;
};

// Checks the CPU as a device with these graphs.
Found checked(Graphs graphs) {
    Found found;
    check_device(torch::kCPU, EmulatedDevice::graphs_that(graphs), [&](const DeviceCheck& one) {
        apply(one, found.trust);
        if (one.outcome != Outcome::started) ++found.checks;
        if (one.outcome == Outcome::failed) found.failures += one.detail + "\n";
    });
    return found;
}

TEST(DeviceCheckTest, ACorrectDevicePassesEveryCheck) {
    const Found found = checked(Graphs::replayed);
    EXPECT_EQ(found.failures, "");
    EXPECT_EQ(to_text(found.trust), "graphs");
    EXPECT_EQ(found.checks, 7U);  // products, attention, steps in two types without and with graphs, generation
    EXPECT_FALSE(is_accelerated(torch::kCPU));
    EXPECT_EQ(checked(Graphs::none).checks, 4U);
}

TEST(DeviceCheckTest, FailingOrStaleGraphsAreDisabled) {
    for (const Graphs how : {Graphs::refused, Graphs::stale}) {
        const Found found = checked(how);
        EXPECT_EQ(to_text(found.trust), "off");
        EXPECT_NE(found.failures.find("eight training steps with CUDA graphs, float32: "), std::string::npos)
            << found.failures;
    }
}

TEST(Difference, NamesTheElementWithTheLargestDifference) {
    const torch::Tensor wanted = torch::ones({4}, torch::kFloat64);
    torch::Tensor got = wanted.clone();
    EXPECT_EQ(difference(got, wanted, 1e-3), "");
    got[2] = 1.1;
    EXPECT_EQ(difference(got, wanted, 1e-3), "number 2 is 1.1 instead of 1");
    got[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(difference(got, wanted, 1e-3), "a number of the result is not finite");
    EXPECT_EQ(difference(got.narrow(0, 0, 3), wanted, 1e-3), "the shape of a result is wrong");
}

}  // namespace
}  // namespace ropelab
