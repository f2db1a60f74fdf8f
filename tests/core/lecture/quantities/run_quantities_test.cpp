#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/lecture/quantities/quantity.h"
#include "core/results/run_selection.h"
#include "core/stats/t_test.h"
#include "core/store/lab_file.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

/// A lab of two bases with three seeds each. The final loss of base 500 is 2.0, 2.1, 2.2; base 10,000 is 0.1, 0.2 and
/// 0.1 lower.
class RunQuantities : public ::testing::Test {
 protected:
    RunQuantities() {
        const std::int64_t experiment = lab_->add_experiment("sweep", R"({"theta":[500,10000],"seed":[1,2,3]})");
        add(experiment, 500, 1, 2.0);
        add(experiment, 500, 2, 2.1);
        add(experiment, 500, 3, 2.2);
        add(experiment, 10000, 1, 1.9);
        add(experiment, 10000, 2, 1.9);
        add(experiment, 10000, 3, 2.1);
    }

    RunId add(std::int64_t experiment, double theta, std::int64_t seed, double loss) {
        RunSpec spec;
        spec.theta = theta;
        spec.seed = seed;
        const RunId id = lab_->add_run(experiment, "run", to_json(spec).dump());
        RunSummary summary;
        summary.iterations = 300;
        summary.best_validation_loss = loss - 0.5;
        summary.final_validation_loss = loss;
        summary.tokens_per_second = 1000;
        const std::vector<Event> events = {event::CohortStarted{{id}, 0, 300, {"float32", "cpu", 1, "test"}},
                                           event::RunEnded{id, RunState::finished, "", summary}};
        lab_->record(events);
        return id;
    }
    nlohmann::json value_of(const std::string& expression) { return evaluate_quantity(expression, {{}, lab_.get()}); }

    ScratchFolder folder_;
    std::unique_ptr<LabFile> lab_ = LabFile::create(folder_ / "runs.ropelab");
};

TEST_F(RunQuantities, AreMeansOverSeeds) {
    EXPECT_EQ(value_of("runs"), 6);
    EXPECT_EQ(value_of("runs(theta=500)"), 3);
    EXPECT_EQ(value_of("runs(theta=500, seed=2)"), 1);
    EXPECT_NEAR(value_of("final_validation_loss(theta=500)").get<double>(), 2.1, 1e-12);
    EXPECT_NEAR(value_of("best_validation_loss(theta=10k)").get<double>(), 1.4666666666666668, 1e-12);
    EXPECT_NEAR(value_of("standard_deviation(final_validation_loss, theta=500)").get<double>(), 0.1, 1e-12);
    EXPECT_EQ(value_of("steps(theta=500)"), 300);
    EXPECT_EQ(value_of("tokens_per_second(theta=500)"), 1000);
    EXPECT_NEAR(value_of("final_validation_loss(run=1)").get<double>(), 2.0, 1e-12);
}

TEST_F(RunQuantities, ComparePairsOfSeeds) {
    const std::string groups = "(final_validation_loss; theta=500; theta=10k)";
    EXPECT_NEAR(value_of("difference" + groups).get<double>(), (0.1 + 0.2 + 0.1) / 3, 1e-12);
    EXPECT_NEAR(value_of("p_value" + groups).get<double>(), 0.0571909584179366, 1e-9);  // t = 4 with 2 degrees
    const Sample differences = sample_of(std::vector<double>{0.1, 0.2, 0.1});
    EXPECT_NEAR(value_of("detectable_difference" + groups).get<double>(), *detectable_difference_of_pairs(differences),
                1e-9);
    EXPECT_NEAR(value_of("detectable_difference(final_validation_loss)").get<double>(),
                *detectable_difference_of_pairs(differences), 1e-9);
    EXPECT_MESSAGE(value_of("difference(final_validation_loss; theta=500, seed=1; theta=10k, seed=2)"), BadInput,
                   "no seed in common");
}

TEST_F(RunQuantities, RefuseMixedGroupsAndMissingRuns) {
    EXPECT_MESSAGE(value_of("final_validation_loss"), BadInput,
                   "differ in theta; to choose one of these runs, add theta=500");
    EXPECT_MESSAGE(value_of("final_validation_loss(theta=7)"), BadInput,
                   "The lab file runs.ropelab has no finished run with theta = 7.");
    EXPECT_MESSAGE(value_of("contribution(0, 0, 0, theta=500)"), BadInput, "has no stored measurement (snapshot)");
    EXPECT_EQ(value_of("runs(theta=7)"), 0);
}

