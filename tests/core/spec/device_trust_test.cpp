#include "core/spec/device_trust.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(DeviceTrustTest, FormattingAndParsingPreserveEverySubset) {
    for (unsigned bits = 0; bits < (1U << device_part_count); ++bits) {
        DeviceTrust trust;
        for (std::size_t part = 0; part < device_part_count; ++part) {
            trust.set(static_cast<DevicePart>(part), (bits >> part & 1U) != 0);
        }
        EXPECT_EQ(parse_device_trust(to_text(trust)), trust) << to_text(trust);
    }
    DeviceTrust none;
    none.device = false;
    EXPECT_EQ(to_text(none), "no device");
    EXPECT_EQ(parse_device_trust("no device"), none);
}

TEST(DeviceTrustTest, TextNamesTheMissingParts) {
    DeviceTrust trust = parse_device_trust("no-graphs");
    EXPECT_EQ(to_text(trust), "all but graphs");
    trust.set(DevicePart::norm, false);
    EXPECT_EQ(to_text(trust), "all but norm, graphs");
    EXPECT_MESSAGE(parse_device_trust("some"), BadInput, "all, no-graphs, off");
    EXPECT_MESSAGE(parse_device_trust("all but wheels"), BadInput, "wheels");
}

TEST(DeviceTrustTest, FailedOrSlowerCheckRemovesItsPart) {
    using Outcome = DeviceCheck::Outcome;
    DeviceTrust trust = DeviceTrust::everything();
    DeviceCheck check{.name = "GELU", .part = DevicePart::activation, .outcome = Outcome::passed};
    apply(check, trust);
    EXPECT_EQ(trust, DeviceTrust::everything());
    check.outcome = Outcome::slower;
    apply(check, trust);
    EXPECT_EQ(to_text(trust), "all but activation");
    apply({.name = "products", .checks_libtorch = true, .outcome = Outcome::failed}, trust);
    EXPECT_FALSE(trust.device);
    EXPECT_FALSE(trust.trusts(DevicePart::norm));
}

}  // namespace
}  // namespace ropelab
