#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/store/lab_file.h"
#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class ImportVerb : public testing::Test {
 protected:
    void SetUp() override {
        for (const char* seed : {"1", "2", "3"}) {
            for (const char* theta : {"500", "10000"}) {
                folder_.write("runs/theta" + std::string(theta) + "-seed" + seed + ".jsonl",
                              "{\"config\": {\"rope_theta\": " + std::string(theta) +
                                  "}}\n{\"step\": 0, \"loss\": 4}\n" + "{\"step\": 5, \"loss\": 3, \"val_loss\": 3." +
                                  seed + theta + "}\n");
            }
        }
    }

    ScratchFolder folder_;
    std::string runs_ = (folder_ / "runs").string();
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(ImportVerb, ShowsAPlanThenFillsALabWithResults) {
    const auto plan = ropelab_cli({"import", runs_, "--plan", "--json"});
    ASSERT_EQ(plan.status, 0) << plan.err;
    ASSERT_EQ(plan.json().at("runs").size(), 6U);
    EXPECT_EQ(plan.json().at("runs")[0].at("seed"), 1);
    EXPECT_EQ(plan.json().at("runs")[0].at("settings").at("theta"), 10000);
    EXPECT_FALSE(std::filesystem::exists(lab_));

    const auto imported = ropelab_cli({"import", runs_, "--lab", lab_});
    ASSERT_EQ(imported.status, 0) << imported.err;
    EXPECT_THAT(imported.out, testing::HasSubstr("Imported 6 runs into experiment 1 of " + lab_));
    const auto results = ropelab_cli({"results", "--lab", lab_, "--json"});
    ASSERT_EQ(results.status, 0) << results.err;
    EXPECT_EQ(results.json().at("groups").size(), 2U);
    EXPECT_EQ(results.json().at("groups")[0].at("pairs"), 3);
    EXPECT_EQ(results.json().at("imported"), "JSONL");
    EXPECT_EQ(ropelab_cli({"report", "--lab", lab_, "--output", (folder_ / "report").string()}).status, 0);
    // Another import is another experiment.
    EXPECT_THAT(ropelab_cli({"import", runs_, "--lab", lab_}).out, testing::HasSubstr("experiment 2"));
}

TEST_F(ImportVerb, WhatNeedsTheModelOfAnImportedRunIsRefusedInOneSentence) {
    ASSERT_EQ(ropelab_cli({"import", runs_, "--lab", lab_}).status, 0);
    const char* why = "the lab has only its settings and what was measured of it; choose a run that RoPE Lab trained";
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_}), why);
    EXPECT_BAD_INPUT(ropelab_cli({"probe", "--lab", lab_}), why);
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--fit"}), "imported from JSONL");
}

TEST_F(ImportVerb, RefusesWhatItCannotUse) {
    EXPECT_BAD_INPUT(ropelab_cli({"import", runs_}), "--lab is missing");
    EXPECT_BAD_INPUT(ropelab_cli({"import", (folder_ / "none").string(), "--lab", lab_}), "There is no file or folder");
    EXPECT_BAD_INPUT(ropelab_cli({"import", runs_, "--lab", lab_, "--validation-loss", "val_los"}),
                     "did you mean val_loss?");
    EXPECT_FALSE(std::filesystem::exists(lab_));
}

}  // namespace
}  // namespace ropelab
