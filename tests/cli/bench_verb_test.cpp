#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/terminal.h"

namespace ropelab {
namespace {

TEST(BenchVerb, DescribesTheMachineAndComparesRotationWithACopy) {
    const auto finished = ropelab_cli({"bench", "--part", "rotate", "--set", "batch=1", "--seconds", "1", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto report = finished.json();
    EXPECT_GT(report.at("machine").at("cores").get<int>(), 0);
    EXPECT_FALSE(report.at("machine").at("processor").get<std::string>().empty());
    const auto& rotate = report.at("rotate");
    for (const char* key : {"half_gigabytes_per_second", "interleaved_gigabytes_per_second",
                            "copy_gigabytes_per_second", "half_over_copy", "interleaved_over_copy"}) {
        EXPECT_GT(rotate.at(key).get<double>(), 0) << key;
        const auto& spread = rotate.at(std::string(key) + "_spread");
        EXPECT_LE(spread.at("lower").get<double>(), rotate.at(key).get<double>()) << key;
        EXPECT_GE(spread.at("upper").get<double>(), rotate.at(key).get<double>()) << key;
    }
    EXPECT_FALSE(report.contains("train"));
}

TEST(BenchVerb, MeasuresTraining) {
    const auto finished = ropelab_cli({"bench", "--part", "train", "--set", "width=32", "--set", "layers=1", "--set",
                                       "heads=2", "--set", "precision=float32", "--seconds", "1", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto train = finished.json().at("train");
    EXPECT_EQ(train.at("shape").at("width"), 32);
    EXPECT_EQ(train.at("precision"), "float32");
    for (const char* key : {"milliseconds_per_step", "tokens_per_second", "cohort_speedup"}) {
        EXPECT_GT(train.at(key).get<double>(), 0) << key;
    }
    EXPECT_GE(train.at("slowest_theta_over_fastest").get<double>(), 1);
    EXPECT_EQ(train.at("settings").size(), 7U);
    EXPECT_THAT(train.at("roofline").at("verdict").get<std::string>(), testing::HasSubstr("of this machine's peak"));
    const auto& float32 = train.at("precisions").at("float32");
    for (const auto& work : {float32, float32.at("evaluation")}) {
        const auto peak = work.at("machine_operations_per_second").get<double>();
        EXPECT_GT(work.at("fraction_of_peak").get<double>(), 0);
        EXPECT_NEAR(work.at("fraction_of_peak").get<double>() * peak, work.at("operations_per_second").get<double>(),
                    1e-6 * peak);
    }
}

TEST(BenchVerb, ComparesBfloat16WithItsOwnPeak) {
    const auto finished = ropelab_cli({"bench", "--part", "train", "--set", "width=32", "--set", "layers=1", "--set",
                                       "heads=2", "--set", "precision=bfloat16", "--seconds", "1", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto roofline = finished.json().at("train").at("roofline");
    EXPECT_THAT(roofline.at("verdict").get<std::string>(), testing::HasSubstr("of this machine's peak bfloat16"));
    EXPECT_GT(roofline.at("machine_operations_per_second").get<double>(), 0);
    EXPECT_NE(roofline.at("machine_operations_per_second"), roofline.at("machine_float32_operations_per_second"));
}

TEST(BenchVerb, ComparesVariantsWithTheDefault) {
    const auto finished =
        ropelab_cli({"bench", "--part", "variants", "--set", "precision=float32", "--seconds", "0.1", "--json"});
    ASSERT_EQ(finished.status, 0) << finished.err;
    const auto variants = finished.json().at("variants");
    EXPECT_EQ(variants.at("precision"), "float32");
    EXPECT_GE(variants.at("rows").size(), 25U);
    for (const auto& row : variants.at("rows")) {
        const auto settings = row.at("settings").get<std::string>();
        EXPECT_GT(row.at("ratio").get<double>(), 0) << settings;
        EXPECT_LE(row.at("ratio_spread").at("lower").get<double>(), row.at("ratio").get<double>()) << settings;
        EXPECT_EQ(row.at("operations") == "fused", row.at("parts_with_libtorch").empty()) << settings;
        EXPECT_GT(row.at("fraction_of_peak").get<double>(), 0) << settings;
        if (settings == "experts=4") {
            EXPECT_EQ(row.at("operations"), "LibTorch's operations");
        }
        if (settings == "position=alibi" || settings == "position=shaw") {
            EXPECT_EQ(row.at("operations"), "fused");
        }
    }
}

TEST(BenchVerb, MeasuresProgramStartWithoutChangingUserFiles) {
    const ScratchFolder home;
    const auto finished =
        ropelab_cli({"bench", "--part", "start", "--seconds", "1", "--json"}, "",
                    "XDG_CONFIG_HOME=" + home.path().string() + " XDG_DATA_HOME=" + home.path().string());
    ASSERT_EQ(finished.status, 0) << finished.err;
    EXPECT_GT(finished.json().at("start").at("terminal_milliseconds").get<double>(), 0);
    EXPECT_TRUE(std::filesystem::is_empty(home.path()));
}

TEST(BenchVerb, RejectsBadInputWithOneSentence) {
    EXPECT_BAD_INPUT(ropelab_cli({"bench", "--part", "trian"}), "did you mean train?");
    EXPECT_BAD_INPUT(ropelab_cli({"bench", "--preset", "nanogpt"}), "nanogpt-cpu");
    EXPECT_BAD_INPUT(ropelab_cli({"bench", "--part", "rotate", "--set", "theta=0"}), "theta is 0");
    for (const char* seconds : {"nan", "inf", "1e999"}) {
        EXPECT_BAD_INPUT(ropelab_cli({"bench", "--part", "rotate", "--seconds", seconds}), "not a finite number");
    }
    EXPECT_BAD_INPUT(ropelab_cli({"bench", "--part", "rotate", "--seconds=-1"}), "must be above 0");
    EXPECT_BAD_INPUT(ropelab_cli({"bench", "--set", "batch=1", "--set", "batch=2"}), "batch is set twice");
}

TEST(BenchVerb, StatesTheErrorOfTheLastEstimates) {
    const ScratchFolder home;
    const std::string environment = "XDG_DATA_HOME=" + home.path().string();
    const std::vector<std::string> bench = {"bench", "--part", "estimates"};
    EXPECT_THAT(ropelab_cli(bench, "", environment).out,
                testing::HasSubstr("No sweep whose training time was estimated has finished"));
    std::vector<std::string> train = {"train"};
    for (const char* setting : {"context=32", "batch=4", "iterations=20", "evaluate_every=10", "width=32"}) {
        train.insert(train.end(), {"--set", setting});
    }
    ASSERT_EQ(ropelab_cli(train, "", environment).status, 0);
    EXPECT_THAT(ropelab_cli(bench, "", environment).out,
                testing::HasSubstr("Estimated training times of the last sweep: median error"));
    const auto json = ropelab_cli({"bench", "--part", "estimates", "--json"}, "", environment).json();
    EXPECT_EQ(json.at("estimates").at("errors").size(), 1U);
}

}  // namespace
}  // namespace ropelab
