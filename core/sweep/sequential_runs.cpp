#include "core/sweep/sequential_runs.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <set>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/forecast/estimate.h"
#include "core/results/results_compare.h"
#include "core/settings/run_names.h"
#include "core/store/imported.h"
#include "core/sweep/lab_results.h"
#include "core/sweep/stored_run.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

RunSpec without_seed(RunSpec spec) {
    spec.seed = RunSpec{}.seed;
    return spec;
}

// Rank of each seed in ascending order, the fixed order of an experiment.
std::map<std::int64_t, std::int64_t> ranks_of(const std::vector<RunSpec>& specs) {
    std::map<std::int64_t, std::int64_t> ranks;
    for (const RunSpec& spec : specs) ranks[spec.seed] = 0;
    std::int64_t rank = 0;
    for (auto& [seed, place] : ranks) place = rank++;
    return ranks;
}

}  // namespace

void set_sequential_seeds(Experiment& experiment, const SequentialDesign& design) {
    const auto ranks = ranks_of(experiment.expand());
    if (std::ssize(ranks) > design.cap) {
        throw BadInput("The experiment lists " + std::to_string(ranks.size()) +
                       " seeds, but the stopping rule uses at most " + std::to_string(design.cap) +
                       "; list fewer seeds, or raise the largest number of seeds.");
    }
    std::vector<std::string> seeds;
    const auto add = [&](std::int64_t seed) {
        if (std::ranges::find(design.tuning_seeds, seed) == design.tuning_seeds.end())
            seeds.push_back(std::to_string(seed));
    };
    for (const auto& [seed, rank] : ranks) add(seed);
    for (std::int64_t seed = ranks.rbegin()->first + 1; std::ssize(seeds) < design.cap; ++seed) add(seed);
    experiment.set("seed", seeds);
    if (design.target) return;
    if (count_settings(experiment.expand()) < 2)
        throw BadInput(
            "A stopping rule compares settings, so the experiment needs at least two of them; sweep a setting, such as "
            "theta=500,10000.");
}

std::vector<std::size_t> first_runs(const Experiment& experiment, const SequentialDesign& design) {
    const std::vector<RunSpec> specs = experiment.expand();
    const auto ranks = ranks_of(specs);
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (ranks.at(specs[i].seed) < design.next_look(0)) chosen.push_back(i);
    }
    return chosen;
}

SeedNeeds needs_of_results(const LabFile& lab, std::int64_t experiment) {
    std::map<nlohmann::json, SeedNeed> needs;  // by the setting
    RunSelection selection;
    selection.experiment = experiment;
    const LabRuns runs = lab_runs(lab, selection);
    const ResultsTable table = results_table(result_runs(lab, runs, false));
    for (const ResultGroup& group : table.groups) {
        const auto& result = group.paired.sequential;
        if (!result || result->end != SequentialResult::End::open) continue;
        for (const ResultGroup* each : {&group, table.baseline_of(group)}) {
            if (!each) continue;  // with a target there is no baseline
            const RunRecord& record = runs.records[runs.selected.indices[each->members.front()]];
            SeedNeed& need = needs[to_json(without_seed(stored_spec(record)))];
            need.seeds = std::max(need.seeds, table.sequential->design.next_look(result->pairs));
            need.chance = std::max(need.chance, result->chance);
        }
    }
    return [needs](const RunSpec& setting) {
        const auto found = needs.find(to_json(without_seed(setting)));
        return found == needs.end() ? SeedNeed{} : found->second;
    };
}

