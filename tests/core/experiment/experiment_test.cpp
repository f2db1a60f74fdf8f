#include "core/experiment/experiment.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

TEST(Experiment, SweptSettingsMultiplyAndTheFirstVariesSlowest) {
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

TEST(Experiment, RefusesMoreRunsThanAnyoneTrains) {
    Experiment experiment;
    std::vector<std::string> seeds;
    for (int i = 0; i < 20000; ++i) seeds.push_back(std::to_string(i));
    experiment.set("seed", seeds);
    EXPECT_EQ(experiment.expand().size(), 20000U);
    experiment.set("data_seed", seeds);  // 400 million runs, which are refused before there are any
    EXPECT_MESSAGE(experiment.expand(), BadInput, "more than 20000 runs");
}

TEST(Experiment, ExplicitRunsCombineWithSweptSettings) {
    Experiment experiment;
    experiment.set("seed", {"1", "2"});
    experiment.set("theta", {"500", "1000"});
    experiment.set_explicit_runs({{{"fraction", "0"}, {"theta", "100"}}, {{"fraction", "0.5"}}});
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 2U + 4U);  // the first explicit run sets its own theta
    EXPECT_EQ(runs[0].theta, 100);
    EXPECT_EQ(runs[0].fraction, 0);
    EXPECT_EQ(runs[2].theta, 500);
}

TEST(Experiment, ParsesChannelsForTheHeadDimensionOfTheRun) {
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

TEST(Experiment, RejectsUnknownKeysAndValues) {
    EXPECT_MESSAGE(Experiment::from_text("{\"thta\": 5}"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(Experiment::from_text("{\"thta\": null}"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": 0.5}"), BadInput, "0.5");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": {}}"), BadInput, "theta");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": 5"), BadInput, "not JSON");
    EXPECT_MESSAGE(Experiment::from_text("{\"theta\": 1e999}"), BadInput, "a number beyond 1e308");
    EXPECT_MESSAGE(Experiment::from_text("[1]"), BadInput, "JSON object");
    EXPECT_MESSAGE(Experiment::from_text("{\"runs\": 5}"), BadInput, "list of objects");
    EXPECT_EQ(Experiment::from_text("{\"theta\": null}").expand().front(), RunSpec{});
    // File names may contain any bytes, but labs and checkpoints store JSON, which is UTF-8.
    EXPECT_MESSAGE(Experiment().set_assignment("data=caf\xE9.txt"), BadInput,
                   "data is not valid UTF-8 at byte offset 3");
}

TEST(Experiment, RejectsASettingThatIsSetTwice) {
    EXPECT_MESSAGE(Experiment::from_text(R"({"theta": 5, "seed": 1, "theta": 6})"), BadInput,
                   "The experiment names \"theta\" twice in one object");
    EXPECT_MESSAGE(Experiment::from_text(R"({"runs": [{"theta": 5}, {"theta": 5, "theta": 6}]})"), BadInput,
                   "\"theta\" twice");
    EXPECT_MESSAGE(Experiment::from_text(R"({"symbols": "bytes", "tokenizer": "bytes"})"), BadInput,
                   "The experiment sets tokenizer twice");
    EXPECT_EQ(Experiment::from_text(R"({"runs": [{"theta": 5}, {"theta": 6}]})").expand().size(), 2U);
    Experiment experiment;
    EXPECT_MESSAGE((experiment.set_assignments({"theta=1e3", "seed=2", "theta=500"}), 0), BadInput,
                   "The setting theta is set twice");
    experiment.set_assignments({"theta=1e3", "seed=2,3"});
    EXPECT_EQ(experiment.expand().size(), 2U);
}

TEST(Experiment, AssignmentsOverrideExplicitRuns) {
    Experiment experiment = preset("lecture-minute").experiment;
    experiment.set_assignment("theta=500");
    for (const RunSpec& run : experiment.expand()) EXPECT_EQ(run.theta, 500);
    experiment.set_assignment("theta=500,1000");
    experiment.set_assignment("fraction=1");
    EXPECT_EQ(experiment.expand().size(), 2U * 5) << "of five seeds";
    EXPECT_MESSAGE(experiment.set_assignment("theta"), BadInput, "key=value");
    EXPECT_MESSAGE(experiment.set_assignment("theta="), BadInput, "no value");
    EXPECT_MESSAGE(experiment.set_assignment("teta=5"), BadInput, "theta");
}

TEST(Experiment, ZippedSettingsVaryTogether) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("context", {"64", "128"});
    experiment.set("seed", {"1", "2"});
    EXPECT_EQ(experiment.expand().size(), 8U);
    experiment.add_zip("theta, context");
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 4U);
    EXPECT_EQ(runs[0].theta, 500);
    EXPECT_EQ(runs[0].context, 64);
    EXPECT_EQ(runs[1].theta, 500);
    EXPECT_EQ(runs[1].seed, 2);
    EXPECT_EQ(runs[2].theta, 10000);
    EXPECT_EQ(runs[2].context, 128);
}

