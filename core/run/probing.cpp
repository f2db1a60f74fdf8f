#include "core/run/probing.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/base/selection.h"
#include "core/rope/context.h"
#include "core/rope/frequencies.h"
#include "core/stats/spectrum.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_windows = 8;
constexpr std::int64_t most_map_numbers = 8192;
constexpr std::int64_t least_map = 8;
constexpr std::int64_t longest_copy = 16;
constexpr std::int64_t least_sequences = 4;
constexpr std::int64_t most_sequences = 32;
constexpr std::int64_t sequences_per_lag = 4;

/// Their probing costs little compared with the steps between two evaluations.
std::int64_t window_budget(const RunSpec& spec) {
    const std::int64_t steps = std::min<std::int64_t>(spec.evaluate_every, 1000);
    return std::clamp<std::int64_t>(steps * spec.batch / 64, 1, most_windows);
}

/// About 2 % of the training's operations (a step costs about three forward passes), from 1 to 16.
std::int64_t last_sequences_per_lag(const RunSpec& spec, std::int64_t lags) {
    constexpr std::int64_t most_sequences_per_lag = 16;
    const double forward_passes = 0.02 * 3 * static_cast<double>(spec.iterations) * static_cast<double>(spec.batch);
    const double per_lag = std::floor(forward_passes / static_cast<double>(std::max<std::int64_t>(1, lags)));
    return static_cast<std::int64_t>(std::clamp(per_lag, 1.0, static_cast<double>(most_sequences_per_lag)));
}

std::int64_t copy_length(std::int64_t window) {
    return std::min(longest_copy, window / 4);
}

/// In tokens.
std::int64_t map_size(const RunSpec& spec) {
    const auto side =
        static_cast<std::int64_t>(std::sqrt(static_cast<double>(most_map_numbers / (spec.layers * spec.heads))));
    return std::min(std::max(side, least_map), spec.context);
}

}  // namespace

ProbeRequest snapshot_request(const RunSpec& spec, std::span<const std::int32_t> validation, bool last) {
    const std::int64_t budget = window_budget(spec);
    ProbeRequest request;
    request.sequences = spaced_sequences(validation, spec.context, budget);
    request.map_size = map_size(spec);
    const std::int64_t usual = std::max<std::int64_t>(1, budget / 4);
    if (!last) {
        request.retrieval = retrieval_test(validation, spec.context, usual);
        return request;
    }
    const std::vector<std::int64_t> grid = retrieval_grid(spec.context);
    request.retrieval = retrieval_test(validation, spec.context, last_sequences_per_lag(spec, std::ssize(grid)), grid);
    return request;
}

ProbeRequest external_snapshot_request(const Checkpoint& checkpoint) {
    constexpr double most_operations = 1.5e11;
    constexpr std::int64_t most_length = 256;
    constexpr std::int64_t retrieval_length = 128;
    constexpr std::int64_t most_map = 32;
    const std::span<const std::int32_t> text = checkpoint.external->corpus->validation;
    const double fits = most_operations / checkpoint.external->plan.operations().value_or(1);
    const std::int64_t length = std::min({fits < least_sequences * most_length ? retrieval_length : most_length,
                                          evaluated_length(checkpoint), std::ssize(text) - 1});
    ProbeRequest request;
    request.sequences = spaced_sequences(
        text, length,
        std::clamp(static_cast<std::int64_t>(fits / static_cast<double>(length)), least_sequences, most_windows));
    request.map_size = std::min(most_map, length);
    request.retrieval = retrieval_test(text, std::min(length, retrieval_length), 2);
    return request;
}

ProbeSequences spaced_sequences(std::span<const std::int32_t> text, std::int64_t length, std::int64_t count) {
    const std::int64_t last_start = std::ssize(text) - 1 - length;
    if (length < 1 || last_start < 0) {
        throw BadInput("The text has " + std::to_string(text.size()) + " tokens, but a sequence of " +
                       std::to_string(length) + " tokens needs at least " +
                       std::to_string(static_cast<std::uint64_t>(length) + 1) + ".");
    }
    ProbeSequences sequences;
    sequences.length = length;
    // Sequences that overlap are not independent, as standard errors require.
    const std::int64_t most = last_start / length + 1;
    const std::int64_t all = count > 0 ? std::min(count, most) : most;
    for (std::int64_t window = 0; window < all; ++window) {
        std::int64_t start = window * length;
        if (count > 0) start = all > 1 ? last_start * window / (all - 1) : 0;
        const auto first = text.begin() + start;
        sequences.tokens.insert(sequences.tokens.end(), first, first + length);
        sequences.targets.insert(sequences.targets.end(), first + 1, first + length + 1);
    }
    return sequences;
}

