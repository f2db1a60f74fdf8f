#include "core/results/same_models.h"

#include <algorithm>
#include <set>

#include "core/base/numbers.h"
#include "core/base/selection.h"
#include "core/data/synthetic/language.h"
#include "core/rope/frequencies.h"
#include "core/settings/keys.h"
#include "core/settings/run_names.h"

namespace ropelab {

namespace {

constexpr std::size_t most_named = 4;  // exclusions named in the message

template <typename... Members>
void forget(RunSpec& spec, Members... members) {
    static const RunSpec defaults;
    ((spec.*members = defaults.*members), ...);
}

// Equal for runs that train the same model: the settings, with those that have no effect at their defaults; and, if
// theta is fixed, the frequency of each pair (0: not rotated) and the layers with RoPE.
struct ModelPart {
    RunSpec spec;
    std::vector<double> frequencies;
    std::vector<bool> layers;

    bool operator==(const ModelPart&) const = default;
};

ModelPart model_of(const RunSpec& run) {
    ModelPart model{run, {}, {}};
    RunSpec& spec = model.spec;
    if (!find_language(spec.data)) {
        forget(spec, &RunSpec::data_seed, &RunSpec::data_length);
    }
    if (run.trains_tokenizer()) spec.vocabulary_size = run.largest_vocabulary();
    spec.key_value_heads = run.kv_heads();
    spec.mlp_width = run.hidden_width();
    spec.norm = run.norm_kind();
    if (run.attention == AttentionKind::mla) {
        spec.latent_width = run.latent_channels();
        spec.rotary_channels = run.rotary_head_dim();
    }
    std::vector<LayerAttention> kinds = attention_of_layers(run);
    if (run.attention_window >= run.context) {  // the window hides nothing
        std::replace(kinds.begin(), kinds.end(), LayerAttention::window, LayerAttention::full);
        forget(spec, &RunSpec::attention_window);
    }
    if (run.heads == 1 && run.qk_norm == QkNorm::projection) spec.qk_norm = QkNorm::head;
    spec.attention_layers.clear();
    for (const LayerAttention kind : kinds) spec.attention_layers += std::to_string(static_cast<int>(kind));
    spec.feed_forward = run.feed_forward_kind();
    if (run.block == Block::llama) spec.block = Block::gpt2;  // they differ in their norm and feed-forward network
    // No expert can exceed a capacity of all tokens.
    if (spec.expert_capacity * static_cast<double>(spec.experts_per_token) >= static_cast<double>(spec.experts)) {
        spec.expert_capacity = 0;
    }
    if (run.decay_iterations == 0) spec.decay_iterations = run.iterations;
    if (!run.rotates()) {
        spec.position = without_rotation(run.position);
    } else {
        const int channels = rotary_dim(run.rotary_head_dim(), run.fraction);
        model.layers = selection(run.rotated_layers, run.layers, "rotated_layers");
        for (std::size_t layer = 0; layer < kinds.size(); ++layer) {
            if (kinds[layer] == LayerAttention::delta_net) model.layers[layer] = false;
        }
        const std::vector<bool> rotated = selection(run.pairs, run.rotary_head_dim() / 2, "pairs");
        const bool any_layer = std::find(model.layers.begin(), model.layers.end(), true) != model.layers.end();
        const bool any_pair =
            std::find(rotated.begin(), rotated.begin() + channels / 2, true) != rotated.begin() + channels / 2;
        if (!any_layer || !any_pair) {
            spec.position = without_rotation(run.position);
            model.layers.clear();
        } else {
            forget(spec, &RunSpec::rotated_layers);
            spec.fraction = static_cast<double>(channels) / run.rotary_head_dim();
            if (!run.theta_varies()) {
                const Frequencies known = ropelab::frequencies(frequency_settings_of(run));
                model.frequencies = known.inverse_frequencies;
                for (std::size_t i = 0; i < model.frequencies.size(); ++i) {
                    if (!rotated[i]) model.frequencies[i] = 0;
                }
                forget(spec, &RunSpec::theta, &RunSpec::pairs, &RunSpec::frequencies);
            }
        }
    }
    for (const Key& known : keys()) {
        if (!known.matters(spec) || !changes_training(known.name)) known.set(spec, known.get(RunSpec{}));
    }
    return model;
}

// With a number per run and setting; equal values have equal numbers.
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
    std::vector<std::vector<std::size_t>> numbers;  // one list per run, in the order of `names`
};

struct Exclusion {
    std::vector<std::size_t> values;  // the values of one run, one per differing setting
    std::vector<std::size_t> keys;

    bool matches(const std::vector<std::size_t>& run) const {
        return std::all_of(keys.begin(), keys.end(), [&](std::size_t key) { return run[key] == values[key]; });
    }
};

// Minimal: matches the repeat at `place` and no run that trains a new model. Settings are removed greedily, the seed
// first. Empty if the repeat equals an earlier run in every setting.
Exclusion exclusion_of(const Differences& differ, std::size_t place, const std::vector<bool>& repeats) {
    Exclusion exclusion{differ.numbers[place], {}};
    for (std::size_t key = 0; key < differ.names.size(); ++key) exclusion.keys.push_back(key);
    const auto matches_only_repeats = [&](const Exclusion& candidate) {
        for (std::size_t i = 0; i < repeats.size(); ++i) {
            if (!repeats[i] && candidate.matches(differ.numbers[i])) return false;
        }
        return !candidate.keys.empty();
    };
    if (!matches_only_repeats(exclusion)) return {};  // equal to an earlier run in every setting
    std::vector<std::size_t> order = exclusion.keys;
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        const auto rank = [&](std::size_t key) { return std::pair(differ.names[key] != "seed", differ.names[key]); };
        return rank(a) < rank(b);
    });
    for (const std::size_t key : order) {
        Exclusion fewer = exclusion;
        std::erase(fewer.keys, key);
        if (matches_only_repeats(fewer)) exclusion = std::move(fewer);
    }
    return exclusion;
}

}  // namespace

ModelTraits model_traits(const RunSpec& run) {
    ModelPart model = model_of(run);
    std::vector<Value> values;
    for (const Key& known : keys()) values.push_back(known.get(model.spec));
    return {std::move(values), std::move(model.frequencies), std::move(model.layers)};
}

bool same_model(const RunSpec& a, const RunSpec& b) {
    return model_of(a) == model_of(b);
}

SameModels same_models(const std::vector<RunSpec>& runs) {
    SameModels result;
    std::map<ModelTraits, std::size_t> first;
    std::vector<bool> repeats(runs.size());
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto [known, is_new] = first.try_emplace(model_traits(runs[i]), i);
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
            return known.matches(differ.numbers[place]);
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
    std::string text = std::to_string(count) + " of " + std::to_string(runs.size()) + " runs " +
                       (count == 1 ? "trains" : "train") + " the same model as another run, for example \"" +
                       names[same.runs.front()] + "\" and \"" + names[same.as_first.front()] + "\"; ";
    if (same.exclusions.empty()) return text + "list each value only once.";
    text += "exclude ";
    text += count == 1 ? "it" : "them";
    text += " with ";
    const std::size_t named = same.exclusions.size() > most_named + 1 ? most_named : same.exclusions.size();
    for (std::size_t i = 0; i < named; ++i) {
        text += i == 0 ? "" : i + 1 == same.exclusions.size() ? " and " : ", ";
        text += joined(same.exclusions[i], ",", [](const auto& each) { return each.first + "=" + each.second; });
    }
    if (named < same.exclusions.size()) {
        text += " and " + std::to_string(same.exclusions.size() - named) + " more";
    }
    return text + ".";
}

}  // namespace ropelab
