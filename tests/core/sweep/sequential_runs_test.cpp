#include "core/sweep/sequential_runs.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/sweep/lab_plan.h"
#include "core/sweep/stored_run.h"
#include "tests/support/expect_message.h"
#include "tests/support/scratch_folder.h"

namespace ropelab {
namespace {

Experiment three_bases(const std::vector<std::string>& seeds) {
    Experiment experiment("bases");
    experiment.set("theta", {"10000", "100", "500"});
    experiment.set("seed", seeds);
    return experiment;
}

SequentialDesign looks_at(std::vector<std::int64_t> looks) {
    SequentialDesign design = group_sequential_design(looks.back());
    design.looks = std::move(looks);
    design.futility = 0;
    return design;
}

void finish(LabFile& lab, RunId run, double loss) {
    RunSummary summary;
    summary.iterations = summary.best_iteration = 1000;
    summary.best_validation_loss = summary.final_validation_loss = loss;
    lab.record(std::vector<Event>{event::RunEnded{run, RunState::finished, "", summary}});
}

// Of seed s: the baseline 2 + s/10; theta 100 better by 0.5, ± 0.001; theta 500 with differences of 0.15, ± 0.1.
void finish_all(LabFile& lab) {
    for (const RunRecord& record : lab.runs()) {
        const RunSpec spec = stored_spec(record);
        const double baseline = 2 + static_cast<double>(spec.seed) / 10;
        const double sign = static_cast<double>(spec.seed % 3) - 1;
        finish(lab, record.id,
               baseline + (spec.theta == 100   ? -0.5 + 0.001 * sign
                           : spec.theta == 500 ? 0.1 * sign
                                               : 0));
    }
}

TEST(SequentialRuns, SeedsAreThoseListedAndWholeNumbersAfterThem) {
    Experiment experiment = three_bases({"7", "3"});
    SequentialDesign design;
    design.cap = 5;
    set_sequential_seeds(experiment, design);
    EXPECT_EQ(experiment.values("seed"), (std::vector<std::string>{"3", "7", "8", "9", "10"}));
    const std::vector<RunSpec> specs = experiment.expand();
    std::vector<std::size_t> expected;  // three seeds before the first look
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (specs[i].seed <= 8) expected.push_back(i);
    }
    EXPECT_EQ(expected.size(), 9U);
    EXPECT_EQ(first_runs(experiment, design), expected);
    EXPECT_EQ(first_runs(experiment, looks_at({4, 5})).size(), 12U);

    set_sequential_seeds(experiment, design);  // as many as the cap
    design.cap = 4;
    EXPECT_MESSAGE(set_sequential_seeds(experiment, design), BadInput,
                   "lists 5 seeds, but the stopping rule uses at most 4");
    Experiment one;
    EXPECT_MESSAGE(set_sequential_seeds(one, design), BadInput, "at least two of them");
}

TEST(SequentialRuns, OnlyOpenComparisonsAndTheirBaselineNeedSeeds) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    const Experiment experiment = three_bases({"1", "2", "3", "4", "5"});
    const SequentialDesign design = looks_at({3, 5});
    plan_new_runs(*lab, experiment, first_runs(experiment, design),
                  [&](LabFile& file, std::int64_t id, const std::vector<RunSpec>&) {
                      file.add_document(id, stopping_document, to_json(design).dump());
                  });
    ASSERT_EQ(lab->runs().size(), 9U);
    finish_all(*lab);
    const SeedNeeds needs = needs_of_results(*lab, 1);
    RunSpec setting;
    setting.seed = 77;
    const SeedNeed baseline = needs(setting);
    setting.theta = 500;
    const SeedNeed open = needs(setting);
    setting.theta = 100;
    const SeedNeed settled = needs(setting);
    EXPECT_EQ(open.seeds, 5);
    EXPECT_GT(open.chance, 0);
    EXPECT_LT(open.chance, 1);
    EXPECT_EQ(baseline.seeds, 5);
    EXPECT_EQ(baseline.chance, open.chance);
    EXPECT_EQ(settled.seeds, 0);
    EXPECT_EQ(settled.chance, 0);

