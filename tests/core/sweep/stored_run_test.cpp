#include "core/sweep/stored_run.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

RunRecord stored(const std::string& settings) {
    RunRecord run;
    run.id = 3;
    run.name = "θ 500";
    run.settings = settings;
    return run;
}

TEST(StoredRun, PreservesKeysOfNewerVersions) {
    const RunRecord run = stored(R"({"theta": 500, "of_tomorrow": 1})");
    EXPECT_EQ(stored_settings(run).at("of_tomorrow"), 1);
    EXPECT_EQ(stored_spec(stored(R"({"theta": 500})")).theta, 500);
}

TEST(StoredRun, ReportsDamagedSettingsAndNamesTheRun) {
    for (const char* damaged : {"", "{\"theta\": 5", "[1]", "null"}) {
        EXPECT_MESSAGE(stored_settings(stored(damaged)), BadInput, "run 3, \"θ 500\"");
        EXPECT_MESSAGE(stored_spec(stored(damaged)), BadInput, "damaged");
    }
}

}  // namespace
}  // namespace ropelab
