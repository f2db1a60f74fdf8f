#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/experiment/experiment.h"
#include "core/lecture/quantities/quantity_table.h"
#include "core/reproduce/sheet_lab.h"
#include "core/results/results_table.h"
#include "core/results/run_selection.h"
#include "core/settings/keys.h"
#include "core/stats/descriptive.h"
#include "core/stats/t_test.h"
#include "core/store/lab_file.h"
#include "core/study/expert_load.h"
#include "core/sweep/stored_run.h"

namespace ropelab {

namespace {

struct CountedRun {
    RunRecord record;
    RunSpec spec;
};
using CountedRuns = std::vector<CountedRun>;

/// Imported runs have no results of this program, but may have measurements (snapshots).
enum class Imported { left_out, included };

CountedRuns runs_of_results(const LabFile& lab, Imported imported = Imported::left_out) {
    const RunSelection selection = run_selection(lab.choice(selection_choice));
    const std::vector<RunRecord> records = lab.runs();
    std::vector<SelectableRun> selectable;
    for (const RunRecord& record : records)
        selectable.push_back({record.id, record.experiment, record.state != RunState::waiting});
    CountedRuns runs;
    for (const std::size_t index : selected_runs(selectable, selection).indices) {
        const RunRecord& record = records[index];
        const bool ended = record.state == RunState::finished || selection.unfinished;
        if (!record.summary || !ended || selection.excluded.contains(record.id)) continue;
        if (imported == Imported::included || !is_imported(record)) runs.push_back({record, stored_spec(record)});
    }
    return runs;
}

bool matches(const CountedRun& run, const RunFilter& filter) {
    return std::all_of(filter.begin(), filter.end(), [&](const auto& wanted) {
        const auto& [name, text] = wanted;
        if (name == "run") return static_cast<double>(run.record.id) == parse_number(text);
        const Key& setting = key(current_name(Alias::Kind::key, name));
        RunSpec other = run.spec;
        setting.set(other, parse_value(setting, current_value(setting.name, text), run.spec));
        return setting.get(other) == setting.get(run.spec);
    });
}

CountedRuns matching_runs(const QuantityInput& input, const RunFilter& filter, Imported imported = Imported::left_out) {
    CountedRuns runs = runs_of_results(*input.lab, imported);
    std::erase_if(runs, [&](const CountedRun& run) { return !matches(run, filter); });
    return runs;
}

std::string filter_text(const RunFilter& filter) {
    return filter.empty() ? "" : " with " + assignments_text(filter);
}

RunSpec without_seed(RunSpec spec) {
    spec.seed = RunSpec{}.seed;
    return spec;
}

/// Throws BadInput if there is none, or if they differ in another setting, because a mean would mix two groups.
std::map<std::int64_t, CountedRun> runs_by_seed(const QuantityInput& input, const RunFilter& filter,
                                                Imported imported = Imported::left_out) {
    std::map<std::int64_t, CountedRun> by_seed;
    for (CountedRun& run : matching_runs(input, filter, imported)) {
        if (!by_seed.empty()) {
            const RunSpec first = without_seed(by_seed.begin()->second.spec);
            const RunSpec other = without_seed(run.spec);
            for (const Key& setting : keys()) {
                if (setting.get(first) == setting.get(other)) continue;
                throw BadInput("The runs" + filter_text(filter) + " differ in " + std::string(setting.name) +
                               "; to choose one of these runs, add " + std::string(setting.name) + "=" +
                               to_text(setting.get(first)) + ".");
            }
        }
        by_seed.insert_or_assign(run.spec.seed, std::move(run));
    }
    if (by_seed.empty()) {
        throw BadInput("The lab file " + input.lab->path().filename().string() + " has no finished run" +
                       filter_text(filter) + ".");
    }
    return by_seed;
}

using ValuesBySeed = std::map<std::int64_t, double>;

ValuesBySeed measure_by_seed(const QuantityInput& input, std::size_t measure, const RunFilter& filter) {
    ValuesBySeed values;
    for (const auto& [seed, run] : runs_by_seed(input, filter)) {
        values[seed] = measures()[measure].of(*run.record.summary);
    }
    return values;
}

Description over_seeds(const QuantityInput& input, const std::function<double(const RunRecord&)>& number,
                       Imported imported = Imported::left_out) {
    std::vector<double> values;
    for (const auto& [seed, run] : runs_by_seed(input, input.arguments.filter(), imported))
        values.push_back(number(run.record));
    return describe(values);
}

std::size_t measure_of(const QuantityInput& input) {
    return measure_index(input.arguments.text("quantity"));
}

struct SeedPairs {
    std::vector<double> a;
    std::vector<double> b;
};

SeedPairs paired(const ValuesBySeed& first, const ValuesBySeed& second) {
    SeedPairs pairs;
    for (const auto& [seed, value] : first) {
        const auto other = second.find(seed);
        if (other == second.end()) continue;
        pairs.a.push_back(value);
        pairs.b.push_back(other->second);
    }
    if (pairs.a.empty()) throw BadInput("The two groups of runs have no seed in common.");
    return pairs;
}

SeedPairs seed_pairs(const QuantityInput& input) {
    const std::size_t measure = measure_of(input);
    return paired(measure_by_seed(input, measure, input.arguments.filter(0)),
                  measure_by_seed(input, measure, input.arguments.filter(1)));
}

/// The lab must have exactly two groups; they are in the order in which they first appear.
SeedPairs pairs_of_two_groups(const QuantityInput& input) {
    const std::size_t measure = measure_of(input);
    std::vector<std::pair<RunSpec, ValuesBySeed>> groups;
    for (const CountedRun& run : runs_of_results(*input.lab)) {
        const RunSpec spec = without_seed(run.spec);
        const auto same = [&](const auto& group) { return group.first == spec; };
        auto found = std::find_if(groups.begin(), groups.end(), same);
        if (found == groups.end()) found = groups.insert(groups.end(), {spec, {}});
        found->second[run.spec.seed] = measures()[measure].of(*run.record.summary);
    }
    if (groups.size() != 2) {
        throw BadInput("The lab file has " + std::to_string(groups.size()) +
                       " groups of runs; name two, as in detectable_difference(" + input.arguments.text("quantity") +
                       "; theta=500; theta=10k).");
    }
    return paired(groups[0].second, groups[1].second);
}

double difference(const QuantityInput& input) {
    const SeedPairs pairs = seed_pairs(input);
    return describe(paired_differences(pairs.a, pairs.b)).mean;
}

double p_value(const QuantityInput& input) {
    const SeedPairs pairs = seed_pairs(input);
    const auto test = paired_t_test(pairs.a, pairs.b);
    return test ? test->p : unknown_value;
}

double detectable(const QuantityInput& input) {
    const SeedPairs pairs = input.arguments.filters() == 2 ? seed_pairs(input) : pairs_of_two_groups(input);
    const auto smallest = detectable_difference_of_pairs(sample_of(paired_differences(pairs.a, pairs.b)));
    return smallest.value_or(unknown_value);
}

/// Throws BadInput if there is none or if it lacks the numbers `member`, which `what` names.
template <typename Numbers>
ProbeResult last_snapshot(const QuantityInput& input, const RunRecord& run, Numbers ProbeResult::*member,
                          const char* what) {
    const std::vector<std::int64_t> iterations = input.lab->snapshots(run.id);
    auto snapshot = iterations.empty() ? std::nullopt : input.lab->snapshot(run.id, iterations.back());
    if (!snapshot || ((*snapshot).*member).empty()) {
        throw BadInput("The run \"" + run.name + "\" has no stored measurement (snapshot) with " + what + ".");
    }
    return std::move(*snapshot);
}

std::int64_t index_below(const QuantityInput& input, const char* name, std::int64_t count) {
    const std::int64_t index = input.arguments.whole(name);
    if (index < count) return index;
    throw BadInput("There is no " + std::string(name) + " " + input.arguments.text(name) + "; the run has " +
                   std::to_string(count) + ", counted from 0.");
}

double contribution_of(const QuantityInput& input, const RunRecord& run) {
    const ProbeArray shares =
        last_snapshot(input, run, &ProbeResult::logit_contribution, "logit contributions").logit_contribution;
    const std::int64_t layer = index_below(input, "layer", shares.shape.at(0));
    const std::int64_t head = index_below(input, "head", shares.shape.at(1));
    const std::int64_t pair = index_below(input, "pair", shares.shape.at(2) - 1);  // the last element is not a pair
    return shares.row(layer, head)[static_cast<std::size_t>(pair)];
}

/// The arguments first and last, each counted from 0.
std::pair<std::int64_t, std::int64_t> range_of(const QuantityInput& input, std::int64_t count) {
    const std::int64_t first = index_below(input, "first", count);
    const std::int64_t last = index_below(input, "last", count);
    if (first <= last) return {first, last};
    throw BadInput("The argument first is " + std::to_string(first) + ", but it must not be above last, which is " +
                   std::to_string(last) + ".");
}

double contribution_of_pairs(const QuantityInput& input, const RunRecord& run) {
    const ProbeArray shares =
        last_snapshot(input, run, &ProbeResult::logit_contribution, "logit contributions").logit_contribution;
    const auto [first, last] = range_of(input, shares.shape.at(2) - 1);
    std::vector<double> sums;
    for (std::int64_t i = 0; i < shares.shape[0] * shares.shape[1]; ++i) {
        const auto row = shares.row(i / shares.shape[1], i % shares.shape[1]);
        sums.push_back(std::accumulate(row.begin() + first, row.begin() + last + 1, 0.0));
    }
    return describe(sums).mean;
}

double position_loss(const QuantityInput& input, const RunRecord& run) {
    const std::vector<double> losses =
        last_snapshot(input, run, &ProbeResult::loss_by_position, "losses by position").loss_by_position;
    const auto [first, last] = range_of(input, std::ssize(losses));
    return describe(std::span(losses).subspan(first, last - first + 1)).mean;
}

double attention_of(const QuantityInput& input, const RunRecord& run) {
    const ProbeResult snapshot = last_snapshot(input, run, &ProbeResult::attention_by_distance, "attention weights");
    const ProbeArray& weights = snapshot.attention_by_distance;
    const std::int64_t layer = index_below(input, "layer", weights.shape.at(0));
    const std::int64_t head = index_below(input, "head", weights.shape.at(1));
    const std::int64_t distance = input.arguments.whole("distance");
    const auto found = std::find(snapshot.distances.begin(), snapshot.distances.end(), distance);
    if (found == snapshot.distances.end()) {
        throw BadInput("The measurement has no distance " + std::to_string(distance) + "; its largest distance is " +
                       std::to_string(snapshot.distances.back()) + ".");
    }
    return weights.row(layer, head)[static_cast<std::size_t>(found - snapshot.distances.begin())];
}

double expert_load_of(const QuantityInput& input, const RunRecord& run) {
    const ProbeResult snapshot = last_snapshot(input, run, &ProbeResult::expert_shares, "the load of experts");
    const std::int64_t layer = index_below(input, "layer", snapshot.expert_shares.shape.at(0));
    const std::int64_t expert = index_below(input, "expert", snapshot.expert_shares.shape.at(1));
    return expert_load(snapshot, layer).at(static_cast<std::size_t>(expert));
}

double measurement(const QuantityInput& input) {
    const std::string& name = input.arguments.text("name");
    std::vector<double> values;
    for (const RunRecord& run : input.lab->runs()) {
        if (!matches({run, stored_spec(run)}, input.arguments.filter())) continue;
        const auto measured = input.lab->measurements(run.id);
        if (const auto found = measured.find(name); found != measured.end()) values.push_back(found->second);
    }
    if (values.empty()) throw BadInput("No run with the given settings has a measurement \"" + name + "\".");
    return describe(values).mean;
}

std::size_t prediction_count(const QuantityInput& input) {
    std::size_t count = 0;
    for (const StoredSheet& stored : stored_predictions(*input.lab)) count += stored.plan.predictions.size();
    return count;
}

constexpr const char* run_arguments = "(setting=value, …)";
constexpr const char* pair_arguments = "(quantity; setting=value, …; setting=value, …)";

}  // namespace

std::vector<Quantity> run_quantities() {
    std::vector<Quantity> list = {
        {{"measurement", "(name; setting=value, …)", "as measured",
          "Mean, over the runs with the given settings, of a measurement that is given by its name, such as "
          "operations_per_generated_token.",
          true},
         measurement},
        {{"predictions", "", "predictions",
          "Number of predictions of theories that the lab file stores for its sweeps.", true},
         prediction_count},
        {{"runs", run_arguments, "runs", "Number of finished runs with the given settings.", true},
         [](const QuantityInput& input) { return matching_runs(input, input.arguments.filter()).size(); }},
        {{"steps", run_arguments, "steps", "Mean number of training steps of the runs with the given settings.", true},
         [](const QuantityInput& input) {
             return over_seeds(input, [](const RunRecord& run) { return run.summary->iterations; }).mean;
         }},
    };
    for (const Measure& each : measures()) {
        list.push_back(
            {{std::string(each.name), run_arguments, std::string(each.unit),
              "Mean over the seeds of the runs with the given settings: " + std::string(each.title) + ".", true},
             [&each](const QuantityInput& input) {
                 return over_seeds(input, [&](const RunRecord& run) { return each.of(*run.summary); }).mean;
             }});
    }
    list.insert(
        list.end(),
        {{{"standard_deviation", "(quantity, setting=value, …)", "as the quantity",
           "Standard deviation of a quantity over the seeds of the runs with the given settings.", true},
          [](const QuantityInput& input) {
              const Measure& measure = measures()[measure_of(input)];
              return over_seeds(input, [&](const RunRecord& run) { return measure.of(*run.summary); })
                  .standard_deviation;
          }},
         {{"difference", pair_arguments, "as the quantity",
           "Mean difference between two groups of runs, first minus second, paired by seed.", true},
          difference},
         {{"p_value", pair_arguments, "", "p value of the t test, paired by seed, between two groups of runs.", true},
          p_value},
         {{"detectable_difference", "(quantity) or (quantity; setting=value, …; setting=value, …)", "as the quantity",
           "Smallest difference between two groups of runs that the t test paired by seed detects with a power of 80 % "
           "at the 5 % level. A lab file with exactly two groups needs no settings.",
           true},
          detectable},
         {{"contribution", "(layer, head, pair, setting=value, …)", "",
           "Logit contribution of a pair in the last stored measurement (snapshot) of a run, as a share of the logit's "
           "variance, averaged over seeds.",
           true},
          [](const QuantityInput& input) {
              const auto number = [&](const RunRecord& run) { return contribution_of(input, run); };
              return over_seeds(input, number, Imported::included).mean;
          }},
         {{"contribution_of_pairs", "(first, last, setting=value, …)", "",
           "Logit contribution of the pairs from first to last together in the last stored measurement (snapshot) of "
           "a run or of a model that others trained, averaged over layers, heads and seeds.",
           true},
          [](const QuantityInput& input) {
              const auto number = [&](const RunRecord& run) { return contribution_of_pairs(input, run); };
              return over_seeds(input, number, Imported::included).mean;
          }},
         {{"position_loss", "(first, last, setting=value, …)", "nats per token",
           "Mean loss at the positions from first to last in the last stored measurement (snapshot) of a run or of a "
           "model that others trained, averaged over seeds.",
           true},
          [](const QuantityInput& input) {
              const auto number = [&](const RunRecord& run) { return position_loss(input, run); };
              return over_seeds(input, number, Imported::included).mean;
          }},
         {{"attention_weight", "(layer, head, distance, setting=value, …)", "",
           "Mean attention weight at a distance of a head, in the last stored measurement (snapshot) of a run, "
           "averaged "
           "over seeds.",
           true},
          [](const QuantityInput& input) {
              return over_seeds(input, [&](const RunRecord& run) { return attention_of(input, run); }).mean;
          }},
         {{"expert_load", "(layer, expert, setting=value, …)", "",
           "Share of a layer's routing choices that go to an expert (its load) in the last stored measurement "
           "(snapshot) of a run, averaged over seeds.",
           true},
          [](const QuantityInput& input) {
              return over_seeds(input, [&](const RunRecord& run) { return expert_load_of(input, run); }).mean;
          }}});
    return list;
}

}  // namespace ropelab
