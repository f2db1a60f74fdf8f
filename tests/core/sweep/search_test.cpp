#include "core/sweep/search.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/sweep/lab_plan.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

Search search_over(Search::Method method, std::vector<std::string> ranges, std::int64_t samples) {
    Search search;
    search.method = method;
    search.samples = samples;
    for (const std::string& range : ranges) search.ranges.push_back(*parse_search_range(range));
    return search;
}

TEST(Search, ParsesRangesOfNumbers) {
    const auto range = parse_search_range("learning_rate=1e-4 .. 1e-2 log");
    ASSERT_TRUE(range);
    EXPECT_EQ(range->key, "learning_rate");
    EXPECT_EQ(range->low, 1e-4);
    EXPECT_EQ(range->high, 1e-2);
    EXPECT_TRUE(range->logarithmic);
    EXPECT_FALSE(parse_search_range("theta=500..10k")->logarithmic);
    EXPECT_FALSE(parse_search_range("theta=500,10000"));
    EXPECT_FALSE(parse_search_range("seed=1..3")) << "seeds are a list";
    EXPECT_FALSE(parse_search_range("data=../text.txt"));
    EXPECT_MESSAGE(parse_search_range("theta=10..10"), BadInput, "must ascend");
    EXPECT_MESSAGE(parse_search_range("dropout=0..0.5 log"), BadInput, "above 0");
    EXPECT_MESSAGE(parse_search_range("dropout=0..5"), BadInput, "dropout");
}

TEST(Search, RangesAreWrittenAsTheyAreParsed) {
    for (const char* text : {"learning_rate=1e-04..0.01 log", "theta=500..10000", "warmup=1..3"}) {
        EXPECT_EQ(range_text(*parse_search_range(text)), text);
    }
    Search twice = search_over(Search::Method::sobol, {"theta=500..10000", "theta=20..30"}, 2);
    Experiment experiment;
    EXPECT_MESSAGE(apply_search(twice, experiment), BadInput, "theta has two ranges");
    const Search both = search_over(Search::Method::sobol, {"theta=500..10000", "warmup=1..3"}, 2);
    EXPECT_TRUE(both.samples_key("theta") && both.samples_key("warmup"));
    EXPECT_FALSE(both.samples_key("dropout"));
    for (const std::int64_t samples : {0, 10001}) {
        Search search = search_over(Search::Method::random, {"theta=500..10000"}, samples);
        EXPECT_MESSAGE(apply_search(search, experiment), BadInput, "must be from 1 to 10000");
    }
}

TEST(Search, IsReadFromItsLab) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    Search search = search_over(Search::Method::halving, {"learning_rate=1e-4..1e-2 log"}, 4);
    search.seed = 7;
    search.first_rung = 200;
    Experiment experiment;
    Search applied = search;
    apply_search(applied, experiment);
    plan_new_runs(*lab, experiment, [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
        store_search(file, id, search, runs);
    });
    EXPECT_EQ(stored_search(*lab, 1), search);
    EXPECT_EQ(stored_stopping_rule(*lab, 1), StoppingRule(Halving{1, 200, 4}));
    const Search sobol = search_over(Search::Method::sobol, {"theta=500..10000", "warmup=1..3"}, 4);
    plan_new_runs(*lab, Experiment(), [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
        store_search(file, id, sobol, runs);
    });
    EXPECT_EQ(stored_search(*lab, 2), sobol);
    EXPECT_EQ(stored_stopping_rule(*lab, 2), std::nullopt);
    plan_new_runs(*lab, Experiment());
    EXPECT_EQ(stored_search(*lab, 3), std::nullopt);
    EXPECT_EQ(stored_stopping_rule(*lab, 3), std::nullopt);
    for (const char* text : {"no JSON", "[]", "{}", R"({"method": "of a newer version"})"}) {
        const std::int64_t id = lab->add_experiment("other", "{}");
        lab->add_document(id, search_document, text);
        EXPECT_EQ(stored_search(*lab, id), std::nullopt) << text;
    }
}

