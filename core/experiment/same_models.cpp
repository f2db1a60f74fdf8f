#include "core/experiment/same_models.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include "core/data/generated/names.h"
#include "core/rope/frequencies.h"
#include "core/spec/keys.h"
#include "core/spec/run_names.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

constexpr std::size_t most_named = 4;  // exclusions in a sentence

const RunSpec& standard() {
    static const RunSpec spec;
    return spec;
}

// Of a model in which nothing turns.
void forget_rotation(RunSpec& spec) {
    spec.position = spec.learns_positions() ? Position::learned : Position::none;
    spec.theta = standard().theta;
    spec.fraction = standard().fraction;
    spec.partial = standard().partial;
    spec.pairs = standard().pairs;
    spec.rotated_layers = standard().rotated_layers;
    spec.theta_training = standard().theta_training;
    spec.theta_schedule = standard().theta_schedule;
}

// What a run trains: the spec with every value that makes no difference at its default, and how fast each pair of a
// rotating layer turns (0: it stands still) where theta stays.
struct Model {
    RunSpec spec;
    std::vector<double> turns;
    std::vector<bool> layers;

    bool operator==(const Model&) const = default;
};

Model model_of(const RunSpec& run) {
    Model model{run, {}, {}};
    RunSpec& spec = model.spec;
    if (!find_language(spec.data)) {
        spec.data_seed = standard().data_seed;
        spec.data_length = standard().data_length;
    }
    spec.key_value_heads = run.kv_heads();
    spec.mlp_width = run.hidden_width();
    if (run.decay_iterations == 0) spec.decay_iterations = run.iterations;
    if (!run.rotates()) {
        forget_rotation(spec);
    } else {
        const int channels = rotary_dim(run.head_dim(), run.fraction);
        model.layers = selection(run.rotated_layers, run.layers, "rotated_layers");
        const std::vector<bool> turning = selection(run.pairs, run.head_dim() / 2, "pairs");
        const bool any_layer = std::find(model.layers.begin(), model.layers.end(), true) != model.layers.end();
        const bool any_pair =
            std::find(turning.begin(), turning.begin() + channels / 2, true) != turning.begin() + channels / 2;
        if (!any_layer || !any_pair) {
            forget_rotation(spec);
            model.layers.clear();
        } else {
            spec.rotated_layers = standard().rotated_layers;
            spec.fraction = static_cast<double>(channels) / run.head_dim();
            if (channels == run.head_dim()) spec.partial = standard().partial;
            if (!run.theta_moves()) {
                const Frequencies known = frequencies({run.head_dim(), run.theta, run.fraction, run.partial});
                model.turns = known.inverse_frequencies;
                for (std::size_t i = 0; i < model.turns.size(); ++i) {
                    if (!turning[i]) model.turns[i] = 0;
                }
                spec.theta = standard().theta;
                spec.pairs = standard().pairs;
            }
        }
    }
    if (!spec.theta_moves() || spec.theta_schedule == ThetaSchedule::constant) spec.theta_end = standard().theta_end;
    if (!spec.theta_moves() || spec.theta_training == ThetaTraining::fixed) {
        spec.theta_learning_rate = standard().theta_learning_rate;
    }
    return model;
}

// What a model is known by in a map.
using Traits = std::tuple<std::vector<Value>, std::vector<double>, std::vector<bool>>;

Traits traits_of(const RunSpec& run) {
    Model model = model_of(run);
    std::vector<Value> values;
    for (const Key& known : keys()) values.push_back(known.get(model.spec));
    return {std::move(values), std::move(model.turns), std::move(model.layers)};
}

// The keys in which runs differ, and for each run what stands there; equal values have equal numbers.
struct Differences {
    explicit Differences(const std::vector<RunSpec>& runs) : numbers(runs.size()) {
        for (const Key& known : keys()) {
            std::map<Value, std::size_t> seen;
            std::vector<std::size_t> column;
            for (const RunSpec& run : runs)
                column.push_back(seen.try_emplace(known.get(run), seen.size()).first->second);
            if (seen.size() < 2) continue;
            names.emplace_back(known.name);
            for (std::size_t i = 0; i < runs.size(); ++i) numbers[i].push_back(column[i]);
        }
    }

