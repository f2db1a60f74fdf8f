#include "core/engine/probe/probe.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "core/engine/model/torch_model.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/fused.h"
#include "core/engine/probe/pair_means.h"
#include "core/engine/probe/probe_attention.h"
#include "core/engine/probe/probe_experts.h"
#include "core/engine/probe/probe_losses.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_map_numbers = std::int64_t{1} << 26;

void check_windows(const ProbedModel& model, const ProbeSequences& sequences) {
    const RunSpec& spec = model.spec;
    if (sequences.length < 1 || sequences.tokens.empty() ||
        std::ssize(sequences.tokens) != sequences.count() * sequences.length ||
        sequences.targets.size() != sequences.tokens.size()) {
        throw BadInput("The probe's sequences have " + std::to_string(sequences.tokens.size()) + " tokens and " +
                       std::to_string(sequences.targets.size()) + " targets, but each sequence requires " +
                       std::to_string(sequences.length) + " of each, and at least 1.");
    }
    if (spec.learns_positions() && sequences.length > spec.context) {
        throw BadInput("This model has learned positions for " + std::to_string(spec.context) +
                       " tokens only, so that it cannot process sequences of " + std::to_string(sequences.length) +
                       ".");
    }
    const auto vocabulary = model.weights.layout().at("embedding.weight").shape.front();
    for (const auto* tokens : {&sequences.tokens, &sequences.targets}) {
        const std::int32_t least = tokens == &sequences.tokens ? 0 : -1;
        for (const std::int32_t token : *tokens) {
            if (token >= least && token < vocabulary) continue;
            throw BadInput("Token " + std::to_string(token) + " is outside the model's vocabulary of " +
                           std::to_string(vocabulary) + ".");
        }
    }
}

void check_pair(const RunSpec& spec, std::int64_t pair) {
    const std::int64_t pairs = spec.query_dim() / 2;
    if (pair < 0 || pair >= pairs) {
        throw BadInput("Pair " + std::to_string(pair) + " does not exist: a head of this model has the pairs 0 to " +
                       std::to_string(pairs - 1) + ".");
    }
}

void check_replaced(const RunSpec& spec, const ReplacedHead& replaced) {
    const std::string where = "layer " + std::to_string(replaced.layer) + ", head " + std::to_string(replaced.head);
    if (replaced.layer < 0 || replaced.layer >= spec.layers || replaced.head < 0 || replaced.head >= spec.heads) {
        throw BadInput("A query and a key were given for " + where + ", but this model has the layers 0 to " +
                       std::to_string(spec.layers - 1) + " with the heads 0 to " + std::to_string(spec.heads - 1) +
                       ".");
    }
    if (spec.layer_attention(replaced.layer) == LayerAttention::delta_net) {
        throw BadInput("A query and a key were given for " + where +
                       ", but this layer is a gated DeltaNet layer, which has no attention weights to replace.");
    }
    for (const auto* vector : {&replaced.query, &replaced.key}) {
        const bool is_finite =
            std::all_of(vector->begin(), vector->end(), [](double value) { return std::isfinite(value); });
        if (std::ssize(*vector) == spec.query_dim() && is_finite) continue;
        throw BadInput("The query and the key for " + where + " need " + std::to_string(spec.query_dim()) +
                       " finite numbers each, the head dimension of this model.");
    }
}

