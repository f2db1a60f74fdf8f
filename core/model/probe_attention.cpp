#include "core/model/probe_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/model/attention/reference.h"

namespace ropelab {

namespace {

// Number of scores that are computed at a time.
constexpr std::int64_t scores_at_once = std::int64_t{1} << 21;

void add(torch::Tensor& sum, const torch::Tensor& more) {
    sum = sum.defined() ? sum + more : more;
}

torch::Tensor total(const torch::Tensor& x, std::initializer_list<std::int64_t> axes) {
    return x.sum(c10::IntArrayRef(axes), false, torch::kFloat64);
}

// Returns the sums over the two channels of each pair, i and i + pairs: (…, head_dim) → (…, pairs).
torch::Tensor sum_of_pairs(const torch::Tensor& channels) {
    const std::int64_t pairs = channels.size(-1) / 2;
    return channels.narrow(-1, 0, pairs) + channels.narrow(-1, pairs, pairs);
}

// Returns the sums of the pairs' norms. x: (1, sequences, time, heads, head_dim) → (heads, pairs).
torch::Tensor norm_sums(const torch::Tensor& x) {
    return total(sum_of_pairs(x.to(torch::kFloat32).square()).sqrt(), {0, 1, 2});
}

// Returns the sums of the channels' norms over positions: (heads, head_dim).
torch::Tensor channel_norm_sums(const torch::Tensor& x) {
    return total(x.to(torch::kFloat32).square().sum(2).sqrt(), {0, 1});
}

// Reorders (1, sequences, time, heads, head_dim) to (sequences, heads, time, head_dim).
torch::Tensor by_head(const torch::Tensor& x) {
    return x.select(0, 0).to(torch::kFloat32).transpose(1, 2).contiguous();
}

// Returns the sums of scores by distance, (heads, keys). scores: (sequences, heads, rows, keys), with the newest key
// first: the last row's newest key is its own, and the newest key of row r is at rows − 1 − r. Hidden scores must be 0.
torch::Tensor by_distance(const torch::Tensor& scores) {
    const std::int64_t heads = scores.size(1);
    const std::int64_t rows = scores.size(2);
    const std::int64_t keys = scores.size(3);
    const std::int64_t stride = keys + rows - 1;
    const torch::Tensor padded = torch::constant_pad_nd(scores.sum(0), {0, rows - 1}).contiguous();
    // Each row begins one column earlier than the previous one, so that column Δ has the same distance in all rows.
    return padded.as_strided({heads, rows, keys}, {rows * stride, stride - 1, 1}, rows - 1)
        .sum(1, false, torch::kFloat64);
}

ProbeArray to_array(const std::vector<torch::Tensor>& layers, double divisor = 1.0) {
    if (layers.empty() || !layers.front().defined()) return {};
    const torch::Tensor host = (torch::stack(layers) / divisor).to(torch::kCPU, torch::kFloat32).contiguous();
    return {host.sizes().vec(), {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()}};
}

}  // namespace

AttentionProbe::AttentionProbe(const RunSpec& spec, const ProbeRequest& request, const LayerTables& tables)
    : spec_(spec), request_(request), layers_(static_cast<std::size_t>(spec.layers)) {
    const std::int64_t pairs = spec.head_dim() / 2;
    for (std::int64_t layer = 0; layer < spec.layers; ++layer) {
        const RotaryTables& table = tables.at(layer);
        layers_[static_cast<std::size_t>(layer)].rotates =
            table.defined() ? table.sine.select(0, 0).ne(0).flatten(0, 2).any(0).to(torch::kCPU)
                            : torch::zeros({pairs}, torch::kBool);
    }
}

void AttentionProbe::observe(std::int64_t layer, const LayerVectors& vectors) {
    if (!measures_) return;
    Layer& sums = layers_[static_cast<std::size_t>(layer)];
    if (request_.vectors_at >= 0 && !sums.query_vector.defined()) {
        sums.query_vector = vectors.query[0][0][request_.vectors_at].to(torch::kFloat32).clone();
        sums.key_vector = vectors.key[0][0][request_.vectors_at].to(torch::kFloat32).clone();
    }
    if (!request_.vectors) return;
    add(sums.query_usage, norm_sums(vectors.query));
    add(sums.key_usage, norm_sums(vectors.key));
    add(sums.value_usage, norm_sums(vectors.value));
    add(sums.query_massive, channel_norm_sums(vectors.query));
    add(sums.key_massive, channel_norm_sums(vectors.key));
}

void AttentionProbe::modify(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) {
    if (!request_.ablated_pairs.empty()) {
        // A pair without query channels contributes nothing to any logit.
        vectors.query = vectors.query.clone();
        const std::int64_t pairs = spec_.head_dim() / 2;
        for (const std::int64_t pair : request_.ablated_pairs) {
            vectors.query.select(-1, pair).zero_();
            vectors.query.select(-1, pair + pairs).zero_();
        }
    }
    if (measures_ && (request_.attention || request_.map_size > 0))
        measure_attention(layers_[static_cast<std::size_t>(layer)], vectors, terms);
}

void AttentionProbe::measure_attention(Layer& layer, const LayerVectors& vectors, const LayerTerms& terms) const {
    const LayerVectors repeated = reference_attention::repeat_heads(vectors);
    const torch::Tensor query = by_head(repeated.query);
    const torch::Tensor key = by_head(repeated.key);
    if (request_.map_size > 0 && !layer.map.defined()) map_attention(layer, query, key, terms);
    if (!request_.attention) return;

    const std::int64_t sequences = query.size(0);
    const std::int64_t heads = query.size(1);
    const std::int64_t time = query.size(2);
    const double scale = 1.0 / std::sqrt(static_cast<double>(spec_.head_dim()));
    const auto sums = torch::TensorOptions().dtype(torch::kFloat64).device(query.device());
    if (!layer.logits.defined()) {
        layer.logits = torch::zeros({heads, time}, sums);
        layer.attention_sums = torch::zeros({heads, time}, sums);
    }
    const torch::Tensor newest_first = key.flip(2);
    const auto numbers = torch::TensorOptions().dtype(torch::kInt64).device(query.device());
    const std::int64_t rows_per_step =
        std::clamp<std::int64_t>(scores_at_once / (sequences * heads * time), std::min<std::int64_t>(16, time), time);
    for (std::int64_t first = 0; first < time; first += rows_per_step) {
        const std::int64_t rows = std::min(rows_per_step, time - first);
        const std::int64_t keys = first + rows;
        const torch::Tensor q = query.narrow(2, first, rows);
        const torch::Tensor k = newest_first.narrow(2, time - keys, keys);
        // Row r is the query at first + r; column j is the key at keys − 1 − j.
        const torch::Tensor queries = torch::arange(first, first + rows, numbers);
        const torch::Tensor key_positions = torch::arange(keys - 1, -1, -1, numbers);
        const torch::Tensor hidden = hidden_keys(queries, key_positions, terms.window);
        const torch::Tensor visible_keys = hidden.logical_not().sum(1, true).to(torch::kFloat32);  // keys per query

        torch::Tensor scores = torch::matmul(q, k.transpose(2, 3)).mul_(scale);
        torch::Tensor logits =
            terms.slopes.defined() ? scores + distance_bias(terms.slopes, queries, key_positions) : scores;
        constexpr double never = -std::numeric_limits<double>::infinity();
        const torch::Tensor probabilities = torch::softmax(logits.masked_fill(hidden, never), -1);
        const torch::Tensor logarithm = torch::logsumexp(logits.masked_fill(hidden, never), -1);
        scores.masked_fill_(hidden, 0);
        logits.masked_fill_(hidden, 0);
        layer.logits.narrow(1, 0, keys) += by_distance(logits);
        layer.attention_sums.narrow(1, 0, keys) += by_distance(probabilities);
        // The entropy is −Σ p ln p with ln p = logit − logarithm. The first position, which sees only itself, is left
        // out.
        const torch::Tensor entropy = logarithm - (probabilities * logits).sum(-1);
        const std::int64_t skipped = first == 0 ? 1 : 0;
        const auto total_after_first = [&](const torch::Tensor& x) {
            return total(x.narrow(2, skipped, rows - skipped), {0, 2});
        };
        add(layer.entropy, total_after_first(entropy));
        add(layer.sink, total_after_first(probabilities.select(-1, keys - 1)));
        // Formula 8: Σ (l − mean l)·l_c over keys, for each channel c of query and key, without storing l_c; l is the
        // product of query and key without ALiBi's bias.
        const torch::Tensor centred = (scores - scores.sum(-1, true) / visible_keys).masked_fill_(hidden, 0);
        add(layer.covariance, total(q * torch::matmul(centred, k), {0, 2}) * scale);
    }
}

void AttentionProbe::map_attention(Layer& layer, const torch::Tensor& query, const torch::Tensor& key,
                                   const LayerTerms& terms) const {
    const std::int64_t size = request_.map_size;
    const torch::Tensor q = query.select(0, 0).narrow(1, 0, size);  // (heads, size, head_dim)
    const torch::Tensor k = key.select(0, 0).narrow(1, 0, size);
    const double scale = 1.0 / std::sqrt(static_cast<double>(spec_.head_dim()));
    const torch::Tensor positions = torch::arange(size, torch::TensorOptions(torch::kInt64).device(q.device()));
    const torch::Tensor hidden = hidden_keys(positions, positions, terms.window);
    torch::Tensor logits = torch::matmul(q, k.transpose(1, 2)) * scale;
    if (terms.slopes.defined()) logits = logits + distance_bias(terms.slopes, positions, positions);
    layer.map = torch::softmax(logits.masked_fill(hidden, -std::numeric_limits<double>::infinity()), -1);
    if (request_.map_pair < 0) return;
    const std::int64_t pair = request_.map_pair;
    const std::int64_t pairs = spec_.head_dim() / 2;
    const auto part = [&](std::int64_t channel) {
        return q.select(2, channel).unsqueeze(2) * k.select(2, channel).unsqueeze(1);
    };
    layer.pair_map = ((part(pair) + part(pair + pairs)) * scale).masked_fill(hidden, 0);
}

torch::Tensor AttentionProbe::logit_contributions(const Layer& layer) const {
    const torch::Tensor channels = layer.covariance.to(torch::kCPU);
    const torch::Tensor total = channels.sum(1, true);
    const torch::Tensor rotated = sum_of_pairs(channels) * layer.rotates;
    const torch::Tensor parts = torch::cat({rotated, total - rotated.sum(1, true)}, 1);
    return torch::where(total > 0, parts / total, torch::zeros_like(parts));
}

void AttentionProbe::write(ProbeResult& result) const {
    const auto collect = [&](torch::Tensor Layer::*member, double divisor) {
        std::vector<torch::Tensor> parts;
        for (const Layer& layer : layers_) parts.push_back(layer.*member);
        return to_array(parts, divisor);
    };
    const auto sequences = static_cast<double>(result.sequences);
    const auto tokens = sequences * static_cast<double>(result.length);
    if (request_.vectors) {
        result.query_usage = collect(&Layer::query_usage, tokens);
        result.key_usage = collect(&Layer::key_usage, tokens);
        result.value_usage = collect(&Layer::value_usage, tokens);
        result.query_massive = collect(&Layer::query_massive, sequences);
        result.key_massive = collect(&Layer::key_massive, sequences);
    }
    if (request_.vectors_at >= 0) {
        result.query_vectors = collect(&Layer::query_vector, 1.0);
        result.key_vectors = collect(&Layer::key_vector, 1.0);
    }
    if (request_.map_size > 0) {
        result.attention = collect(&Layer::map, 1.0);
        result.pair_logits = collect(&Layer::pair_map, 1.0);
    }
    if (!request_.attention) return;
    std::vector<torch::Tensor> probabilities;
    std::vector<torch::Tensor> logits;
    std::vector<torch::Tensor> attention;
    // A sequence has `length − Δ` queries with a key at distance Δ, unless a sliding window hides it.
    const std::int64_t distances =
        spec_.attention_window > 0 ? std::min(spec_.attention_window, result.length) : result.length;
    const torch::Tensor queries =
        torch::arange(result.length, result.length - distances, -1, torch::kInt64).to(torch::kFloat64) * sequences;
    const auto mean = [&](const torch::Tensor& sums) { return sums.narrow(1, 0, distances).to(torch::kCPU) / queries; };
    for (const Layer& layer : layers_) {
        probabilities.push_back(logit_contributions(layer));
        logits.push_back(mean(layer.logits));
        attention.push_back(mean(layer.attention_sums));
    }
    for (std::int64_t distance = 0; distance < distances; ++distance) result.distances.push_back(distance);
    result.logit_contribution = to_array(probabilities);
    result.logit_by_distance = to_array(logits);
    result.attention_by_distance = to_array(attention);
    result.entropy = collect(&Layer::entropy, sequences * static_cast<double>(result.length - 1));
    result.sink = collect(&Layer::sink, sequences * static_cast<double>(result.length - 1));
}

}  // namespace ropelab