    std::vector<std::string> names;
    std::vector<std::vector<std::size_t>> numbers;  // a run's, in the order of the names
};

// Some of the differing keys, by their places, with the values of one run.
struct Exclusion {
    std::vector<std::size_t> values;  // of the run
    std::vector<std::size_t> keys;

    bool leaves_out(const std::vector<std::size_t>& run) const {
        return std::all_of(keys.begin(), keys.end(), [&](std::size_t key) { return run[key] == values[key]; });
    }
};

// The values that tell a run from those that stay, as few as do: those of the seed go first.
Exclusion exclusion_of(const Differences& differ, std::size_t place, const std::vector<bool>& repeats) {
    Exclusion exclusion{differ.numbers[place], {}};
    for (std::size_t key = 0; key < differ.names.size(); ++key) exclusion.keys.push_back(key);
    const auto leaves_others = [&](const Exclusion& candidate) {
        for (std::size_t i = 0; i < repeats.size(); ++i) {
            if (!repeats[i] && candidate.leaves_out(differ.numbers[i])) return false;
        }
        return !candidate.keys.empty();
    };
    if (!leaves_others(exclusion)) return {};  // equal to an earlier run in every key
    std::vector<std::size_t> order = exclusion.keys;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto rank = [&](std::size_t key) { return std::pair(differ.names[key] != "seed", differ.names[key]); };
        return rank(a) < rank(b);
    });
    for (const std::size_t key : order) {
        Exclusion fewer = exclusion;
        std::erase(fewer.keys, key);
        if (leaves_others(fewer)) exclusion = std::move(fewer);
    }
    return exclusion;
}

}  // namespace

bool same_model(const RunSpec& a, const RunSpec& b) {
    return model_of(a) == model_of(b);
}

SameModels same_models(const std::vector<RunSpec>& runs) {
    SameModels result;
    std::map<Traits, std::size_t> first;
    std::vector<bool> repeats(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto [known, is_new] = first.try_emplace(traits_of(runs[i]), i);
        if (is_new) continue;
        repeats[i] = true;
        result.runs.push_back(i);
        result.as_first.push_back(known->second);
    }
    if (result.runs.empty()) return result;
    const Differences differ(runs);
    std::vector<Exclusion> exclusions;
    for (const std::size_t place : result.runs) {
        const bool is_left_out = std::any_of(exclusions.begin(), exclusions.end(), [&](const Exclusion& known) {
            return known.leaves_out(differ.numbers[place]);
        });
        if (is_left_out) continue;
        Exclusion exclusion = exclusion_of(differ, place, repeats);
        if (exclusion.keys.empty()) continue;
        auto& values = result.exclusions.emplace_back();
        for (const std::size_t each : exclusion.keys) {
            values[differ.names[each]] = to_text(key(differ.names[each]).get(runs[place]));
        }
        exclusions.push_back(std::move(exclusion));
    }
    return result;
}

std::string words_of(const SameModels& same, const std::vector<RunSpec>& runs) {
    if (same.runs.empty()) return {};
    const std::vector<std::string> names = run_names(runs);
    const auto count = same.runs.size();
    std::string words = std::to_string(count) + " of " + std::to_string(runs.size()) + " runs " +
                        (count == 1 ? "trains" : "train") + " the very model of another, as \"" +
                        names[same.runs.front()] + "\" that of \"" + names[same.as_first.front()] + "\"; ";
    if (same.exclusions.empty()) return words + "give each value once.";
    words += "leave ";
    words += count == 1 ? "it" : "them";
    words += " out with exclude ";
    const std::size_t named = same.exclusions.size() > most_named + 1 ? most_named : same.exclusions.size();
    for (std::size_t i = 0; i < named; ++i) {
        words += i == 0 ? "" : i + 1 == same.exclusions.size() ? " and " : ", ";
        bool first = true;
        for (const auto& [name, value] : same.exclusions[i]) {
            words += (first ? "" : ",") + name + "=" + value;
            first = false;
        }
    }
    if (named < same.exclusions.size()) {
        words += " and " + std::to_string(same.exclusions.size() - named) + " more";
    }
    return words + ".";
}

}  // namespace ropelab
