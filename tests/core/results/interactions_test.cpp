#include "core/results/interactions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/results/result_runs.h"

namespace ropelab {
namespace {

using testing::HasSubstr;

struct Cell {
    int theta;
    double fraction;
    std::array<double, 4> losses;
};
const std::vector<Cell> cells = {{10000, 1.0, {1.207, 1.153, 1.245, 1.152}}, {100, 1.0, {1.158, 1.096, 1.19, 1.089}},
                                 {1000, 1.0, {1.217, 1.158, 1.233, 1.155}},  {10000, 0.25, {1.262, 1.21, 1.286, 1.201}},
                                 {100, 0.25, {1.292, 1.266, 1.36, 1.269}},   {1000, 0.25, {1.282, 1.225, 1.3, 1.221}}};

// `apart`: every group has seeds of its own.
std::vector<ResultRun> crossed_runs(bool apart = false) {
    std::vector<ResultRun> runs;
    int offset = 0;
    for (const Cell& cell : cells) {
        for (int seed = 0; seed < 4; ++seed) {
            runs.push_back(result_run({{"theta", cell.theta}, {"fraction", cell.fraction}, {"seed", 1 + seed + offset}},
                                      cell.losses[static_cast<std::size_t>(seed)]));
        }
        offset += apart ? 10 : 0;
    }
    return runs;
}

// scipy.stats.ttest_1samp (SciPy 1.17.1) of the contrasts per seed; statsmodels 0.14.5 multipletests(method='holm').
TEST(Interactions, InteractionsAreContrastsPerSeed) {
    const ResultsTable table = results_table(crossed_runs());
    const Interactions all = interactions(table);
    EXPECT_EQ(all.factor, "theta");
    ASSERT_EQ(all.list.size(), 1U);
    const Interaction& interaction = all.list.front();
    EXPECT_EQ(interaction.by, "fraction");
    EXPECT_EQ(interaction.measure, table.compared);
    ASSERT_EQ(interaction.contrasts.size(), 2U);
    const Contrast& first = interaction.contrasts[0];
    EXPECT_EQ(first.value, 100);
    EXPECT_EQ(first.reference, 10000);
    EXPECT_EQ(first.by_reference, 1.0);
    EXPECT_EQ(first.test, TestKind::paired);
    EXPECT_NEAR(first.estimate.difference, 0.113, 1e-12);
    EXPECT_NEAR(first.estimate.low, 0.07472234513048115, 1e-12);
    EXPECT_NEAR(first.estimate.high, 0.15127765486951894, 1e-12);
    EXPECT_EQ(first.estimate.values, 4);
    EXPECT_NEAR(*first.p, 0.002554774646779587, 1e-12);
    EXPECT_NEAR(*first.p_holm, 2 * 0.002554774646779587, 1e-12);
    EXPECT_NEAR(interaction.contrasts[1].estimate.difference, 0.01575, 1e-12);
    EXPECT_NEAR(*interaction.contrasts[1].p_holm, 0.025407017109937792, 1e-12);
    EXPECT_EQ(contrast_words(table, all, "fraction", first), "(θ 100 − θ 10k) at fraction 25 % − at fraction 100 %");
    EXPECT_THAT(interaction_words(table, all),
                HasSubstr("Interaction θ × fraction: 2 of 2 tested contrasts are significant"));
    EXPECT_THAT(results_text(table), HasSubstr("0.11 [0.075, 0.15]"));
    const auto json = results_json(table).at("interactions");
    ASSERT_EQ(json.size(), 1U);
    EXPECT_EQ(json.at(0).at("factor"), "theta");
    EXPECT_EQ(json.at(0).at("contrasts").size(), 2U);
    EXPECT_EQ(json.at(0).at("contrasts").at(0).at("n"), 4);
}

// NumPy and SciPy 1.17.1: degrees of freedom of Welch and Satterthwaite for four means.
TEST(Interactions, GroupsWithoutCommonSeedsHaveWelchsTest) {
    const ResultsTable table = results_table(crossed_runs(true));
    const Interactions all = interactions(table);
    ASSERT_EQ(all.list.size(), 1U);
    const Contrast& first = all.list.front().contrasts.at(0);
    EXPECT_EQ(first.test, TestKind::welch);
    EXPECT_NEAR(first.estimate.difference, 0.113, 1e-12);
    EXPECT_NEAR(first.estimate.low, 0.015250670959068013, 1e-10);
    EXPECT_NEAR(first.estimate.high, 0.21074932904093285, 1e-10);
    EXPECT_NEAR(*first.p, 0.02702604938453772, 1e-10);
}

TEST(Interactions, OneSettingHasNoInteraction) {
    const ResultsTable table = results_table(theta_paper_runs());
    EXPECT_TRUE(interactions(table).list.empty());
    EXPECT_EQ(interaction_words(table, interactions(table)), "");
    EXPECT_EQ(interaction_text(table), "");
}

// Without rotation θ has no effect, so that its interaction with the fraction 0 is known beforehand.
TEST(Interactions, EqualModelsAreNotTested) {
    std::vector<ResultRun> runs;
    for (ResultRun run : crossed_runs()) {
        if (run.settings.at("fraction") == 0.25) run.settings["fraction"] = 0.0;
        runs.push_back(std::move(run));
    }
    EXPECT_TRUE(interactions(results_table(runs)).list.empty());
}

// Losses per token of different tokenizers cannot be compared, bits per byte can.
TEST(Interactions, TokenizersAreComparedInBitsPerByte) {
    std::vector<ResultRun> runs;
    for (ResultRun run : crossed_runs()) {
        run.settings["tokenizer"] = run.settings.at("fraction") == 0.25 ? "bytes" : "characters";
        run.settings.erase("fraction");
        run.summary->bytes_per_token = 1;
        runs.push_back(std::move(run));
    }
    const ResultsTable table = results_table(runs);
    const Interactions all = interactions(table);
    ASSERT_EQ(all.list.size(), 1U);
    EXPECT_EQ(all.list.front().by, "tokenizer");
    EXPECT_EQ(all.list.front().measure, measure_index("bits_per_byte"));
    EXPECT_NEAR(std::abs(all.list.front().contrasts.at(0).estimate.difference), 0.113 / std::log(2.0), 1e-12);
}

// The results decide the number of seeds, so that p and interval are those that hold at every number.
TEST(Interactions, AStoppingRuleHasAnytimeValidInteractions) {
    auto rule = std::make_shared<SequentialSeeds>();
    rule->design.cap = 4;
    rule->seeds = {1, 2, 3, 4};
    std::vector<ResultRun> runs = crossed_runs();
    for (ResultRun& run : runs) run.sequential = rule;
    const Interactions all = interactions(results_table(runs));
    const Contrast& first = all.list.at(0).contrasts.at(0);
    EXPECT_GT(*first.p, 0.002554774646779587);
    EXPECT_LT(first.estimate.low, 0.0747);
    EXPECT_GT(first.estimate.high, 0.1513);
}

}  // namespace
}  // namespace ropelab
