#include "core/experiment/setting_names.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <vector>

#include "core/experiment/experiment.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

TEST(SettingNames, KeyIgnoresTheSeedAndReadsStoredSettings) {
    RunSpec first;
    RunSpec second;
    second.seed = first.seed + 1;
    EXPECT_EQ(setting_key(first), setting_key(second));
    second.theta = 500;
    EXPECT_NE(setting_key(first), setting_key(second));
    EXPECT_EQ(setting_key(SettingLook{R"({"theta": 500})", 0, false}), setting_key(second));
    EXPECT_EQ(setting_key(SettingLook{"[1]", 0, false}), std::nullopt);
    EXPECT_EQ(setting_key(SettingLook{R"({"theta": "wide"})", 0, false}), std::nullopt);
}

TEST(SettingNames, AreThoseOfTheLab) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "named.ropelab");
    lab->set_setting_looks(std::vector<SettingLook>{
        {R"({"theta": 500})", 0, false, "short base"}, {R"({"theta": 900})", 1, false}, {"damaged", 2, false, "x"}});
    RunSpec run;
    run.theta = 500;
    const auto names = setting_names(*lab);
    ASSERT_EQ(names.size(), 1U);
    EXPECT_EQ(names.at(setting_key(run)), "short base");
}

TEST(SettingNames, ReplaceTheAutomaticNamesOfRuns) {
    RunSpec run;
    run.theta = 500;
    run.seed = 7;
    const std::string label = label_of(run);
    EXPECT_EQ(shown_run_name("", label, run), label);
    EXPECT_EQ(shown_run_name("short base", label, run), "short base");
    EXPECT_EQ(shown_run_name("short base", label + ", layers 2, seed 7", run), "short base, seed 7");
    EXPECT_EQ(shown_run_name("short base", "my run", run), "my run") << "the user renamed the run";
}

}  // namespace
}  // namespace ropelab