TEST(Search, ValuesLieInTheirRanges) {
    for (const Search::Method method : {Search::Method::random, Search::Method::sobol}) {
        const Search search = search_over(method, {"learning_rate=1e-4..1e-2 log", "warmup=1..3"}, 600);
        std::map<std::string, int> warmups;
        int below = 0;  // samples below the geometric mean of the range
        for (const auto& point : search_points(search)) {
            const auto values = search_values(search, point);
            const double rate = parse_number(values.at("learning_rate"));
            EXPECT_GE(rate, 1e-4);
            EXPECT_LE(rate, 1e-2);
            below += rate < 1e-3 ? 1 : 0;
            ++warmups[values.at("warmup")];
        }
        EXPECT_NEAR(below, 300, method == Search::Method::sobol ? 3 : 60);
        ASSERT_EQ(warmups.size(), 3U);
        for (const auto& [value, count] : warmups) EXPECT_NEAR(count, 200, 60) << value;
    }
}

TEST(Search, SamplesDependOnTheSeedOnlyAndMoreBeginWithTheSame) {
    for (const Search::Method method : {Search::Method::random, Search::Method::sobol}) {
        Search search = search_over(method, {"theta=500..10000", "dropout=0..0.5"}, 8);
        const auto points = search_points(search);
        EXPECT_EQ(points.size(), 8U);
        EXPECT_EQ(search_points(search), points);
        for (const auto& point : points) {
            // Where a number from 0 to 1 is on the way from 500 to 10,000, as the ruler has it.
            EXPECT_NEAR((parse_number(search_values(search, point).at("theta")) - 500) / 9500, point[0], 1e-5);
        }
        search.samples = 16;
        auto more = search_points(search);
        more.resize(8);
        EXPECT_EQ(more, points);
        search.seed = 2;
        EXPECT_NE(search_points(search)[0], points[0]);
    }
}

// In each dimension, 2^k points of a Sobol sequence have one point in each of 2^k equal intervals, also after a digital
// shift.
TEST(Search, SobolFillsEachRangeEvenly) {
    const auto points = search_points(search_over(Search::Method::sobol, {"theta=2..3", "dropout=0..0.5"}, 256));
    for (const std::size_t samples : {16, 256}) {
        for (std::size_t dimension = 0; dimension < 2; ++dimension) {
            std::set<std::size_t> intervals;
            for (std::size_t i = 0; i < samples; ++i) {
                intervals.insert(static_cast<std::size_t>(points[i][dimension] * static_cast<double>(samples)));
            }
            EXPECT_EQ(intervals.size(), samples);
        }
    }
}

TEST(Search, SamplesReplaceTheExplicitRunsAndKeepTheSeeds) {
    Search search = search_over(Search::Method::random, {"theta=500..10000"}, 4);
    Experiment experiment;
    experiment.set("seed", {"1", "2"});
    experiment.set("theta", {"7"});
    experiment.set_explicit_runs({{{"theta", "3"}}});
    apply_search(search, experiment);
    const auto runs = experiment.expand();
    EXPECT_EQ(runs.size(), 8U);
    for (const RunSpec& run : runs) EXPECT_GE(run.theta, 500);
    Search nothing = search_over(Search::Method::sobol, {}, 4);
    EXPECT_MESSAGE(apply_search(nothing, experiment), BadInput, "needs a range");
}

TEST(Search, HalvingNeedsOneCohortAndAnEvaluationAtEachRung) {
    Experiment experiment;
    experiment.set("theta", {"100", "1000"});
    Search search = search_over(Search::Method::halving, {}, 1);
    apply_search(search, experiment);
    EXPECT_EQ(search.first_rung, 200) << "an eighth of 1000 iterations, rounded up to an evaluation";
    experiment.set("evaluate_every", {"1"});
    search.first_rung = 0;
    apply_search(search, experiment);
    EXPECT_EQ(search.first_rung, 125);
    experiment.set("evaluate_every", {"100"});
    search.first_rung = 150;
    EXPECT_MESSAGE(apply_search(search, experiment), BadInput, "multiple of evaluate_every, which is 100");
    search.first_rung = 1000;
    EXPECT_MESSAGE(apply_search(search, experiment), BadInput, "only 1000 iterations");
    experiment.set("width", {"64", "128"});
    EXPECT_MESSAGE(apply_search(search, experiment), BadInput, "form 2 cohorts");
    Experiment one;
    search.first_rung = 0;
    EXPECT_MESSAGE(apply_search(search, one), BadInput, "at least two different settings");
}

