#include "core/engine/probe/attention_probe.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/engine/attention/reference.h"

namespace ropelab {

namespace {

constexpr std::int64_t scores_at_once = std::int64_t{1} << 21;

void add_to(torch::Tensor& sum, const torch::Tensor& more) {
    sum = sum.defined() ? sum + more : more;
}

torch::Tensor total(const torch::Tensor& x, std::initializer_list<std::int64_t> axes) {
    return x.sum(c10::IntArrayRef(axes), false, torch::kFloat64);
}

// Channels i and i + pairs: (…, head_dim) → (…, pairs).
torch::Tensor sum_of_pairs(const torch::Tensor& channels) {
    const std::int64_t pairs = channels.size(-1) / 2;
    return channels.narrow(-1, 0, pairs) + channels.narrow(-1, pairs, pairs);
}

// (1, sequences, time, heads, head_dim) → (heads, pairs).
torch::Tensor norm_sums(const torch::Tensor& x) {
    return total(sum_of_pairs(x.to(torch::kFloat32).square()).sqrt(), {0, 1, 2});
}

// Over positions: (heads, head_dim).
torch::Tensor channel_norm_sums(const torch::Tensor& x) {
    return total(x.to(torch::kFloat32).square().sum(2).sqrt(), {0, 1});
}

// (1, sequences, time, heads, head_dim) → (sequences, heads, time, head_dim).
torch::Tensor by_head(const torch::Tensor& x) {
    return x.select(0, 0).to(torch::kFloat32).transpose(1, 2).contiguous();
}

// NaN for layers without numbers (gated DeltaNet), and an empty array if no layer has any.
ProbeArray to_array(std::vector<torch::Tensor> layers, double divisor = 1.0) {
    const auto known = std::find_if(layers.begin(), layers.end(), [](const auto& layer) { return layer.defined(); });
    if (known == layers.end()) return {};
    const torch::Tensor unknown = torch::full_like(*known, std::numeric_limits<double>::quiet_NaN());
    for (torch::Tensor& layer : layers) {
        if (!layer.defined()) layer = unknown;
    }
    const torch::Tensor host = (torch::stack(layers) / divisor).to(torch::kCPU, torch::kFloat32).contiguous();
    return {host.sizes().vec(), {host.data_ptr<float>(), host.data_ptr<float>() + host.numel()}};
}

// In double precision: (n, rows, keys), newest key first → (n, keys). The last row's newest key is its own, and the
// newest key of row r is at rows − 1 − r. Hidden scores must be 0.
torch::Tensor sums_by_distance(const torch::Tensor& scores) {
    const std::int64_t count = scores.size(0);
    const std::int64_t rows = scores.size(1);
    const std::int64_t keys = scores.size(2);
    const std::int64_t stride = keys + rows - 1;
    const torch::Tensor padded = torch::constant_pad_nd(scores, {0, rows - 1}).contiguous();
    // Each row begins one column earlier than the previous one, so that column Δ has the same distance in all rows.
    return padded.as_strided({count, rows, keys}, {rows * stride, stride - 1, 1}, rows - 1)
        .sum(1, false, torch::kFloat64);
}

// Copies the pairs' channels from `source`, (1, 1, time, heads, head_dim), to all sequences of a copy of `x`.
torch::Tensor with_pairs_of(const torch::Tensor& source, const std::vector<std::int64_t>& pairs,
                            const torch::Tensor& x) {
    torch::Tensor result = x.clone();
    const std::int64_t half = x.size(-1) / 2;
    for (const std::int64_t pair : pairs) {
        for (const std::int64_t channel : {pair, pair + half}) {
            const torch::Tensor values = source.select(-1, channel);
            result.select(-1, channel).copy_(values.expand_as(result.select(-1, channel)));
        }
    }
    return result;
}

// Sets their channels of the queries, (…, head_dim), to 0, so that these pairs add nothing to any logit.
void remove_pairs(const std::vector<std::int64_t>& pairs, LayerVectors& vectors) {
    vectors.query = vectors.query.clone();
    const std::int64_t half = vectors.query.size(-1) / 2;
    for (const std::int64_t pair : pairs) {
        vectors.query.select(-1, pair).zero_();
        vectors.query.select(-1, pair + half).zero_();
    }
}

// x, (runs, batch, time, heads, head_dim), with `vector` in one head, encoded by position.
torch::Tensor with_vector(const torch::Tensor& x, std::int64_t head, const std::vector<double>& vector,
                          torch::Tensor (*encoded)(const torch::Tensor&, const LayerTerms&), const LayerTerms& terms) {
    const torch::Tensor numbers =
        torch::tensor(c10::ArrayRef<double>(vector), torch::kFloat64).to(x.device(), x.scalar_type());
    // Each head can have its own angles, so that the vector is rotated in its place among all heads.
    torch::Tensor placed = torch::zeros({1, 1, x.size(2), x.size(3), x.size(4)}, x.options());
    placed.select(3, head).copy_(numbers.expand_as(placed.select(3, head)));
    placed = encoded(placed, terms);
    torch::Tensor result = x.clone();
    torch::Tensor channels = result.select(3, head);
    channels.copy_(placed.select(3, head).expand_as(channels));
    return result;
}

// Rotated by each token's position. Shared keys and values are repeated first, so that other heads keep theirs.
void replace_head(const ReplacedHead& replaced, LayerVectors& vectors, const LayerTerms& terms) {
    vectors = repeat_heads(std::move(vectors));
    vectors.query = with_vector(vectors.query, replaced.head, replaced.query, encoded_queries, terms);
    vectors.key = with_vector(vectors.key, replaced.head, replaced.key, encoded_keys, terms);
}

}  // namespace

void SequenceSums::add(const torch::Tensor& values) {
    count_ += values.size(0);
    add_to(sum_, values.sum(0));
    add_to(squares_, values.square().sum(0));
}

torch::Tensor SequenceSums::standard_error() const {
    if (count_ < 2) return {};
    const auto n = static_cast<double>(count_);
    // Rounding can make the deviation of equal values slightly negative.
    return ((squares_ - sum_.square() / n).clamp_min(0) / (n * (n - 1))).sqrt();
}

void SequenceRatioSums::add(const torch::Tensor& parts, const torch::Tensor& totals) {
    count_ += parts.size(0);
    add_to(parts_, parts.sum(0));
    add_to(totals_, totals.sum(0));
    add_to(part_squares_, parts.square().sum(0));
    add_to(products_, (parts * totals).sum(0));
    add_to(total_squares_, totals.square().sum(0));
}

torch::Tensor SequenceRatioSums::standard_error() const {
    if (count_ < 2) return {};
    const auto n = static_cast<double>(count_);
    const torch::Tensor ratio = parts_ / totals_;
    const torch::Tensor squares = part_squares_ - 2 * ratio * products_ + ratio.square() * total_squares_;
    const torch::Tensor error = (squares.clamp_min(0) * (n / (n - 1))).sqrt() / totals_;
    return torch::where(totals_ > 0, error, torch::zeros_like(error));
}

void PairMeans::observe(std::int64_t layer, const LayerVectors& vectors) {
    Layer& sums = layers_[static_cast<std::size_t>(layer)];
    add_to(sums.query, total(vectors.query, {0, 1, 2}));
    add_to(sums.key, total(vectors.key, {0, 1, 2}));
    sums.count += vectors.query.size(1) * vectors.query.size(2);
}

void PairMeans::replace(const std::vector<std::int64_t>& pairs, std::int64_t layer, LayerVectors& vectors,
                        const LayerTerms& terms) const {
    const Layer& sums = layers_[static_cast<std::size_t>(layer)];
    const std::int64_t time = vectors.query.size(2);
    const auto at_every_position = [&](const torch::Tensor& sum, torch::ScalarType type) {
        const torch::Tensor mean = (sum / static_cast<double>(sums.count)).to(type);
        return mean.view({1, 1, 1, mean.size(0), mean.size(1)}).expand({1, 1, time, -1, -1}).contiguous();
    };
    const torch::Tensor queries = encoded_queries(at_every_position(sums.query, vectors.query.scalar_type()), terms);
    const torch::Tensor keys = encoded_keys(at_every_position(sums.key, vectors.key.scalar_type()), terms);
    vectors.query = with_pairs_of(queries, pairs, vectors.query);
    vectors.key = with_pairs_of(keys, pairs, vectors.key);
}

AttentionProbe::AttentionProbe(const ModelPlan& plan, const ProbeRequest& request, const LayerTables& tables,
                               const PairMeans* means)
    : plan_(plan),
      request_(request),
      means_(means),
      layers_(plan.layers.size()),
      stream_squares_(plan.layers.size() + 1),
      stream_largest_(plan.layers.size() + 1) {
    const std::int64_t pairs = plan.layers.front().query_channels() / 2;
    for (std::int64_t layer = 0; layer < std::ssize(plan.layers); ++layer) {
        const RotaryTables& table = tables.at(layer);
        torch::Tensor& own_elements = layers_[static_cast<std::size_t>(layer)].own_elements;
        if (request.splits_unrotated) {
            own_elements = torch::ones({pairs}, torch::kBool);
        } else {
            own_elements = torch::zeros({pairs}, torch::kBool);  // of multi-head latent attention, not all can rotate
            if (table.defined()) {
                const torch::Tensor rotated = table.sine.select(0, 0).ne(0).flatten(0, 2).any(0).to(torch::kCPU);
                own_elements.narrow(0, 0, rotated.size(0)).copy_(rotated);
            }
        }
    }
}

void AttentionProbe::observe_stream(std::int64_t layer, const torch::Tensor& stream) {
    if (!measures_ || !request_.vectors) return;
    const auto index = static_cast<std::size_t>(layer);
    add_to(stream_squares_[index], total(stream.square(), {0, 1, 2}));
    const torch::Tensor largest = stream.abs().max().to(torch::kFloat64);
    stream_largest_[index] =
        stream_largest_[index].defined() ? torch::maximum(stream_largest_[index], largest) : largest;
}

void AttentionProbe::observe(std::int64_t layer, const LayerVectors& vectors) {
    if (!measures_) return;
    Layer& sums = layers_[static_cast<std::size_t>(layer)];
    if (request_.vectors_at >= 0 && !sums.query_vector.defined()) {
        sums.query_vector = vectors.query[0][0][request_.vectors_at].to(torch::kFloat32).clone();
        sums.key_vector = vectors.key[0][0][request_.vectors_at].to(torch::kFloat32).clone();
    }
    if (!request_.vectors) return;
    add_to(sums.query_usage, norm_sums(vectors.query));
    add_to(sums.key_usage, norm_sums(vectors.key));
    if (vectors.value.size(-1) == vectors.query.size(-1)) add_to(sums.value_usage, norm_sums(vectors.value));
    add_to(sums.query_massive, channel_norm_sums(vectors.query));
    add_to(sums.key_massive, channel_norm_sums(vectors.key));
}

void AttentionProbe::modify(std::int64_t layer, LayerVectors& vectors, const LayerTerms& terms) {
    if (!request_.ablated_pairs.empty()) remove_pairs(request_.ablated_pairs, vectors);
    if (means_) means_->replace(request_.mean_ablated_pairs, layer, vectors, terms);
    for (const ReplacedHead& replaced : request_.replaced_heads) {
        if (replaced.layer == layer) replace_head(replaced, vectors, terms);
    }
    if (measures_ && (request_.attention || request_.map_size > 0))
        measure_attention(layers_[static_cast<std::size_t>(layer)], vectors, terms);
}

void AttentionProbe::measure_attention(Layer& layer, const LayerVectors& vectors, const LayerTerms& terms) const {
    const LayerVectors repeated = repeat_heads(vectors);
    const torch::Tensor query = by_head(repeated.query);
    const torch::Tensor key = by_head(repeated.key);
    if (request_.map_size > 0 && !layer.map.defined()) map_attention(layer, query, key, terms);
    if (!request_.attention) return;

    const std::int64_t sequences = query.size(0);
    const std::int64_t heads = query.size(1);
    const std::int64_t time = query.size(2);
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
    const auto sums = torch::TensorOptions().dtype(torch::kFloat64).device(query.device());
    if (!layer.logits.defined()) {
        layer.logits = torch::zeros({heads, time}, sums);
        layer.attention_sums = torch::zeros({heads, time}, sums);
    }
    // Sums of each sequence of this batch, for the standard errors over sequences.
    torch::Tensor logits_of_sequences = torch::zeros({sequences, heads, time}, sums);
    torch::Tensor attention_of_sequences = torch::zeros({sequences, heads, time}, sums);
    torch::Tensor entropy_of_sequences = torch::zeros({sequences, heads}, sums);
    torch::Tensor sink_of_sequences = torch::zeros({sequences, heads}, sums);
    torch::Tensor covariance_of_sequences = torch::zeros({sequences, heads, query.size(3)}, sums);
    const auto add_by_distance = [&](const torch::Tensor& numbers_by_key, torch::Tensor& all, torch::Tensor& each) {
        const std::int64_t keys = numbers_by_key.size(3);
        all.narrow(1, 0, keys) += sums_by_distance(numbers_by_key.sum(0));
        each.narrow(2, 0, keys) += sums_by_distance(numbers_by_key.flatten(0, 1)).view({sequences, heads, keys});
    };
    const torch::Tensor newest_first = key.flip(2);
    const torch::Tensor slopes = terms.slopes();
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
        torch::Tensor logits = slopes.defined() ? scores + distance_bias(slopes, queries, key_positions) : scores;
        const torch::Tensor relative =
            relative_logits(terms.relative, {0, q, k, scores, queries, key_positions, hidden});
        if (relative.defined()) logits = scores + relative;
        constexpr double never = -std::numeric_limits<double>::infinity();
        const torch::Tensor masked = logits.masked_fill(hidden, never);
        const torch::Tensor probabilities = softmax_with_sinks(masked, terms.sinks);
        torch::Tensor logarithm = torch::logsumexp(masked, -1);  // of the softmax's denominator
        if (terms.sinks.defined()) logarithm = torch::logaddexp(logarithm, terms.sinks[0].view({1, heads, 1}));
        scores.masked_fill_(hidden, 0);
        logits.masked_fill_(hidden, 0);
        add_by_distance(logits, layer.logits, logits_of_sequences);
        add_by_distance(probabilities, layer.attention_sums, attention_of_sequences);
        // −Σ p ln p with ln p = logit − logarithm, without the first position, which sees only itself.
        if (terms.sinks.defined()) logarithm = logarithm * probabilities.sum(-1);  // without the sink's own term
        const torch::Tensor entropy = logarithm - (probabilities * logits).sum(-1);
        const std::int64_t skipped = first == 0 ? 1 : 0;
        const auto add_after_first = [&](const torch::Tensor& x, torch::Tensor& all, torch::Tensor& each) {
            const torch::Tensor later = x.narrow(2, skipped, rows - skipped);
            add_to(all, total(later, {0, 2}));
            each += total(later, {2});
        };
        add_after_first(entropy, layer.entropy, entropy_of_sequences);
        add_after_first(probabilities.select(-1, keys - 1), layer.sink, sink_of_sequences);
        // Formula 8: Σ (l − mean l)·l_c over keys, for each channel c of query and key, without storing l_c; l is the
        // product of query and key without what the position encoding adds.
        const torch::Tensor centred = (scores - scores.sum(-1, true) / visible_keys).masked_fill_(hidden, 0);
        const torch::Tensor products = q * torch::matmul(centred, k);
        add_to(layer.covariance, total(products, {0, 2}) * scale);
        covariance_of_sequences += total(products, {2}) * scale;
        // The weighted formula 8: Σ p (l − Σ p l)·l_c with the attention weights p, which are 0 for hidden keys.
        const torch::Tensor weighted = probabilities * (scores - (probabilities * scores).sum(-1, true));
        add_to(layer.weighted_covariance, total(q * torch::matmul(weighted, k), {0, 2}) * scale);
    }
    layer.logit_spread.add(logits_of_sequences);
    layer.attention_spread.add(attention_of_sequences);
    layer.entropy_spread.add(entropy_of_sequences);
    layer.sink_spread.add(sink_of_sequences);
    const torch::Tensor channels = covariance_of_sequences.to(torch::kCPU);
    layer.contribution_spread.add(covariance_parts(layer, channels), channels.sum(-1, true));
}

