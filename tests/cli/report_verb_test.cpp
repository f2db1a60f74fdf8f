#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

std::string text_of_file(const std::filesystem::path& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

class ReportVerbTest : public testing::Test {
 protected:
    void SetUp() override {
        std::vector<std::string> sweep = {"sweep"};
        for (const char* setting :
             {"context=32", "batch=4", "iterations=20", "evaluate_every=10", "width=32", "evaluation=sampled",
              "evaluation_batches=2", "precision=float32", "sample_length=0", "theta=500,10000", "seed=1,2"}) {
            sweep.insert(sweep.end(), {"--set", setting});
        }
        ASSERT_EQ(trained_once(sweep, lab_), 0);
    }

    ScratchFolder folder_;
    std::string lab_ = (folder_ / "a.ropelab").string();
    std::string output_ = (folder_ / "report").string();
};

TEST_F(ReportVerbTest, WritesThreeFormatsWithFigures) {
    const auto finished = ropelab_cli({"report", "--lab", lab_, "--output", output_, "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto figures = finished.json().at("figures");
    EXPECT_THAT(figures, testing::Contains("validation-loss"));
    EXPECT_THAT(figures, testing::Contains("loss-by-theta"));
    EXPECT_TRUE(finished.json().at("missing_figures").empty()) << finished.json().dump();
    const std::string html = text_of_file(output_ + "/report.html");
    for (const auto& name : figures) {
        const std::string figure = "figures/" + name.get<std::string>();
        EXPECT_TRUE(std::filesystem::exists(output_ + "/" + figure + ".svg")) << figure;
        EXPECT_TRUE(std::filesystem::exists(output_ + "/" + figure + ".pdf")) << figure;
        EXPECT_THAT(html, testing::HasSubstr(figure + ".svg"));
    }
    EXPECT_BAD_INPUT(ropelab_cli({"report", "--lab", lab_, "--output", output_}), "add --force");
}

TEST_F(ReportVerbTest, AFigureThatCannotBeDrawnLeavesTheOthers) {
    const auto finished = ropelab_cli({"figure", "group-means", "loss-by-context", "improvement", "--each", "--lab",
                                       lab_, "--output", (folder_ / "new/each").string()});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.err, testing::HasSubstr("at least two context lengths"));
    for (const char* name : {"group-means.pdf", "group-means.svg", "improvement.pdf", "improvement.svg"})
        EXPECT_TRUE(std::filesystem::exists(folder_ / "new/each" / name)) << name;
    EXPECT_FALSE(std::filesystem::exists(folder_ / "new/each/loss-by-context.pdf"));
    EXPECT_BAD_INPUT(ropelab_cli({"figure", "group-means", "--each", "--format", "png", "--lab", lab_, "--output",
                                  folder_.path().string()}),
                     "leave out --format");
}

// The first command of a report trains the same lab again.
TEST_F(ReportVerbTest, ItsExperimentRepeatsTheLab) {
    const auto finished =
        ropelab_cli({"report", "--lab", lab_, "--output", output_, "--no-figures", "--baseline", "theta=500"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const std::string text = text_of_file(output_ + "/report.md");
    EXPECT_THAT(text, testing::HasSubstr("ropelab-cli sweep --experiment experiment-1.json --lab a.ropelab\n"));
    EXPECT_THAT(text, testing::HasSubstr("results --lab a.ropelab --baseline theta=500\n"));
    const std::string again = (folder_ / "again.ropelab").string();
    ASSERT_EQ(ropelab_cli({"sweep", "--experiment", output_ + "/experiment-1.json", "--lab", again}).status, 0);
    const auto losses = [](const std::string& lab) {
        nlohmann::json result;
        for (const auto& group : ropelab_cli({"results", "--lab", lab, "--json"}).json().at("groups")) {
            result.push_back(group.at("best_validation_loss").at("values"));
        }
        return result;
    };
    EXPECT_EQ(losses(again), losses(lab_));
}

TEST_F(ReportVerbTest, RejectsBadInput) {
    EXPECT_BAD_INPUT(ropelab_cli({"report", "--lab", lab_, "--output", lab_}), "is a file");
    EXPECT_BAD_INPUT(ropelab_cli({"report", "--lab", lab_, "--output", output_, "--test", "sign"}), "student");
    EXPECT_BAD_INPUT(ropelab_cli({"report", "--lab", (folder_ / "b.ropelab").string(), "--output", output_}),
                     "b.ropelab");
    EXPECT_FALSE(std::filesystem::exists(output_));
}

}  // namespace
}  // namespace ropelab