std::size_t add_needed_runs(LabFile& lab, std::int64_t experiment, const SeedNeeds& needs) {
    std::set<nlohmann::json> present;
    for (const RunRecord& record : lab.runs()) {
        if (record.experiment != experiment) continue;
        if (record.state != RunState::finished && record.state != RunState::failed) return 0;
        present.insert(to_json(stored_spec(record)));
    }
    std::vector<RunSpec> specs;
    for (const ExperimentRecord& record : lab.experiments()) {
        if (record.id == experiment) specs = Experiment::from_text(record.description).expand();
    }
    const auto ranks = ranks_of(specs);
    const std::vector<std::string> names = run_names(specs);
    std::map<nlohmann::json, double> seconds;  // of a training of the setting
    std::vector<std::pair<double, std::size_t>> added;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        const SeedNeed need = needs(specs[i]);
        if (ranks.at(specs[i].seed) >= need.seeds || present.contains(to_json(specs[i]))) continue;
        const auto [cost, is_new] = seconds.try_emplace(to_json(without_seed(specs[i])));
        if (is_new) cost->second = estimate({specs[i]}).seconds;
        added.emplace_back(need.chance / std::max(cost->second, 1e-9), i);
    }
    std::ranges::stable_sort(added, std::greater<>(), [](const auto& run) { return run.first; });
    lab.in_one_transaction([&] {
        for (const auto& [gain, i] : added) lab.add_run(experiment, names[i], to_json(specs[i]).dump());
    });
    return added.size();
}

// Sets the comparisons that the table of these runs will make.
static void count_comparisons(PowerForecast& forecast, const std::vector<RunSpec>& runs) {
    std::vector<ResultRun> planned;
    for (const RunSpec& run : runs) planned.push_back({.settings = to_json(run), .name = {}, .summary = RunSummary()});
    const ResultsTable table = results_table(planned);
    std::map<const ResultGroup*, std::pair<int, std::set<const ResultGroup*>>> families;  // by their first group
    for (const ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group || repeats(table, group) || !is_testable(group, *baseline, table.compared))
            continue;
        const auto family = std::ranges::find_if(
            table.groups, [&](const ResultGroup& first) { return same_data(first, group, table.compared); });
        auto& [count, baselines] = families[&*family];
        ++count;
        baselines.insert(baseline);
        if (count <= forecast.comparisons) continue;
        forecast.comparisons = count;
        forecast.share_baseline = baselines.size() == 1;
    }
}

std::optional<PowerForecast> power_forecast(const std::vector<RunSpec>& runs,
                                            const std::optional<SequentialDesign>& stopping,
                                            std::optional<double> stated, std::optional<Sample> estimated) {
    PowerForecast result;
    result.to_target = stopping && stopping->target;
    if (result.to_target)
        result.comparisons = static_cast<int>(count_settings(runs));
    else
        count_comparisons(result, runs);
    result.seeds = std::ssize(ranks_of(runs));
    if (result.comparisons < 1 || result.seeds < 2) return std::nullopt;
    const PowerRule rule{0.05 / result.comparisons, 0.8};
    if (stopping) {
        for (const double effect : {0.5, 1.0, 2.0, 3.0}) {
            constexpr int families = 100;
            result.effects.push_back({effect, sequential_power(*stopping, effect, result.comparisons, families)});
        }
    } else {
        result.detectable_deviations = detectable_difference_of_pairs({result.seeds, 0, 1}, rule);
    }
    if (stated)
        result.paired_deviation = stated;
    else if (estimated)
        result.paired_deviation = estimated->standard_deviation;
    if (!result.paired_deviation || !result.detectable_deviations) return result;
    result.detectable = *result.detectable_deviations * *result.paired_deviation;
    if (stated) return result;
    const auto [low, high] = deviation_factors(static_cast<double>(estimated->n) - 1);
    result.detectable_low = low * *result.detectable;
    result.detectable_high = high * *result.detectable;
    return result;
}

std::optional<Sample> paired_deviation(const LabFile& lab) {
    const LabRuns runs = lab_runs(lab, {});
    const ResultsTable table = results_table(result_runs(lab, runs, false));
    double squares = 0;
    std::int64_t freedom = 0, most = 0;
    for (const ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        // The unit of imported losses is unknown.
        const auto is_imported = [&](const ResultGroup& each) {
            return !imported_from(each.settings).empty() || !imported_from(table.shared).empty();
        };
        if (is_imported(group) || is_imported(*baseline)) continue;
        std::vector<double> differences;
        for (const SeedDifference& each : seed_differences(group, *baseline, table.compared))
            differences.push_back(each.difference);
        const Sample sample = sample_of(differences);
        if (sample.n < 2) continue;
        squares += static_cast<double>(sample.n - 1) * sample.standard_deviation * sample.standard_deviation;
        freedom += sample.n - 1;
        most = std::max(most, sample.n);
    }
    if (freedom == 0 || !(squares > 0)) return std::nullopt;
    // Differences from one baseline are not independent, so that the estimate is worth no more seeds than one of them.
    return Sample{most, 0, std::sqrt(squares / static_cast<double>(freedom))};
}

