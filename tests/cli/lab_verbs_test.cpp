// Verbs around a lab file: sweep --lab and --resume, sample, results.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

class LabVerbsTest : public testing::Test {
 protected:
    Finished sweep(std::vector<std::string> more) {
        std::vector<std::string> arguments = {"sweep", "--lab", lab_, "--set", "context=32"};
        for (const char* setting : {"batch=4", "iterations=20", "evaluate_every=10", "evaluation=sampled", "width=32",
                                    "evaluation_batches=2", "theta=500,10000", "seed=1,2", "precision=float32"}) {
            arguments.insert(arguments.end(), {"--set", setting});
        }
        arguments.insert(arguments.end(), more.begin(), more.end());
        return ropelab_cli(arguments);
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
};

TEST_F(LabVerbsTest, ASweepIsKeptAndRead) {
    ASSERT_EQ(sweep({}).status, 0);
    const auto results = ropelab_cli({"results", "--lab", lab_, "--json"});
    ASSERT_EQ(results.status, 0) << results.err;
    EXPECT_EQ(results.json().at("groups").size(), 2U);
    const auto text = ropelab_cli({"results", "--lab", lab_});
    EXPECT_THAT(text.out, testing::HasSubstr("±"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "latex"}).out, testing::HasSubstr("\\toprule"));
    EXPECT_THAT(ropelab_cli({"results", "--lab", lab_, "--format", "csv"}).out, testing::HasSubstr("theta,"));
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--format", "word"}), "text, csv, latex or json");

    const auto verdicts =
        ropelab_cli({"results", "--lab", lab_, "--json", "--test", "paired", "--sort=-theta", "--until", "9"});
    ASSERT_EQ(verdicts.status, 0) << verdicts.err;
    EXPECT_EQ(verdicts.json().at("test"), "paired");
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("settings").at("theta"), 10000);
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("iterations_until").at("values"), nlohmann::json({0, 0}));
    EXPECT_EQ(verdicts.json().at("groups").at(0).at("verdict").at("kind"), "baseline");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--test", "sign"}), "student, welch or paired");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--sort", "tetha"}), "did you mean theta?");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_, "--until", "low"}), "low");

    const auto sample = ropelab_cli({"sample", "--lab", lab_, "--length", "40", "--json"});
    ASSERT_EQ(sample.status, 0) << sample.err;
    EXPECT_EQ(sample.json().at("text").get<std::string>().size(), 40U);
    const auto rolling = ropelab_cli({"sample", "--lab", lab_, "--run", "2", "--length", "60", "--mode", "rolling"});
    EXPECT_EQ(rolling.out.size(), 61U);
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--prompt", "Ω"}), "Ω");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--mode", "fast"}), "recompute or rolling");
    EXPECT_BAD_INPUT(ropelab_cli({"sample", "--lab", lab_, "--run", "99"}), "99");
    EXPECT_BAD_INPUT(ropelab_cli({"sample"}), "--lab");
}

TEST_F(LabVerbsTest, AnExistingLabAsksForResume) {
    ASSERT_EQ(sweep({"--resume"}).status, 0);  // no lab yet: it starts one
    EXPECT_BAD_INPUT(sweep({}), "--resume");
    const auto again = sweep({"--resume", "--json"});  // nothing is left to do
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_EQ(again.json().at("runs").size(), 4U);
    EXPECT_BAD_INPUT(sweep({"--resume", "--set", "theta=777"}), "another experiment");
}

TEST_F(LabVerbsTest, RefusesWhatIsNoLab) {
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_}), "a.ropelab");
    folder_.write("a.ropelab", "hello");
    EXPECT_BAD_INPUT(ropelab_cli({"results", "--lab", lab_}), "a.ropelab");
}

}  // namespace
}  // namespace ropelab
