#include "core/experiment/experiment.h"

#include <gtest/gtest.h>

#include "core/spec/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(Experiment, SweptKeysMultiplyTheFirstOfTheTableSlowest) {
    Experiment experiment;
    experiment.set("seed", {"1", "2"});
    experiment.set("theta", {"500", "10k"});
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[0].theta, 500);
    EXPECT_EQ(runs[0].seed, 1);
    EXPECT_EQ(runs[1].theta, 500);
    EXPECT_EQ(runs[1].seed, 2);
    EXPECT_EQ(runs[3].theta, 10000);
}

TEST(Experiment, ExplicitRunsStandBesideSweptKeysAndKeepTheirOwnValues) {
    Experiment experiment;
    experiment.set("seed", {"1", "2"});
    experiment.set("theta", {"500", "1000"});
    experiment.set_explicit_runs({{{"fraction", "0"}, {"theta", "100"}}, {{"fraction", "0.5"}}});
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 2U + 4U);  // the first run's theta is its own
    EXPECT_EQ(runs[0].theta, 100);
    EXPECT_EQ(runs[0].fraction, 0);
    EXPECT_EQ(runs[2].theta, 500);
}

TEST(Experiment, ChannelsAreReadForTheHeadDimensionOfTheRun) {
    Experiment experiment;
    experiment.set("fraction", {"2 ch"});
    experiment.set("width", {"64", "128"});
    const auto runs = experiment.expand();
    EXPECT_DOUBLE_EQ(runs[0].fraction, 2.0 / 32);
    EXPECT_DOUBLE_EQ(runs[1].fraction, 2.0 / 64);
}

TEST(Experiment, JsonRoundTrip) {
    Experiment experiment("both");
    experiment.set("theta", {"500", "10k"});
    experiment.set("fraction", {"25 %", "2 ch"});
    experiment.set("bias", {"true"});
    experiment.set_explicit_runs({{{"seed", "3"}}});
    const nlohmann::json json = experiment.to_json();
    EXPECT_EQ(json.at("theta"), nlohmann::json({500, 10000}));
    EXPECT_EQ(json.at("bias"), true);
    const Experiment read = Experiment::from_json(json);
    EXPECT_EQ(read.to_json(), json);
    EXPECT_EQ(read.expand(), experiment.expand());
    EXPECT_EQ(read.name(), "both");
}

TEST(Experiment, RefusesWhatItDoesNotKnow) {
    EXPECT_MESSAGE(Experiment::from_text("{\"thta\": 5}"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(Experiment::from_text("{\"thta\": null}"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": 0.5}"), BadInput, "0.5");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": {}}"), BadInput, "theta");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": 5"), BadInput, "not JSON");
    EXPECT_MESSAGE(Experiment::from_text("[1]"), BadInput, "JSON object");
    EXPECT_MESSAGE(Experiment::from_text("{\"runs\": 5}"), BadInput, "list of objects");
    EXPECT_EQ(Experiment::from_text("{\"theta\": null}").expand().front(), RunSpec{});
}

TEST(Experiment, AssignmentsSetOrSweepAKeyAndStandAboveExplicitRuns) {
    Experiment experiment = preset("lecture-minute").experiment;
    experiment.set_assignment("theta=500");
    for (const RunSpec& run : experiment.expand()) EXPECT_EQ(run.theta, 500);
    experiment.set_assignment("theta=500,1000");
    experiment.set_assignment("fraction=1");
    EXPECT_EQ(experiment.expand().size(), 2U);
    EXPECT_MESSAGE(experiment.set_assignment("theta"), BadInput, "key=value");
    EXPECT_MESSAGE(experiment.set_assignment("theta="), BadInput, "no value");
    EXPECT_MESSAGE(experiment.set_assignment("teta=5"), BadInput, "theta");
}

TEST(Experiment, ARunsSettingsRoundTrip) {
    RunSpec spec;
    spec.theta = 12345.678;
    spec.fraction = 1.0 / 3;
    spec.position = Position::learned_rope;
    spec.precision = Precision::bfloat16;
    EXPECT_EQ(run_spec_from_json(to_json(spec)), spec);
    EXPECT_EQ(run_spec_from_json(nlohmann::json::parse(to_json(spec).dump())), spec);
}

TEST(Experiment, CohortsGroupEqualShapes) {
    Experiment experiment;
    experiment.set("position", {"none", "learned", "rope"});
    experiment.set("theta", {"100", "1000"});
    const auto cohorts = group_into_cohorts(experiment.expand());
    ASSERT_EQ(cohorts.size(), 2U);
    EXPECT_EQ(cohorts[0], (std::vector<std::size_t>{0, 1, 4, 5}));  // none and rope
    EXPECT_EQ(cohorts[1], (std::vector<std::size_t>{2, 3}));
}

}  // namespace
}  // namespace ropelab
