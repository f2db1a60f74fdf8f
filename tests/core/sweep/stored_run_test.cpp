#include "core/sweep/stored_run.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "core/store/run_settings.h"
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

TEST(StoredRun, ChangedSettingsMakeTheSameRun) {
    RunSpec spec;
    spec.theta = 500;
    spec.layers = 5;
    RunRecord record = stored(to_json(spec).dump());
    EXPECT_EQ(changed_settings(record), (nlohmann::json{{"layers", 5}, {"theta", 500.0}}));
    EXPECT_EQ(run_spec_from_json(changed_settings(record)), spec);
    record.settings = R"({"theta": 500, "seed": 1, "of_a_newer_version": null, "warp": 9})";
    EXPECT_EQ(changed_settings(record).at("warp"), 9);
    EXPECT_EQ(changed_settings(record).at("theta"), 500);
}

TEST(StoredRun, ReportsDamagedSettingsAndNamesTheRun) {
    for (const char* damaged : {"", "{\"theta\": 5", "[1]", "null"}) {
        EXPECT_MESSAGE(stored_settings(stored(damaged)), BadInput, "run 3, \"θ 500\"");
        EXPECT_MESSAGE(stored_spec(stored(damaged)), BadInput, "damaged");
    }
}

}  // namespace
}  // namespace ropelab