ProbeRequest loss_request(std::span<const std::int32_t> text, std::int64_t length, std::int64_t tokens) {
    ProbeRequest request;
    request.sequences = spaced_sequences(
        text, length, std::clamp(tokens / std::max<std::int64_t>(1, length), least_sequences, most_sequences));
    request.retrieval = retrieval_test(text, length, sequences_per_lag);
    request.vectors = false;
    request.attention = false;
    request.sequence_losses = true;
    return request;
}

ProbeSequences sequence_of(std::span<const std::int32_t> text) {
    if (text.empty()) throw BadInput("The text is empty; give at least two tokens.");
    ProbeSequences window{std::ssize(text), {text.begin(), text.end()}, {text.begin() + 1, text.end()}};
    window.targets.push_back(-1);
    return window;
}

std::vector<std::int64_t> retrieval_lags(std::int64_t length) {
    constexpr std::int64_t shortest_window = 8;
    std::vector<std::int64_t> lags;
    if (length < shortest_window) return lags;
    const std::int64_t copy = copy_length(length);
    // The sequence consists of the inputs and the target of the last one; both copies must fit into it.
    const std::int64_t longest = length + 1 - copy;
    for (std::int64_t lag = copy; lag < longest; lag *= 2) lags.push_back(lag);
    lags.push_back(longest);
    return lags;
}

std::vector<std::int64_t> retrieval_grid(std::int64_t length) {
    constexpr std::int64_t points = 32;
    const std::vector<std::int64_t> lags = retrieval_lags(length);
    if (lags.empty()) return lags;
    std::set<std::int64_t> grid(lags.begin(), lags.end());
    const std::int64_t range = lags.back() - lags.front();
    for (std::int64_t i = 0; i < points; ++i) grid.insert(lags.front() + range * i / (points - 1));
    return {grid.begin(), grid.end()};
}

RetrievalTest retrieval_test(std::span<const std::int32_t> text, std::int64_t length, std::int64_t windows_per_lag) {
    return retrieval_test(text, length, windows_per_lag, retrieval_lags(length));
}

RetrievalTest retrieval_test(std::span<const std::int32_t> text, std::int64_t length, std::int64_t windows_per_lag,
                             std::span<const std::int64_t> lags) {
    RetrievalTest result;
    const std::vector<std::int64_t> usual = retrieval_lags(length);
    if (usual.empty() || std::ssize(text) < length + 1) return result;
    const std::int64_t copy = copy_length(length);
    result.marked = copy - std::max<std::int64_t>(1, copy / 4);

    const RandomStream stream(1, "retrieval");
    result.sequences.length = length;
    for (const std::int64_t lag : lags) {
        if (lag < usual.front() || lag > usual.back()) {
            throw BadInput("Retrieval of copied tokens cannot be tested at a distance of " + std::to_string(lag) +
                           " tokens in sequences of " + std::to_string(length) +
                           " tokens; the distance must be between " + std::to_string(usual.front()) + " and " +
                           std::to_string(usual.back()) + ".");
        }
        for (std::int64_t i = 0; i < windows_per_lag; ++i) {
            // Keyed by the lag, so that a lag has the same sequences whatever other lags are tested.
            const auto window = (static_cast<std::uint64_t>(lag) << 20U) + static_cast<std::uint64_t>(i);
            const auto sample = [&](std::int64_t bound, std::int64_t index) {
                return static_cast<std::int64_t>(
                    stream.below(static_cast<std::uint64_t>(bound), window, static_cast<std::uint64_t>(index)));
            };
            const auto from = text.begin() + sample(std::ssize(text) - length, 0);
            std::vector<std::int32_t> tokens(from, from + length + 1);
            for (std::int64_t place = 0; place < copy; ++place) {
                const std::int64_t later = length + 1 - copy + place;
                tokens[later] = tokens[later - lag] = text[sample(std::ssize(text), 1 + place)];
            }
            result.lags.push_back(lag);
            result.sequences.tokens.insert(result.sequences.tokens.end(), tokens.begin(), tokens.end() - 1);
            result.sequences.targets.insert(result.sequences.targets.end(), tokens.begin() + 1, tokens.end());
        }
    }
    return result;
}