std::string words_of(const PowerForecast& forecast) {
    const std::string of = ", over " + counted(forecast.comparisons, "comparison") +
                           (forecast.share_baseline ? " with a shared baseline" : "");
    if (forecast.effects.empty()) {
        if (!forecast.detectable_deviations) return {};
        std::string words = "Power before training: with " + counted(forecast.seeds, "seed") +
                            " per setting, the paired t test detects a difference of " +
                            rough_text(*forecast.detectable_deviations) +
                            " standard deviations of the differences within pairs";
        if (forecast.detectable) {
            words += ", which are " + rough_text(*forecast.detectable) + " nats";
            if (forecast.detectable_low) {
                words += " (95 % interval " + rough_text(*forecast.detectable_low) + " … " +
                         rough_text(*forecast.detectable_high) +
                         ", because the standard deviation is an estimate, pooled over the lab's comparisons)";
            }
        }
        return words + ", with 80 % power at the first and strictest step of Holm's correction" + of + ".";
    }
    std::string words = "Power before training (simulated" +
                        (forecast.to_target ? ", over " + counted(forecast.comparisons, "setting") +
                                                  "; distance of the mean below the target, in standard deviations of "
                                                  "the seeds):"
                                            : of + "; differences in standard deviations within pairs):");
    for (const PowerForecast::Effect& effect : forecast.effects) {
        words +=
            (words.ends_with(':') ? " " : "; ") + number_text(effect.deviations) +
            (forecast.paired_deviation ? " (" + rough_text(effect.deviations * *forecast.paired_deviation) + " nats)"
                                       : "") +
            ": " + fixed_text(100 * effect.power.settled, 0) + " % settled, " + fixed_text(effect.power.mean_pairs, 1) +
            " seeds on average";
    }
    return words + ".";
}

std::string short_words_of(const PowerForecast& forecast) {
    if (forecast.effects.empty()) {
        if (!forecast.detectable_deviations) return {};
        const std::string spread =
            rough_text(*forecast.detectable_deviations) +
            (forecast.detectable_low ? " times their spread over seeds in this lab, all settings pooled"
                                     : " times their spread over seeds");
        return "With " + counted(forecast.seeds, "seed") + ", differences below " +
               (forecast.detectable ? rough_text(*forecast.detectable) + " nats (" + spread + ")" : spread) +
               " are missed in more than 20 % of sweeps.";
    }
    const auto list = [&](const auto& text) { return joined(forecast.effects, ", ", text); };
    return "Differences of " + list([](const auto& effect) { return number_text(effect.deviations); }) +
           " times their spread over seeds are settled in " +
           list([](const auto& effect) { return fixed_text(100 * effect.power.settled, 0); }) + " % of sweeps, after " +
           list([](const auto& effect) { return fixed_text(effect.power.mean_pairs, 0); }) + " seeds on average.";
}

nlohmann::json to_json(const PowerForecast& forecast) {
    nlohmann::json effects = nlohmann::json::array();
    for (const PowerForecast::Effect& effect : forecast.effects) {
        effects.push_back({{"difference_in_deviations", effect.deviations},
                           {"settled", effect.power.settled},
                           {"mean_seeds", effect.power.mean_pairs}});
    }
    return {{"comparisons", forecast.comparisons},
            {"seeds", forecast.seeds},
            {"detectable_deviations", json_number(forecast.detectable_deviations)},
            {"paired_deviation", json_number(forecast.paired_deviation)},
            {"detectable", json_number(forecast.detectable)},
            {"detectable_confidence_95", {json_number(forecast.detectable_low), json_number(forecast.detectable_high)}},
            {"effects", std::move(effects)}};
}

}  // namespace ropelab
