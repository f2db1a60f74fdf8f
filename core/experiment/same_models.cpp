#include "core/experiment/same_models.h"

#include <algorithm>
#include <set>

#include "core/rope/frequencies.h"
#include "core/spec/keys.h"
#include "core/spec/run_names.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

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
    if (!spec.data.starts_with("generated")) {
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

using Assignments = std::map<std::string, std::string>;

bool has_all(const RunSpec& run, const Assignments& assignments) {
    return std::all_of(assignments.begin(), assignments.end(),
                       [&](const auto& each) { return to_text(key(each.first).get(run)) == each.second; });
}

// The values that tell a run from those that stay, as few as do: those of the seed go first.
Assignments exclusion_of(const std::vector<RunSpec>& runs, std::size_t place, const std::set<std::size_t>& repeated) {
    Assignments values;
    for (const Key& known : keys()) {
        const auto differs = [&](const RunSpec& run) { return known.get(run) != known.get(runs.front()); };
        if (std::any_of(runs.begin(), runs.end(), differs)) {
            values[std::string(known.name)] = to_text(known.get(runs[place]));
        }
    }
    const auto leaves_others = [&](const Assignments& candidate) {
        for (std::size_t i = 0; i < runs.size(); ++i) {
            if (!repeated.contains(i) && has_all(runs[i], candidate)) return false;
        }
        return !candidate.empty();
    };
    if (!leaves_others(values)) return {};  // equal to an earlier run in every key
    std::vector<std::string> names = {"seed"};
    for (const auto& [name, value] : values) names.push_back(name);
    for (const std::string& name : names) {
        Assignments fewer = values;
        if (fewer.erase(name) > 0 && leaves_others(fewer)) values = std::move(fewer);
    }
    return values;
}

}  // namespace

bool same_model(const RunSpec& a, const RunSpec& b) {
    return model_of(a) == model_of(b);
}

SameModels same_models(const std::vector<RunSpec>& runs) {
    SameModels result;
    std::vector<std::pair<std::size_t, Model>> known;  // a run's place, and what it trains
    for (std::size_t i = 0; i < runs.size(); ++i) {
        Model model = model_of(runs[i]);
        const auto first =
            std::find_if(known.begin(), known.end(), [&](const auto& earlier) { return earlier.second == model; });
        if (first == known.end()) {
            known.emplace_back(i, std::move(model));
        } else {
            result.runs.push_back(i);
            result.as_first.push_back(first->first);
        }
    }
    const std::set<std::size_t> repeated(result.runs.begin(), result.runs.end());
    for (const std::size_t place : result.runs) {
        const bool is_left_out =
            std::any_of(result.exclusions.begin(), result.exclusions.end(),
                        [&](const Assignments& known_set) { return has_all(runs[place], known_set); });
        if (is_left_out) continue;
        Assignments exclusion = exclusion_of(runs, place, repeated);
        if (!exclusion.empty()) result.exclusions.push_back(std::move(exclusion));
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
    for (std::size_t i = 0; i < same.exclusions.size(); ++i) {
        words += i == 0 ? "" : i + 1 == same.exclusions.size() ? " and " : ", ";
        bool first = true;
        for (const auto& [name, value] : same.exclusions[i]) {
            words += (first ? "" : ",") + name + "=" + value;
            first = false;
        }
    }
    return words + ".";
}

}  // namespace ropelab