    EXPECT_EQ(add_needed_runs(*lab, 1, needs), 4U);
    EXPECT_EQ(add_needed_runs(*lab, 1, needs), 0U) << "these have not ended";
    std::vector<std::pair<double, std::int64_t>> added;
    for (const RunRecord& record : lab->runs()) {
        if (record.state != RunState::waiting) continue;
        const RunSpec spec = stored_spec(record);
        added.emplace_back(spec.theta, spec.seed);
        EXPECT_NE(record.name.find("seed " + std::to_string(spec.seed)), std::string::npos) << record.name;
    }
    std::sort(added.begin(), added.end());
    EXPECT_EQ(added, (std::vector<std::pair<double, std::int64_t>>{{500, 4}, {500, 5}, {10000, 4}, {10000, 5}}));
    finish_all(*lab);
    EXPECT_EQ(add_needed_runs(*lab, 1, needs), 0U) << "the lab has them all";
    EXPECT_EQ(needs_of_results(*lab, 1)(RunSpec()).seeds, 0) << "the cap is reached";
}

TEST(SequentialRuns, TheBestChancePerSecondOfTrainingIsAddedFirst) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    Experiment experiment;
    experiment.set("width", {"64", "256"});
    experiment.set("theta", {"100", "500"});
    plan_new_runs(*lab, experiment, std::vector<std::size_t>{});
    plan_new_runs(*lab, three_bases({"1"}));  // another experiment, whose runs wait
    EXPECT_EQ(
        add_needed_runs(*lab, 1,
                        [](const RunSpec& setting) {
                            return SeedNeed{1, (setting.theta == 500 ? 0.2 : 0.1) * (setting.width == 256 ? 2 : 1)};
                        }),
        4U);
    std::vector<std::pair<std::int64_t, double>> order;
    for (const RunRecord& record : lab->runs()) {
        const RunSpec spec = stored_spec(record);
        if (record.experiment == 1) order.emplace_back(spec.width, spec.theta);
    }
    EXPECT_EQ(order,
              (std::vector<std::pair<std::int64_t, double>>{{64, 500.0}, {64, 100.0}, {256, 500.0}, {256, 100.0}}));
}

// Expected values: the noncentral t and the χ² distribution, integrated with SciPy 1.17.
TEST(PowerForecast, IsThatOfPairedTTestsAtHolmsStrictestStep) {
    std::vector<std::string> seeds = {"1", "2", "3", "4", "5"};
    Experiment experiment;
    experiment.set("theta", {"2", "3", "4", "5"});
    experiment.set("seed", seeds);
    const auto runs = experiment.expand();
    const auto plain = power_forecast(runs, {});
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->comparisons, 3);
    EXPECT_EQ(plain->seeds, 5);
    EXPECT_NEAR(*plain->detectable_deviations, 2.29165, 1e-4);
    EXPECT_FALSE(plain->detectable || plain->paired_deviation);
    EXPECT_EQ(words_of(*plain),
              "Power before training: with 5 seeds per setting, the paired t test detects a difference of 2.3 standard "
              "deviations of the differences within pairs, with 80 % power at the first and strictest step of Holm's "
              "correction, over 3 comparisons with a shared baseline.");
    EXPECT_EQ(short_words_of(*plain),
              "With 5 seeds, differences below 2.3 times their spread over seeds are missed in more than 20 % of "
              "sweeps.");

    const auto stated = power_forecast(runs, {}, 0.01, Sample{9, 0, 0.5});
    EXPECT_EQ(stated->paired_deviation, 0.01);
    EXPECT_NEAR(*stated->detectable, 0.0229165, 1e-6);
    EXPECT_FALSE(stated->detectable_low || stated->detectable_high);
    EXPECT_EQ(short_words_of(*stated),
              "With 5 seeds, differences below 0.023 nats (2.3 times their spread over seeds) are missed in more "
              "than 20 % of sweeps.");
    const auto estimated = power_forecast(runs, {}, {}, Sample{9, 0, 0.02});
    EXPECT_NEAR(*estimated->detectable, 0.045833, 1e-5);
    EXPECT_NEAR(*estimated->detectable_low, 0.675457 * 0.045833, 1e-5);
    EXPECT_NEAR(*estimated->detectable_high, 1.915771 * 0.045833, 1e-5);
    EXPECT_NE(words_of(*estimated).find("which are 0.046 nats (95 % interval 0.031 … 0.088, because"),
              std::string::npos);
    EXPECT_EQ(short_words_of(*estimated),
              "With 5 seeds, differences below 0.046 nats (2.3 times their spread over seeds in this lab, all settings "
              "pooled) "
              "are missed in "
              "more than 20 % of sweeps.");
    const nlohmann::json json = to_json(*estimated);
    EXPECT_EQ(json.at("seeds"), 5);
    EXPECT_EQ(json.at("comparisons"), 3);
    EXPECT_EQ(json.at("paired_deviation"), 0.02);
    EXPECT_EQ(json.at("detectable_confidence_95"),
              nlohmann::json({*estimated->detectable_low, *estimated->detectable_high}));

    // Each fraction has a baseline of its own, and evaluations do not change a model.
    Experiment factorial = experiment;
    factorial.set("theta", {"100", "10000"});
    factorial.set("fraction", {"0.5", "0.75", "1"});
    factorial.set("evaluate_every", {"10", "20"});
    const auto levels = power_forecast(factorial.expand(), {});
    EXPECT_EQ(levels->comparisons, 3);
    EXPECT_NE(words_of(*levels).find("correction, over 3 comparisons."), std::string::npos);

    Experiment two = experiment;
    two.set("theta", {"2", "3"});
    two.set("seed", {"1", "2"});
    EXPECT_EQ(power_forecast(two.expand(), {})->comparisons, 1);
    two.set("theta", {"2"});
    EXPECT_FALSE(power_forecast(two.expand(), {}));
    two = experiment;
    two.set("seed", {"1"});
    EXPECT_FALSE(power_forecast(two.expand(), {}));
}

