#include "core/contract/device_trust.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(DeviceTrustTest, TextsRoundTrip) {
    for (const DeviceTrust trust : {DeviceTrust{}, DeviceTrust{.graphs = true}, DeviceTrust{.device = false}}) {
        EXPECT_EQ(parse_device_trust(to_text(trust)), trust) << to_text(trust);
    }
    EXPECT_EQ(to_text({.graphs = true}), "graphs");
    EXPECT_EQ(to_text({}), "off");
    EXPECT_EQ(to_text({.device = false}), "no device");
    EXPECT_MESSAGE(parse_device_trust("some"), BadInput, "it must be graphs, off or no device");
}

// Labs of earlier versions store which CUDA kernels of the program were used.
TEST(DeviceTrustTest, ReadsTheTextsOfEarlierVersions) {
    for (const char* text : {"all", "all but norm", "all but norm, dropout"}) {
        EXPECT_EQ(to_text(parse_device_trust(text)), "graphs") << text;
    }
    for (const char* text : {"no-graphs", "all but graphs", "all but norm, graphs"}) {
        EXPECT_EQ(to_text(parse_device_trust(text)), "off") << text;
    }
}

TEST(DeviceTrustTest, FailedCheckRemovesTheGraphsOrTheDevice) {
    using Outcome = DeviceCheck::Outcome;
    DeviceTrust trust{.graphs = true};
    DeviceCheck check{.name = "steps by graphs", .of_graphs = true, .outcome = Outcome::passed};
    apply(check, trust);
    EXPECT_EQ(to_text(trust), "graphs");
    check.outcome = Outcome::failed;
    apply(check, trust);
    EXPECT_EQ(to_text(trust), "off");
    apply({.name = "products", .outcome = Outcome::failed}, trust);
    EXPECT_EQ(to_text(trust), "no device");
    apply(check, trust);
    EXPECT_EQ(to_text(trust), "no device");
}

}  // namespace
}  // namespace ropelab