TEST_F(RunQuantities, IncludeTheRunsOfTheResults) {
    RunSelection selection;
    selection.excluded = {1};
    lab_->set_choice(selection_choice, to_text(selection));
    EXPECT_EQ(value_of("runs(theta=500)"), 2);
    EXPECT_NEAR(value_of("final_validation_loss(theta=500)").get<double>(), 2.15, 1e-12);
    add(lab_->add_experiment("later", "{}"), 500, 1, 3.0);  // the latest experiment is selected
    EXPECT_EQ(value_of("runs"), 1);
}

TEST_F(RunQuantities, ContributionIsOfTheLastSnapshot) {
    for (const float first_share : {0.25F, 0.75F}) {
        ProbeResult result;
        result.sequences = 2;
        result.logit_contribution = {{1, 2, 3}, {0.5F, 0.25F, 0.25F, first_share, 0.125F, 0.125F}};
        const std::int64_t iteration = first_share < 0.5F ? 100 : 300;
        lab_->record(std::vector<Event>{event::Probed{1, iteration, std::make_shared<ProbeResult>(result)}});
    }
    EXPECT_EQ(value_of("contribution(0, 1, 0, run=1)"), 0.75);
    EXPECT_EQ(value_of("contribution(0, 1, 1, run=1)"), 0.125);
    EXPECT_MESSAGE(value_of("contribution(0, 1, 2, run=1)"), BadInput, "There is no pair 2; the run has 2");
    EXPECT_MESSAGE(value_of("contribution(0, 2, 0, run=1)"), BadInput, "There is no head 2; the run has 2");
}

TEST_F(RunQuantities, AttentionWeightIsOfTheLastSnapshot) {
    EXPECT_MESSAGE(value_of("attention_weight(0, 0, 1, run=1)"), BadInput,
                   "no stored measurement (snapshot) with attention weights");
    ProbeResult result;
    result.sequences = 2;
    result.distances = {0, 1, 4};
    result.attention_by_distance = {{1, 2, 3}, {0.5F, 0.25F, 0.125F, 0.25F, 0.5F, 0.0625F}};
    lab_->record(std::vector<Event>{event::Probed{1, 100, std::make_shared<ProbeResult>(result)}});
    EXPECT_EQ(value_of("attention_weight(0, 1, 1, run=1)"), 0.5);
    EXPECT_EQ(value_of("attention_weight(0, 0, 4, run=1)"), 0.125);
    EXPECT_MESSAGE(value_of("attention_weight(0, 0, 2, run=1)"), BadInput,
                   "The measurement has no distance 2; its largest distance is 4.");
    EXPECT_MESSAGE(value_of("attention_weight(0, 2, 1, run=1)"), BadInput, "There is no head 2; the run has 2");
}

TEST_F(RunQuantities, ExpertLoadIsOfTheLastSnapshot) {
    EXPECT_MESSAGE(value_of("expert_load(0, 0, run=1)"), BadInput,
                   "no stored measurement (snapshot) with the load of experts");
    for (const float first_share : {0.25F, 0.5F}) {
        ProbeResult result;
        result.sequences = 2;
        // One layer, two experts and three tokens: the shares of all choices sum to 1.
        result.expert_tokens = {0, 1, 2};
        result.expert_shares = {{1, 2, 3}, {first_share, 0.125F, 0, 0.375F, 0.5F - first_share, 0}};
        const std::int64_t iteration = first_share < 0.5F ? 100 : 300;
        lab_->record(std::vector<Event>{event::Probed{1, iteration, std::make_shared<ProbeResult>(result)}});
    }
    EXPECT_EQ(value_of("expert_load(0, 0, run=1)"), 0.625);
    EXPECT_EQ(value_of("expert_load(0, 1, run=1)"), 0.375);
    EXPECT_MESSAGE(value_of("expert_load(0, 2, run=1)"), BadInput, "There is no expert 2; the run has 2");
    EXPECT_MESSAGE(value_of("expert_load(1, 0, run=1)"), BadInput, "There is no layer 1; the run has 1");
}

}  // namespace
}  // namespace ropelab
