// Every lecture that belongs to the program passes its checks, with the training of its scenes.
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(ShippedLectures, PassAllChecks) {
    for (const auto& each : ropelab_cli({"lecture", "list", "--json"}).json()) {
        const Finished checked = ropelab_cli({"lecture", "check", each.at("name").get<std::string>()});
        EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    }
}

}  // namespace
}  // namespace ropelab