TEST(PowerForecast, OfAStoppingRuleIsSimulated) {
    const auto runs = three_bases({"1", "2", "3", "4", "5", "6", "7", "8", "9", "10"}).expand();
    SequentialDesign design;
    design.cap = 10;
    const auto forecast = power_forecast(runs, design, 0.01);
    ASSERT_TRUE(forecast);
    EXPECT_FALSE(forecast->detectable_deviations || forecast->detectable);
    ASSERT_EQ(forecast->effects.size(), 4U);
    double before = 0;
    for (const auto& [deviations, power] : forecast->effects) {
        EXPECT_GE(power.settled, before) << deviations;
        EXPECT_GE(power.mean_pairs, 3) << deviations;
        EXPECT_LE(power.mean_pairs, 10) << deviations;
        before = power.settled;
    }
    EXPECT_GT(before, 0.9) << "of three standard deviations";
    EXPECT_LT(forecast->effects.front().power.settled, 0.5) << "of half of one";
    PowerForecast told;
    told.comparisons = 2;
    told.paired_deviation = 0.01;
    told.effects = {{0.5, {0.25, 9.26}}, {2.0, {0.8, 6.6}}};
    EXPECT_EQ(words_of(told),
              "Power before training (simulated, over 2 comparisons with a shared baseline; differences in standard "
              "deviations within pairs): 0.5 (0.0050 nats): 25 % settled, 9.3 seeds on average; 2 (0.020 nats): 80 % "
              "settled, 6.6 seeds on average.");
    EXPECT_EQ(
        short_words_of(told),
        "Differences of 0.5, 2 times their spread over seeds are settled in 25, 80 % of sweeps, after 9, 7 seeds on "
        "average.");
    EXPECT_EQ(to_json(told).at("effects").at(1),
              nlohmann::json({{"difference_in_deviations", 2.0}, {"settled", 0.8}, {"mean_seeds", 6.6}}));
    EXPECT_EQ(words_of(PowerForecast()), "");
    EXPECT_EQ(short_words_of(PowerForecast()), "");
}

// Differences of 0.1·(0, 1, −1) and 0.001·(0, 1, −1): deviations of 0.1 and 0.001, two degrees of freedom each.
TEST(PowerForecast, TheDeviationOfALabIsPooledOverItsComparisons) {
    const ScratchFolder folder;
    const auto lab = LabFile::create(folder / "a.ropelab");
    plan_new_runs(*lab, three_bases({"1", "2", "3"}));
    finish_all(*lab);
    const auto pooled = paired_deviation(*lab);
    ASSERT_TRUE(pooled);
    EXPECT_EQ(pooled->n, 3) << "the two comparisons share a baseline, so that they are not independent";
    EXPECT_NEAR(pooled->standard_deviation, std::sqrt((0.01 + 0.000001) / 2), 1e-9);
    // The unit of its loss is unknown, so that its group is left out.
    const RunId imported = lab->add_run(1, "a", R"({"imported": "wandb", "theta": 100, "seed": 1})");
    lab->record(std::vector<Event>{event::RunEnded{imported, RunState::finished, "", RunSummary{}}});
    const auto same = paired_deviation(*lab);
    ASSERT_TRUE(same);
    EXPECT_EQ(same->standard_deviation, pooled->standard_deviation);

    const auto single = LabFile::create(folder / "b.ropelab");
    plan_new_runs(*single, three_bases({"1"}));
    finish_all(*single);
    EXPECT_FALSE(paired_deviation(*single)) << "no pair has another one";
}

}  // namespace
}  // namespace ropelab
