#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/lecture/quantities/quantity.h"
#include "core/rope/rotary_setup.h"
#include "core/store/lab_file.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

double course_value(const std::string& expression, const std::string& setup = "theta=10k") {
    return evaluate_quantity(expression, {parse_setups(setup), nullptr}).get<double>();
}

TEST(CourseQuantities, AShiftOfBothTokensLeavesTheLogit) {
    EXPECT_NEAR(course_value("logit_shift(10, 3, 50)"), 0, 1e-12);
    EXPECT_NEAR(course_value("logit_shift(10, 3, 100000)", "theta=500 head_dim=8 fraction=50%"), 0, 1e-9);
}

TEST(CourseQuantities, NegativeShareMatchesTheReferenceValue) {
    EXPECT_NEAR(course_value("negative_share(256)", "theta=500 head_dim=64"), 0.0605, 0.00005);
    EXPECT_EQ(course_value("negative_share(256)", "theta=10k head_dim=64"), 0);
    EXPECT_MESSAGE(course_value("negative_share(1e12)"), BadInput, "at most 16777216 tokens");
}

TEST(CourseQuantities, TableSavingIsTheRatioOfChannels) {
    EXPECT_NEAR(course_value("table_saving", "head_dim=256 fraction=10%"), 256.0 / 26, 1e-12);
    EXPECT_EQ(course_value("table_saving", "head_dim=64"), 1);
    EXPECT_TRUE(evaluate_quantity("table_saving", {parse_setups("fraction=0%"), nullptr}).is_null());
}

TEST(CourseQuantities, ScalingsChangeTheBaseAndThePairs) {
    const std::string trained = "theta=10k head_dim=128 context=16384 factor=4 original_context=4096 scaling=";
    EXPECT_NEAR(course_value("ntk_base", trained + "ntk"), 40890, 0.5);
    EXPECT_NEAR(course_value("ntk_base", "theta=10k head_dim=128"), 10000, 1e-6);
    EXPECT_EQ(course_value("unchanged_pairs", trained + "yarn"), 21);
    EXPECT_EQ(course_value("unchanged_pairs", trained + "linear"), 0);
    EXPECT_EQ(course_value("unchanged_pairs", "head_dim=64 fraction=25%"), 8);
    EXPECT_MESSAGE(course_value("ntk_base", trained + "yarn"), BadInput, "ntk_base needs a setup");
}

TEST(CourseQuantities, PublishedValuesAreRecomputed) {
    EXPECT_NEAR(course_value("published_improvement(enwik8, 50000)"), 2.0171, 0.0001);
    EXPECT_NEAR(course_value("published_improvement(tinyshakespeare, 5000)"), 0.5224, 0.0001);
    EXPECT_NEAR(course_value("published_p_value(tinyshakespeare, 5000, student)"), 0.01575, 0.00001);
    EXPECT_NEAR(course_value("published_p_value(tinyshakespeare, 5000, welch)"), 0.03061, 0.00001);
    EXPECT_NEAR(course_value("published_slowdown(5000)"), 441.3 / 244.1, 1e-12);
    EXPECT_EQ(course_value("published_perplexity(llama-8b, 10)"), 6.42);
    EXPECT_EQ(course_value("published_perplexity(llama-1b, 100)"), 12.78);
    EXPECT_EQ(course_value("published_perplexity(llama-1b, 0)"), 14.9);
    EXPECT_EQ(course_value("published(theta_paper, table_2/text8/theta=500, best_validation_loss)"), 1.0648);
}

TEST(CourseQuantities, RefuseWhatNoPaperPrints) {
    EXPECT_MESSAGE(check_quantity("published_improvement(enwik9, 500)"), BadInput, "no data set \"enwik9\"");
    EXPECT_MESSAGE(check_quantity("published_slowdown(700)"), BadInput, "no row with theta = 700");
    EXPECT_MESSAGE(check_quantity("published_p_value(text8, 500, sign)"), BadInput, "must be student or welch");
    EXPECT_MESSAGE(check_quantity("published_perplexity(llama-1b, 33)"), BadInput, "no perplexity of llama-1b");
    EXPECT_MESSAGE(check_quantity("published_perplexity(gpt, 10)"), BadInput, "must be llama-1b or llama-8b");
}

TEST(CourseQuantities, MeasurementsAreMeansOverTheRunsWithTheSettings) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder.path() / "counts.ropelab");
    const auto experiment = lab->add_experiment("counts", "{}");
    for (const auto& [settings, count] :
         {std::pair(R"({"theta": 500, "seed": 1})", 39.0), std::pair(R"({"theta": 500, "seed": 2})", 41.0),
          std::pair(R"({"theta": 10000, "seed": 1})", 19.0)}) {
        lab->set_measurement(lab->add_run(experiment, "run", settings), "operations_per_generated_token", count);
    }
    const auto mean = [&](const std::string& filter) {
        return evaluate_quantity("measurement(operations_per_generated_token; " + filter + ")",
                                 {parse_setups("theta=10k"), lab.get()})
            .get<double>();
    };
    EXPECT_EQ(mean("theta=500"), 40);
    EXPECT_EQ(mean("theta=500, seed=2"), 41);
    EXPECT_EQ(mean("theta=10k"), 19);
    EXPECT_EQ(mean("run=2"), 41);
    EXPECT_MESSAGE(mean("theta=700"), BadInput, "No run with the given settings");
    EXPECT_EQ(evaluate_quantity("predictions", {parse_setups("theta=10k"), lab.get()}), 0);
}

}  // namespace
}  // namespace ropelab