TEST(Experiment, ExclusionsRemoveMatchingRuns) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("fraction", {"0", "4 ch", "1"});
    experiment.add_exclusion("fraction=0, theta=500");
    EXPECT_EQ(experiment.expand().size(), 5U);
    experiment.add_exclusion("fraction=12.5%");  // 4 of 32 channels
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 3U);
    for (const RunSpec& run : runs) {
        EXPECT_FALSE(run.fraction == 0 && run.theta == 500);
        EXPECT_NE(run.fraction, 0.125);
    }
}

// A run that several exclusions match counts for each of them, so that none is refused as unused.
TEST(Experiment, ExclusionsMayMatchTheSameRuns) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    experiment.set("fraction", {"0.5", "1"});
    experiment.add_exclusion("theta=500");
    experiment.add_exclusion("theta=500,fraction=0.5");
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 2U);
    for (const RunSpec& run : runs) EXPECT_EQ(run.theta, 10000);
}

TEST(Experiment, ZipsAndExclusionsApplyToExplicitRuns) {
    Experiment experiment;
    experiment.set_explicit_runs({{{"position", "none"}}, {{"position", "rope"}}});
    experiment.set("theta", {"500", "10k"});
    experiment.set("seed", {"1", "2"});
    experiment.add_zip("theta,seed");
    experiment.add_exclusion("position=none,theta=10000");
    const auto runs = experiment.expand();
    ASSERT_EQ(runs.size(), 3U);
    EXPECT_EQ(runs[0].position, Position::none);
    EXPECT_EQ(runs[2].seed, 2);
}

TEST(Experiment, ZipsAndExclusionsRoundTripThroughJson) {
    const auto json = nlohmann::json::parse(
        R"({"context": [64, 128], "exclude": [{"fraction": 0, "theta": 500}], "fraction": [0, 1],
            "theta": [500, 10000], "zip": [["theta", "context"]]})");
    const Experiment read = Experiment::from_json(json);
    EXPECT_EQ(read.to_json(), json);
    EXPECT_EQ(Experiment::from_json(read.to_json()), read);
    EXPECT_EQ(read.expand().size(), 3U);
    Experiment typed;
    for (const char* setting : {"context=64,128", "fraction=0,1", "theta=500,10k"}) typed.set_assignment(setting);
    typed.add_zip("theta,context");
    typed.add_exclusion("fraction=0,theta=500");
    EXPECT_EQ(typed.to_json(), json);
}

TEST(Experiment, RejectsInvalidZipsAndExclusions) {
    Experiment experiment;
    experiment.set("theta", {"500", "10k"});
    EXPECT_MESSAGE(experiment.add_zip("theta,contxt"), BadInput, "did you mean context?");
    EXPECT_MESSAGE(experiment.add_zip("theta"), BadInput, "needs at least two settings");
    EXPECT_MESSAGE(experiment.add_zip("theta,theta"), BadInput, "occurs twice in zip");
    EXPECT_MESSAGE(experiment.add_exclusion("thta=500"), BadInput, "did you mean theta?");
    EXPECT_MESSAGE(experiment.add_exclusion("theta=0"), BadInput, "theta is 0");
    EXPECT_MESSAGE(experiment.add_exclusion("theta"), BadInput, "key=value");
    EXPECT_MESSAGE(experiment.add_exclusion(""), BadInput, "without a setting");
    EXPECT_MESSAGE(experiment.add_exclusion("theta=500,theta=1000"), BadInput, "one value");
    EXPECT_MESSAGE(Experiment::from_text(R"({"zip": ["theta"]})"), BadInput, "must be a list of lists");
    EXPECT_MESSAGE(Experiment::from_text(R"({"exclude": {"theta": 500}})"), BadInput, "list of objects");
    EXPECT_EQ(experiment.expand().size(), 2U) << "what was refused changed nothing";

    Experiment unequal = experiment;
    unequal.set("context", {"64", "128", "256"});
    unequal.add_zip("theta,context");
    EXPECT_MESSAGE(unequal.expand(), BadInput, "theta has 2 and context has 3");
    Experiment idle = experiment;
    idle.add_exclusion("theta=1000");
    EXPECT_MESSAGE(idle.expand(), BadInput, "theta = 1000 matches no run");
    Experiment empty = experiment;
    empty.add_exclusion("position=rope");
    EXPECT_MESSAGE(empty.expand(), BadInput, "every run");
    Experiment both = experiment;
    both.set_explicit_runs({{{"theta", "5"}}});
    both.set("seed", {"1", "2"});
    both.add_zip("theta,seed");
    EXPECT_MESSAGE(both.expand(), BadInput, "set in the list of explicit runs");
}

TEST(Experiment, CohortsGroupEqualShapes) {
    Experiment experiment;
    experiment.set("position", {"none", "learned", "rope"});
    experiment.set("theta", {"100", "1000"});
    const auto cohorts = group_into_cohorts(experiment.expand());
    ASSERT_EQ(cohorts.size(), 2U);
    EXPECT_EQ(cohorts[0], (std::vector<std::size_t>{0, 1, 4, 5}));  // positions none and rope
    EXPECT_EQ(cohorts[1], (std::vector<std::size_t>{2, 3}));
}

}  // namespace
}  // namespace ropelab
