#include "core/results/results_compare.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/contract/training_clock.h"
#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

// Two settings of four seeds whose training speeds differ clearly, with the clock that `clock_of` gives each run.
template <typename ClockOf>
ResultsTable speed_table(const ClockOf& clock_of) {
    std::vector<ResultRun> runs;
    for (int i = 0; i < 8; ++i) {
        const int setting = i % 2, seed = i / 2;
        runs.push_back(result_run({{"theta", setting == 0 ? 10000 : 500}, {"seed", seed}}, 1.5 + 0.01 * i));
        runs.back().summary->tokens_per_second = (setting == 0 ? 1000 : 2000) + i * i;
        runs.back().conditions = timed_by(clock_of(i, seed));
    }
    ResultsOptions options;
    options.compare = "tokens_per_second";
    return results_table(runs, options);
}

Verdict::Kind speed_verdict(const ResultsTable& table) {
    return verdict_of(table, table.groups[1]).kind;
}

TEST(TrainingClock, IsReadBackFromItsText) {
    for (const TrainingClock& clock : {TrainingClock{"host 12 345 678", 3, true}, TrainingClock{"s", 0, false}}) {
        EXPECT_EQ(training_clock(to_text(clock)), clock);
    }
    for (const char* text : {"", "random", "random 3", "random x session", "random 3 ", "other 3 session"}) {
        EXPECT_EQ(training_clock(text), std::nullopt) << text;
    }
}

TEST(ResultsClocks, SpeedsAreTestedOnlyWithClocksOfTheirOwnInRandomOrderOfOneSession) {
    const auto own = [](int i, int) { return to_text({"session", i, true}); };
    const ResultsTable tested = speed_table(own);
    EXPECT_EQ(speed_verdict(tested), Verdict::Kind::better);
    EXPECT_EQ(tested.groups[0].described[tested.compared].n, 4);

    // Each seed was trained in a session of its own, so that both settings met the same load.
    EXPECT_EQ(speed_verdict(speed_table([](int i, int seed) {
                  return to_text({"session " + std::to_string(seed), i, true});
              })),
              Verdict::Kind::better);

    const std::vector<std::function<std::string(int, int)>> untested = {
        [](int, int) { return std::string(); },  // an older lab
        [](int i, int) {
            return to_text({"session", i, false});
        },  // in a fixed order
        [](int i, int) {
            return to_text({"session", i / 2, true});
        },  // one clock for two runs
        [](int i, int) {
            return to_text({i % 2 == 0 ? "morning" : "evening", i, true});
        },  // a session per setting
        [](int i, int) {
            return i == 7 ? std::string() : to_text({"session", i, true});
        }};  // one run resumed
    for (const auto& clock_of : untested) {
        const ResultsTable table = speed_table(clock_of);
        EXPECT_EQ(speed_verdict(table), Verdict::Kind::untested) << clock_of(7, 3);
        EXPECT_FALSE(table.groups[1].decided().p);
        const auto interval = difference_interval(table.groups[1], table.groups[0], table.compared, TestKind::paired);
        ASSERT_TRUE(interval);
        EXPECT_TRUE(std::isnan(interval->low));
    }
}

// Three runs of one cohort and one of another are two clocks with equal weight.
TEST(ResultsClocks, MeanIsOverTheClocks) {
    for (const bool has_clocks : {true, false}) {
        std::vector<ResultRun> runs;
        for (int seed = 0; seed < 4; ++seed) {
            runs.push_back(result_run({{"seed", seed}}, 1.5));
            runs.back().summary->seconds = seed < 3 ? 10 : 20;
            if (has_clocks) runs.back().conditions = timed_by(to_text({"session", seed / 3, false}));
        }
        const Description seconds = results_table(runs).groups[0].described[measure_index("seconds")];
        EXPECT_EQ(seconds.mean, 15);
        EXPECT_EQ(seconds.n, 1);
    }
}

}  // namespace
}  // namespace ropelab
