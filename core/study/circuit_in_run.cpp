#include "core/study/circuit_in_run.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/study/ablation.h"
#include "core/study/head_vectors.h"
#include "core/run/probing.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::int64_t circuit_tokens = 4096;  // resolves a change of about 0.01 nats

/// Returns the vector in the channel order of training.
std::vector<double> canonical(const std::vector<double>& vector, const RotarySetup& setup) {
    const auto channels = canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing);
    std::vector<double> result;
    for (const auto channel : channels) result.push_back(vector.at(static_cast<std::size_t>(channel)));
    return result;
}

}  // namespace

ReplacedHead replaced_head(const RunSpec& spec, std::int64_t layer, std::int64_t head, const CircuitVectors& vectors,
                           const RotarySetup& setup) {
    if (spec.theta_varies()) {
        throw BadInput(
            "The theta of this run changes during training, so that a head cannot be built for its "
            "frequencies beforehand; choose a run with a fixed theta.");
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