std::vector<double> attention_spectrum(const ProbeResult& result, std::int64_t layer, std::int64_t head) {
    // Curves with fewer distances have no spectrum. A curve that ends at the sliding window is 0 beyond it.
    const bool whole = !result.distances.empty() && result.distances.back() + 1 == std::ssize(result.distances);
    if (result.attention_by_distance.empty() || !whole) return {};
    const std::span<const float> row = result.attention_by_distance.row(layer, head);
    std::vector<double> curve(row.begin(), row.end());
    curve.resize(static_cast<std::size_t>(result.length), 0.0);
    const double mean = std::accumulate(curve.begin(), curve.end(), 0.0) / static_cast<double>(curve.size());
    for (double& value : curve) value -= mean;
    return kernel_spectrum(curve);
}

std::int64_t pairs_of(const ModelPlan& plan) {
    const auto attends = std::ranges::find_if(plan.layers, [](const LayerPlan& layer) { return layer.scores(); });
    const auto layer = attends == plan.layers.end() ? plan.layers.begin() : attends;
    return layer == plan.layers.end() ? 0 : layer->query_channels() / 2;
}

std::vector<double> probed_frequencies(const ModelPlan& plan, const ProbeRequest& request) {
    std::vector<double> result(static_cast<std::size_t>(pairs_of(plan)), 0.0);
    const ModelPlan changed = plan.changed(request.scaling, request.sequences.length, request.frozen_pairs);
    const Rotary* rotary = changed.rotary();
    if (!rotary) return result;
    for (std::size_t i = 0; i < std::min(result.size(), rotary->pairs.size()); ++i)
        result[i] = rotary->pairs[i].frequency;
    return result;
}

std::vector<double> bound_by_distance(const ModelPlan& plan, const ProbeRequest& request, std::int64_t count) {
    if (!plan.rotary() || plan.theta_varies() || count < 1) return {};
    Frequencies rotary;
    rotary.inverse_frequencies = probed_frequencies(plan, request);
    const int channels = static_cast<int>(2 * rotary.inverse_frequencies.size());
    return context_bound(rotary, channels, static_cast<std::size_t>(count));
}

ModelPlan plan_of(const Checkpoint& checkpoint) {
    if (checkpoint.external) return checkpoint.external->plan;
    return plan_of(checkpoint.spec, Vocabulary::from_text(checkpoint.vocabulary).size());
}

std::int64_t evaluated_length(const Checkpoint& checkpoint) {
    constexpr std::int64_t most_external = 512;
    return checkpoint.external ? std::min(most_external, checkpoint.spec.context) : checkpoint.spec.context;
}

std::shared_ptr<const Corpus> corpus_of(const Checkpoint& checkpoint, const std::filesystem::path& data_dir) {
    if (checkpoint.external) return checkpoint.external->corpus;
    auto corpus = open_corpus(checkpoint.spec, data_dir);
    if (checkpoint.text) require_same_text(corpus->text, *checkpoint.text);
    if (corpus->vocabulary.to_text() != checkpoint.vocabulary) {
        throw BadInput("The vocabulary of the data \"" + checkpoint.spec.data +
                       "\" has changed since this run was trained; restore the data or the tokenizer file with which "
                       "the run was trained.");
    }
    return corpus;
}

std::shared_ptr<Model> model_of(Engine& engine, const Checkpoint& checkpoint, std::int64_t times) {
    if (checkpoint.external) return checkpoint.external->load(engine, times * evaluated_length(checkpoint));
    RunSpec spec = checkpoint.spec;
    spec.context *= times;
    spec.precision = precision_of(checkpoint.conditions);
    return create_model(engine, spec, Vocabulary::from_text(checkpoint.vocabulary).size(), checkpoint.state);
}

std::shared_ptr<Model> model_for(Engine& engine, const Checkpoint& checkpoint, std::int64_t tokens) {
    return checkpoint.external ? checkpoint.external->load(engine, tokens) : model_of(engine, checkpoint);
}

}  // namespace ropelab