void AttentionProbe::map_attention(Layer& layer, const torch::Tensor& query, const torch::Tensor& key,
                                   const LayerTerms& terms) const {
    const std::int64_t size = request_.map_size;
    const torch::Tensor q = query.select(0, 0).narrow(1, 0, size);  // (heads, size, head_dim)
    const torch::Tensor k = key.select(0, 0).narrow(1, 0, size);
    const double scale = 1.0 / std::sqrt(static_cast<double>(query.size(-1)));
    const torch::Tensor positions = torch::arange(size, torch::TensorOptions(torch::kInt64).device(q.device()));
    const torch::Tensor hidden = hidden_keys(positions, positions, terms.window);
    torch::Tensor logits = torch::matmul(q, k.transpose(1, 2)) * scale;
    const torch::Tensor slopes = terms.slopes();
    if (slopes.defined()) logits = logits + distance_bias(slopes, positions, positions);
    const torch::Tensor relative = relative_logits(
        terms.relative, {0, q.unsqueeze(0), k.unsqueeze(0), logits.unsqueeze(0), positions, positions, hidden});
    if (relative.defined()) logits = logits + relative.squeeze(0);
    const torch::Tensor masked = logits.masked_fill(hidden, -std::numeric_limits<double>::infinity());
    layer.map = softmax_with_sinks(masked.unsqueeze(0), terms.sinks)[0];
    if (request_.map_pair < 0) return;
    const std::int64_t pair = request_.map_pair;
    const std::int64_t pairs = plan_.layers.front().query_channels() / 2;
    const auto part = [&](std::int64_t channel) {
        return q.select(2, channel).unsqueeze(2) * k.select(2, channel).unsqueeze(1);
    };
    layer.pair_map = ((part(pair) + part(pair + pairs)) * scale).masked_fill(hidden, 0);
}