void check_request(const ProbedModel& model, const ProbeRequest& request) {
    const RunSpec& spec = model.spec;
    check_windows(model, request.sequences);
    if (request.attention && request.sequences.length < 2)
        throw BadInput("The sequences have 1 token, but a probe of attention requires at least 2.");
    for (const std::int64_t pair : request.frozen_pairs) check_pair(spec, pair);
    for (const std::int64_t pair : request.ablated_pairs) check_pair(spec, pair);
    for (const std::int64_t pair : request.mean_ablated_pairs) check_pair(spec, pair);
    for (const ReplacedHead& replaced : request.replaced_heads) check_replaced(spec, replaced);
    if (request.map_pair >= 0) check_pair(spec, request.map_pair);
    if (request.vectors_at >= request.sequences.length) {
        throw BadInput("The vectors at position " + std::to_string(request.vectors_at) +
                       " were requested, but the sequences have " + std::to_string(request.sequences.length) +
                       " tokens.");
    }
    if (request.map_size < 0 || request.map_size > request.sequences.length ||
        spec.layers * spec.heads * request.map_size * request.map_size > most_map_numbers) {
        throw BadInput("Attention maps of " + std::to_string(request.map_size) +
                       " tokens were requested, but they must not exceed the sequence length or " +
                       std::to_string(most_map_numbers) + " numbers over all heads.");
    }
    if (request.scaling.method != ScalingMethod::none && !spec.rotates()) {
        throw BadInput("This model has no RoPE, so that the scaling " + std::string(word_of(request.scaling.method)) +
                       " does not apply; remove the scaling.");
    }
    const RetrievalTest& retrieval = request.retrieval;
    if (retrieval.lags.empty()) return;
    check_windows(model, retrieval.sequences);
    const std::int64_t longest = *std::max_element(retrieval.lags.begin(), retrieval.lags.end());
    const std::int64_t shortest = *std::min_element(retrieval.lags.begin(), retrieval.lags.end());
    if (std::ssize(retrieval.lags) != retrieval.sequences.count() || retrieval.marked < 1 || shortest < 1 ||
        retrieval.marked + longest > retrieval.sequences.length) {
        throw BadInput(
            "The retrieval test requires one lag of at least 1 per sequence, and sequences that contain a copy of " +
            std::to_string(retrieval.marked) + " tokens " + std::to_string(longest) +
            " tokens after the first occurrence.");
    }
}

TableChanges changes_of(const ProbeRequest& request) {
    return {request.scaling, request.frozen_pairs};
}

torch::Tensor to_tensor(const std::vector<std::int32_t>& numbers, std::int64_t first, std::int64_t count,
                        torch::Device device) {
    return torch::tensor(c10::ArrayRef<std::int32_t>(numbers.data() + first, static_cast<std::size_t>(count)),
                         torch::kInt64)
        .to(device);
}

/// Calls `handle` with each batch's result. Returns false if the request was cancelled.
template <typename Take>
bool evaluate_batches(const ProbedModel& model, const ProbeRequest& request, const ProbeSequences& sequences,
                      const PositionTerms& terms, AttentionHook* hook, const Take& handle,
                      ExpertSums* experts = nullptr) {
    const auto device = model.weights.flat().device();
    const std::int64_t length = sequences.length;
    const std::int64_t batch_size = std::clamp<std::int64_t>(8192 / length, 1, 256);
    for (std::int64_t first = 0; first < sequences.count(); first += batch_size) {
        if (request.cancelled && request.cancelled()) return false;
        const std::int64_t count = std::min(batch_size, sequences.count() - first);
        const torch::Tensor x =
            to_tensor(sequences.tokens, first * length, count * length, device).view({1, count, length});
        const torch::Tensor targets =
            to_tensor(sequences.targets, first * length, count * length, device).view({1, count * length});
        ExpertRecord record;
        const torch::Tensor logits = model.decoder.logits(model.weights, x, terms, model.precision, {}, nullptr, hook,
                                                          experts ? &record : nullptr);
        if (experts) experts->add(record, first);
        const torch::Tensor known = targets.ge(0);
        const torch::Tensor losses = token_losses(logits, targets.clamp_min(0)).to(torch::kFloat64) * known;
        const torch::Tensor correct = logits.argmax(-1).eq(targets);
        handle(BatchResult{first, count, losses.view({count, length}).to(torch::kCPU),
                           correct.view({count, length}).to(torch::kCPU)});
    }
    return true;
}