TEST(Search, RungsAreFixedByTheNumberOfSettings) {
    const Halving halving{1, 100, 5};
    EXPECT_EQ(rung_at(halving, 0, 1000), 0);
    EXPECT_EQ(rung_at(halving, 100, 1000), 1);
    EXPECT_EQ(rung_at(halving, 200, 1000), 2);
    EXPECT_EQ(rung_at(halving, 300, 1000), 0);
    EXPECT_EQ(rung_at(halving, 400, 1000), 3);
    EXPECT_EQ(rung_at(halving, 800, 1000), 0) << "one setting remains after rung 3: 5, 3, 2, 1";
    EXPECT_EQ(rungs_of(halving, 1000), (std::vector<std::int64_t>{100, 200, 400}));
    EXPECT_TRUE(rungs_of(Halving{}, 1000).empty());
    EXPECT_EQ(rung_at(halving, 400, 400), 0) << "there is no rung at the last iteration";
}

RungRun at_rung(double theta, std::int64_t seed, double loss) {
    RungRun run;
    run.spec.theta = theta;
    run.spec.seed = seed;
    run.validation_loss = loss;
    return run;
}

TEST(Search, TheWorseHalfByMeanLossIsStoppedWithAllItsSeeds) {
    const Halving halving{1, 100, 4};
    const std::vector<RungRun> runs = {at_rung(1, 1, 2.0), at_rung(2, 1, 1.0), at_rung(3, 1, 1.5), at_rung(4, 1, 1.2),
                                       at_rung(1, 2, 0.1), at_rung(2, 2, 1.4), at_rung(3, 2, 1.5), at_rung(4, 2, 1.3)};
    const auto stops = stops_at_rung(halving, 1, 100, runs);  // means: 1.05, 1.2, 1.5, 1.25
    ASSERT_EQ(stops.size(), 4U);
    EXPECT_EQ(stops[0].run, 2U);
    EXPECT_EQ(stops[1].run, 3U);
    EXPECT_EQ(stops[0].message,
              "Stopped at rung 1 of successive halving, iteration 100: the mean validation loss of its setting, 1.5, "
              "has rank 4 of 4.");
    RunRecord record;
    record.state = RunState::stopped;
    record.message = stops[0].message;
    EXPECT_EQ(stopped_at_rung(record), 1);
    record.message = "";
    EXPECT_EQ(stopped_at_rung(record), std::nullopt);

    // After a restart at the same rung nothing more is stopped.
    const std::vector<RungRun> left = {runs[0], runs[1], runs[4], runs[5]};
    EXPECT_TRUE(stops_at_rung(halving, 1, 100, left).empty());
    // A setting of which a run diverged ranks last.
    const std::vector<RungRun> one_lost = {runs[0], runs[1], runs[5]};
    const auto second = stops_at_rung(halving, 2, 200, one_lost);
    ASSERT_EQ(second.size(), 1U);
    EXPECT_EQ(second[0].run, 0U);
    const std::vector<RungRun> undefined = {at_rung(1, 1, std::nan("")), at_rung(2, 1, 5)};
    EXPECT_EQ(stops_at_rung({1, 100, 2}, 1, 100, undefined).at(0).run, 0U);
}

TEST(Search, TheLabStoresTheHalvingAndDoesNotResumeStoppedRuns) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    Experiment experiment;
    experiment.set("theta", {"100", "1000", "10000"});
    Search search = search_over(Search::Method::halving, {}, 1);
    apply_search(search, experiment);
    plan_new_runs(*lab, experiment, [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>& runs) {
        nlohmann::json document = to_json(search);
        document["settings"] = halving_of(search, id, runs)->settings;
        file.add_document(id, search_document, document.dump());
        EXPECT_EQ(search_words(document.dump()), "halving, first rung at iteration 200 of 3 settings");
    });
    EXPECT_EQ(stored_stopping_rule(*lab, 1), StoppingRule(Halving{1, 200, 3}));
    EXPECT_EQ(plan_continued_runs(*lab, {2}).runs.at(0).stopping, StoppingRule(Halving{1, 200, 3}));
    lab->record(std::vector<Event>{
        event::RunEnded{2, RunState::stopped, "Stopped at rung 1 of successive halving, iteration 200: …", {}}});
    EXPECT_EQ(unfinished_runs(*lab), (std::vector<RunId>{1, 3}));
    EXPECT_EQ(
        search_words(to_json(search_over(Search::Method::sobol, {"theta=500..10000", "warmup=1..3 log"}, 8)).dump()),
        "sobol, 8 samples with seed 1: theta from 500 to 10000 (linear), warmup from 1 to 3 (log)");
    EXPECT_EQ(search_words("no JSON"), "no JSON");
}

}  // namespace
}  // namespace ropelab