torch::Tensor AttentionProbe::covariance_parts(const Layer& layer, const torch::Tensor& channels) {
    const torch::Tensor own = sum_of_pairs(channels) * layer.own_elements;
    return torch::cat({own, channels.sum(-1, true) - own.sum(-1, true)}, -1);
}

torch::Tensor AttentionProbe::logit_contributions(const Layer& layer, const torch::Tensor& covariance) {
    const torch::Tensor channels = covariance.to(torch::kCPU);
    const torch::Tensor parts = covariance_parts(layer, channels);
    const torch::Tensor total = channels.sum(1, true);
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
        result.stream_rms = to_array(stream_squares_, tokens * real(plan_.sizes.C));
        for (float& number : result.stream_rms.values) number = std::sqrt(number);
        result.stream_largest = to_array(stream_largest_);
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
    // A sequence has `length − Δ` queries with a key at distance Δ, unless the sliding windows of all layers hide it.
    std::int64_t distances = 0;
    for (const LayerPlan& layer : plan_.layers) {
        const Scores* scores = layer.scores();
        if (scores) distances = std::max(distances, std::min(scores->window.value_or(result.length), result.length));
    }
    if (distances == 0) return;
    std::vector<torch::Tensor> contributions;
    std::vector<torch::Tensor> weighted_contributions;
    std::vector<torch::Tensor> logits;
    std::vector<torch::Tensor> attention;
    const torch::Tensor queries =
        torch::arange(result.length, result.length - distances, -1, torch::kInt64).to(torch::kFloat64) * sequences;
    const auto mean = [&](const torch::Tensor& sums) { return sums.narrow(1, 0, distances).to(torch::kCPU) / queries; };
    for (const Layer& layer : layers_) {
        if (!layer.logits.defined()) {  // a layer without attention weights
            for (auto* parts : {&contributions, &weighted_contributions, &logits, &attention}) parts->emplace_back();
            continue;
        }
        contributions.push_back(logit_contributions(layer, layer.covariance));
        weighted_contributions.push_back(logit_contributions(layer, layer.weighted_covariance));
        logits.push_back(mean(layer.logits));
        attention.push_back(mean(layer.attention_sums));
    }
    for (std::int64_t distance = 0; distance < distances; ++distance) result.distances.push_back(distance);
    result.logit_contribution = to_array(contributions);
    result.weighted_logit_contribution = to_array(weighted_contributions);
    result.logit_by_distance = to_array(logits);
    result.attention_by_distance = to_array(attention);
    const auto queries_after_first = static_cast<double>(result.length - 1);
    result.entropy = collect(&Layer::entropy, sequences * queries_after_first);
    result.sink = collect(&Layer::sink, sequences * queries_after_first);
    if (result.sequences < 2) return;

    const auto errors = [&](SequenceSums Layer::*member, const auto& divide) {
        std::vector<torch::Tensor> parts;
        for (const Layer& layer : layers_) {
            parts.push_back(layer.logits.defined() ? divide((layer.*member).standard_error().to(torch::kCPU))
                                                   : torch::Tensor());
        }
        return to_array(parts);
    };
    const auto per_query = [&](const torch::Tensor& sums) { return sums / queries_after_first; };
    const auto per_distance = [&](const torch::Tensor& sums) {
        return sums.narrow(1, 0, distances) / (queries / sequences);
    };
    result.logit_by_distance_error = errors(&Layer::logit_spread, per_distance);
    result.attention_by_distance_error = errors(&Layer::attention_spread, per_distance);
    result.entropy_error = errors(&Layer::entropy_spread, per_query);
    result.sink_error = errors(&Layer::sink_spread, per_query);
    std::vector<torch::Tensor> contribution_errors;
    for (const Layer& layer : layers_) {
        contribution_errors.push_back(layer.logits.defined() ? layer.contribution_spread.standard_error()
                                                             : torch::Tensor());
    }
    result.logit_contribution_error = to_array(contribution_errors);
}

}  // namespace ropelab
