#include "core/reproduce/published/published.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/experiment/experiment.h"

namespace ropelab {
namespace {

using ::testing::ElementsAre;

/// Returns a finished run of the theta paper's model on a whole known data set.
ComparableRun paper_run(const std::string& data) {
    ComparableRun run;
    run.spec = preset("theta-paper").experiment.expand().front();
    run.spec.data = data;
    run.state = RunState::finished;
    const KnownSet& set = known_set(data);
    run.text = TextMark{data, set.bytes, set.checksum.hex};
    return run;
}

TEST(PublishedResults, AreThoseOfTheDataSetsOfTheRuns) {
    std::vector<ComparableRun> runs = {paper_run("tinyshakespeare")};
    runs.front().spec.theta = 700;  // θ is what the paper sweeps
    const PublishedResults results = published_results(runs);
    ASSERT_EQ(results.values.size(), 12U);  // six thetas, each in nats and in bits
    EXPECT_TRUE(results.omitted.empty());
    EXPECT_EQ(results.values[0].at, 500);
    EXPECT_EQ(results.values[0].sample.mean, 1.4728);
    EXPECT_EQ(results.values[0].sample.n, 3);
    EXPECT_EQ(results.values[1].measure, "bits_per_character");
    EXPECT_NEAR(results.values[1].sample.mean, 1.4728 / std::log(2.0), 1e-12);
    runs.push_back(paper_run("enwik8"));
    EXPECT_EQ(published_results(runs).values.size(), 24U);
}

TEST(PublishedResults, AreLeftOutForAPartOfTheData) {
    std::vector<ComparableRun> runs = {paper_run("tinyshakespeare"), paper_run("tinyshakespeare")};
    runs[1].text->bytes = 60000;
    EXPECT_TRUE(published_results(runs).values.empty());
    EXPECT_THAT(published_results(runs).omitted,
                ElementsAre("Published values for tinyshakespeare are left out: a run did not train on the whole data "
                            "set."));
    runs[1].state = RunState::waiting;
    EXPECT_FALSE(published_results(runs).values.empty());
}

TEST(PublishedResults, AreLeftOutForAnotherModel) {
    std::vector<ComparableRun> runs = {paper_run("tinyshakespeare"), paper_run("tinyshakespeare")};
    runs[1].spec.position = Position::learned;  // the control without RoPE
    EXPECT_FALSE(published_results(runs).values.empty());
    runs[1].spec.position = Position::learned_rope;
    runs[1].spec.width = 192;
    EXPECT_TRUE(published_results(runs).values.empty());
    EXPECT_THAT(published_results(runs).omitted,
                ElementsAre("Published values for tinyshakespeare are left out: the model or its training differs "
                            "(width is 192, the paper's is 384)."));
}

TEST(PublishedResults, NeedADataSetOfThePaper) {
    const PublishedResults results = published_results(std::vector<ComparableRun>{{RunSpec{}, RunState::finished, {}}});
    EXPECT_TRUE(results.values.empty());
    EXPECT_TRUE(results.omitted.empty());
}

}  // namespace
}  // namespace ropelab
