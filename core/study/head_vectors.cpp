#include "core/study/head_vectors.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/selection.h"
#include "core/data/corpus.h"
#include "core/rope/logit.h"
#include "core/run/probing.h"
#include "core/study/ablation.h"

namespace ropelab {

namespace {

// Throws BadInput unless 0 ≤ index < count.
void require_index(std::int64_t index, std::int64_t count, const std::string& what, const std::string& owner) {
    if (index >= 0 && index < count) return;
    throw BadInput("There is no " + what + " " + std::to_string(index) + ": " + owner + " has " + what + "s 0 to " +
                   std::to_string(count - 1) + ".");
}

constexpr std::int64_t circuit_tokens = 4096;  // resolves a change of about 0.01 nats

std::vector<double> canonical(const std::vector<double>& vector, const RotarySetup& setup) {
    const auto channels = canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    std::vector<double> result;
    for (const auto channel : channels) result.push_back(vector.at(static_cast<std::size_t>(channel)));
    return result;
}

}  // namespace

RotarySetup setup_of(const RunSpec& spec) {
    RotarySetup setup;
    setup.head_dim = spec.rotary_head_dim();
    setup.theta = spec.theta;
    const bool rotates = spec.rotates() && selection(spec.rotated_layers, spec.layers, "rotated_layers").front();
    setup.fraction = rotates ? spec.fraction : 0.0;
    setup.partial = spec.partial;
    setup.context = spec.context;
    setup.heads = spec.heads;
    setup.attention_window = spec.attention_window;
    return setup;
}

void require_plain_frequencies(const RunSpec& spec) {
    if (spec.pairs != "all") {
        throw BadInput("This run rotates only the pairs " + spec.pairs +
                       ", which a rotary setup cannot represent; choose a run with pairs = all.");
    }
    if (spec.frequencies != "auto") {
        throw BadInput("This run has the frequencies " + spec.frequencies +
                       ", which a rotary setup cannot represent; choose a run with frequencies = auto.");
    }
}

RotarySetup setup_of_layer(const ModelPlan& plan, std::int64_t layer) {
    require_index(layer, std::ssize(plan.layers), "layer", "the model");
    const LayerPlan& own = plan.layers[static_cast<std::size_t>(layer)];
    const auto* softmax = std::get_if<Softmax>(&own.attention);
    if (!softmax) {
        throw BadInput("Layer " + std::to_string(layer) +
                       " has multi-head latent attention or is a gated DeltaNet layer, and a rotary setup cannot "
                       "represent its queries and keys; choose another layer or model.");
    }
    RotarySetup setup;
    setup.head_dim = static_cast<int>(own.query_channels());
    setup.fraction = 0.0;
    setup.context = plan.sizes.T;
    setup.heads = own.heads();
    setup.attention_window = softmax->scores.window.value_or(0);
    const Rotary* rotary = own.rotary();
    if (!rotary || !rotary->is_applied) return setup;
    setup.theta = rotary->settings.theta;
    setup.fraction = rotary->settings.fraction;
    setup.partial = rotary->settings.partial;
    setup.scaling = rotary->settings.scaling;
    const std::vector<double> frequencies_of_setup = frequencies(frequency_settings(setup)).inverse_frequencies;
    const bool is_exact =
        rotary->shift == Rotary::Shift::none && std::ranges::all_of(rotary->pairs, [&](const RotaryPair& pair) {
            const auto i = static_cast<std::size_t>(&pair - rotary->pairs.data());
            const double expected = i < frequencies_of_setup.size() ? frequencies_of_setup[i] : 0;
            return std::abs(pair.frequency - expected) <= 1e-9 * expected;
        });
    if (is_exact) return setup;
    throw BadInput(
        "The frequencies of layer " + std::to_string(layer) +
        " are selected, listed or trained ones, which a rotary setup cannot represent; choose another layer or model.");
}

HeadVectors head_vectors(Model& model, const ModelPlan& plan, std::int64_t layer, std::int64_t head,
                         std::span<const std::int32_t> text, std::int64_t m, std::int64_t n) {
    const RotarySetup setup = setup_of_layer(plan, layer);
    require_index(head, setup.heads, "head", "layer " + std::to_string(layer));
    for (const std::int64_t token : {m, n}) require_index(token, std::ssize(text), "token", "the text");
    const auto vectors_at = [&](std::int64_t token) {
        ProbeRequest request;
        request.sequences = sequence_of(text.first(static_cast<std::size_t>(token + 1)));
        request.vectors = false;
        request.attention = false;
        request.vectors_at = token;
        return model.probe(request);
    };
    // The engine has the canonical pairing; channels are reordered to the setup's pairing, that of Hugging Face.
    const auto channels = canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    const auto reordered = [&](std::span<const float> vector) {
        return laid_out(std::vector<double>(vector.begin(), vector.end()), channels);
    };
    const ProbeArray keys = vectors_at(n).key_vectors;
    return {reordered(vectors_at(m).query_vectors.row(layer, head)),
            reordered(keys.row(layer, head * keys.shape[1] / setup.heads)), m, n};
}

ReplacedHead replaced_head(const RunSpec& spec, std::int64_t layer, std::int64_t head, const CircuitVectors& vectors,
                           const RotarySetup& setup) {
    if (spec.theta_varies()) {
        throw BadInput(
            "The theta of this run changes during training, so no attention head can be "
            "constructed by hand for its frequencies; choose a run with a fixed theta.");
    }
    const RotarySetup own = setup_of(spec);
    const auto frequencies_of = [](const RotarySetup& each) { return frequencies(plain_settings(each)); };
    const bool fits = setup.head_dim == own.head_dim && setup.scaling.method == ScalingMethod::none &&
                      frequencies_of(setup).inverse_frequencies == frequencies_of(own).inverse_frequencies;
    if (spec.frequencies != "auto") require_plain_frequencies(spec);
    if (!fits || spec.pairs != "all") {
        throw BadInput("The head was built for " + text_of(setup) + ", but the run has " + text_of(own) +
                       (spec.pairs == "all" ? "" : " with the pairs " + spec.pairs) +
                       "; build the head with the RoPE settings of the run.");
    }
    return {layer, head, canonical(vectors.query, setup), canonical(vectors.key, setup)};
}

CircuitLoss measure_circuit(Engine& engine, const Checkpoint& checkpoint, const ReplacedHead& replaced,
                            const std::filesystem::path& data_dir, const std::function<bool()>& cancelled) {
    ProbeRequest request =
        loss_request(corpus_of(checkpoint, data_dir)->validation, checkpoint.spec.context, circuit_tokens);
    request.retrieval = {};
    request.cancelled = cancelled;
    const auto model = model_of(engine, checkpoint);
    const ProbeResult before = model->probe(request);
    request.replaced_heads = {replaced};
    const ProbeResult after = model->probe(request);
    if (cancelled && cancelled()) return {};
    return {before.loss, after.loss, loss_rise(before, after), before.sequences, before.length};
}

std::vector<HeadSimilarity> similar_heads(const ProbeResult& probe, std::span<const double> logits) {
    std::vector<HeadSimilarity> result;
    if (probe.attention_by_distance.empty()) return result;
    const std::vector<double> means = circuit_attention_by_distance(logits, probe.length);
    std::vector<double> circuit;
    for (const std::int64_t distance : probe.distances) circuit.push_back(means.at(static_cast<std::size_t>(distance)));
    const auto& shape = probe.attention_by_distance.shape;
    for (std::int64_t layer = 0; layer < shape.at(0); ++layer) {
        for (std::int64_t head = 0; head < shape.at(1); ++head) {
            const auto row = probe.attention_by_distance.row(layer, head);
            if (std::isnan(row.front())) continue;  // a gated DeltaNet layer
            HeadSimilarity each{layer, head, 0, {row.begin(), row.end()}};
            each.similarity = cosine_similarity(circuit, each.attention);
            result.push_back(std::move(each));
        }
    }
    std::stable_sort(result.begin(), result.end(),
                     [](const HeadSimilarity& a, const HeadSimilarity& b) { return a.similarity > b.similarity; });
    return result;
}

}  // namespace ropelab