// From the tables' second row, which contains the angles of one step; no angle exceeds π.
ProbeArray frequencies_of(const RunSpec& spec, const LayerTables& tables) {
    ProbeArray result;
    for (const RotaryTables& layer : tables.layers) {
        const torch::Tensor step = layer.defined() ? torch::atan2(layer.sine.select(2, 1), layer.cosine.select(2, 1))
                                                   : torch::zeros({1, 1, 1, spec.rotary_head_dim() / 2});
        const torch::Tensor all_pairs = torch::constant_pad_nd(step, {0, spec.query_dim() / 2 - step.size(3)});
        const std::int64_t heads = spec.theta_training == ThetaTraining::head ? spec.heads : 1;
        const torch::Tensor rows = all_pairs.expand({1, 1, heads, -1}).to(torch::kCPU).contiguous();
        result.shape = {spec.layers, heads, rows.size(3)};
        result.values.insert(result.values.end(), rows.data_ptr<float>(), rows.data_ptr<float>() + rows.numel());
    }
    return result;
}

}  // namespace

ProbeResult probe(const ProbedModel& model, const ProbeRequest& request) {
    const torch::NoGradGuard no_gradients;
    check_request(model, request);
    const auto device = model.weights.flat().device();
    const TableChanges changes = changes_of(request);
    const bool has_hook_measurements =
        request.vectors || request.attention || request.map_size > 0 || request.vectors_at >= 0;

    ProbeResult result;
    result.sequences = request.sequences.count();
    result.length = request.sequences.length;
    const PositionTerms terms = position_terms({&model.spec, 1}, result.length, device, changes, &model.weights);
    if (model.spec.theta_varies() && result.length > 1) result.frequencies = frequencies_of(model.spec, terms.tables);
    const bool takes_means = !request.mean_ablated_pairs.empty();
    PairMeans means(model.spec.layers);
    if (takes_means && !evaluate_batches(model, request, request.sequences,
                                         position_terms({&model.spec, 1}, result.length, device, {request.scaling, {}},
                                                        &model.weights),
                                         &means, [](const BatchResult&) {})) {
        return {};
    }
    AttentionProbe attention_probe(model.spec, request, terms.tables, takes_means ? &means : nullptr);
    const bool changes_attention = takes_means || !request.ablated_pairs.empty() || !request.replaced_heads.empty();
    LossSums losses(request.sequences, request.sequence_losses);
    std::optional<ExpertSums> experts;
    if (model.spec.experts > 0) experts.emplace(model.spec, request.sequences);
    const bool done = evaluate_batches(
        model, request, request.sequences, terms,
        has_hook_measurements || changes_attention ? &attention_probe : nullptr,
        [&](const BatchResult& batch) { losses.add(batch); }, experts ? &*experts : nullptr);
    if (!done) return {};
    losses.write(result);
    if (experts) experts->write(result);
    if (has_hook_measurements) attention_probe.write(result);
    const auto map = request.sequences.tokens.begin();
    result.map_tokens.assign(map, map + request.map_size);

    if (!request.retrieval.lags.empty()) {
        attention_probe.stop_measuring();
        const ProbeSequences& sequences = request.retrieval.sequences;
        const PositionTerms retrieval_terms =
            sequences.length == result.length
                ? terms
                : position_terms({&model.spec, 1}, sequences.length, device, changes, &model.weights);
        RetrievalSums sums(request.retrieval);
        if (!evaluate_batches(model, request, sequences, retrieval_terms,
                              changes_attention ? &attention_probe : nullptr,
                              [&](const BatchResult& batch) { sums.add(batch); })) {
            return {};
        }
        result.retrieval = sums.points();
    }
    return result;
}

ProbeResult TorchModel::probe(const ProbeRequest& request) {
    return with_clear_errors([&] { return ropelab::probe({spec_, decoder_, weights_, precision_}, request); });
}

}  // namespace ropelab
