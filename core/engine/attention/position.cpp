#include "core/engine/attention/position.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "core/rope/encodings.h"
#include "core/spec/error.h"
#include "core/spec/selection.h"

namespace ropelab {

namespace {

torch::Tensor slopes_of(const RunSpec& shape, torch::Device device) {
    if (shape.position != Position::alibi) return {};
    const std::vector<double> slopes = alibi_slopes(static_cast<std::size_t>(shape.heads));
    return torch::tensor(c10::ArrayRef<double>(slopes), torch::kFloat32).to(device);
}

torch::Tensor embeddings_of(const RunSpec& shape, std::int64_t positions, torch::Device device) {
    if (shape.position != Position::sinusoidal) return {};
    const std::vector<double> rows =
        sinusoidal_embeddings(static_cast<std::size_t>(positions), static_cast<std::size_t>(shape.width));
    return torch::tensor(c10::ArrayRef<double>(rows), torch::kFloat32).view({positions, shape.width}).to(device);
}

torch::Tensor buckets_of(const RunSpec& shape, torch::Device device) {
    if (!shape.has_distance_bias()) return {};
    const std::vector<int> buckets =
        t5_buckets(static_cast<std::size_t>(shape.largest_distance + 1), static_cast<int>(shape.distance_buckets),
                   static_cast<int>(shape.largest_distance));
    return torch::tensor(c10::ArrayRef<int>(buckets), torch::kInt64).to(device);
}

torch::Tensor distances_of(const RunSpec& shape, std::int64_t distances, torch::Device device) {
    if (shape.position != Position::transformer_xl) return {};
    const std::vector<double> rows =
        sinusoidal_embeddings(static_cast<std::size_t>(distances), static_cast<std::size_t>(shape.width));
    return torch::tensor(c10::ArrayRef<double>(rows), torch::kFloat32).view({distances, shape.width}).to(device);
}

// ln ζ/scale_base of each layer, run and pair, with 0 for pairs that a run does not rotate.
std::vector<torch::Tensor> decays_of(std::span<const RunSpec> runs, torch::Device device) {
    if (runs.front().position != Position::xpos) return {};
    std::vector<torch::Tensor> result;
    const RunSpec& shape = runs.front();
    for (std::int64_t layer = 0; layer < shape.layers; ++layer) {
        torch::Tensor& decay = result.emplace_back(
            torch::zeros({static_cast<std::int64_t>(runs.size()), shape.head_dim() / 2}, torch::kFloat64));
        for (std::size_t run = 0; run < runs.size(); ++run) {
            const RunSpec& spec = runs[run];
            if (!selection(spec.rotated_layers, spec.layers, "rotated_layers")[static_cast<std::size_t>(layer)])
                continue;
            const int rotated = rotary_dim(spec.head_dim(), spec.fraction);
            const auto chosen = selection(spec.pairs, spec.head_dim() / 2, "pairs");
            const std::vector<double> factors = xpos_decay(spec.partial == Partial::slice ? rotated : spec.head_dim());
            for (int pair = 0; pair < rotated / 2; ++pair) {
                const auto index = static_cast<std::size_t>(pair);
                if (chosen[index]) {
                    decay[static_cast<std::int64_t>(run)][pair] = std::log(factors[index]) / spec.xpos_scale_base;
                }
            }
        }
        decay = decay.to(device);
    }
    return result;
}

// (…, queries, n) at the index of each query and key, (queries, keys) → (…, queries, keys).
torch::Tensor by_key(const torch::Tensor& x, const torch::Tensor& indices) {
    std::vector<std::int64_t> shape(x.sizes().begin(), x.sizes().end());
    shape.back() = indices.size(1);
    return x.gather(-1, indices.expand(shape));
}

// (queries, keys); 0 for keys after the query, which attention masks.
torch::Tensor distances_between(const torch::Tensor& queries, const torch::Tensor& keys) {
    return (queries.unsqueeze(1) - keys.unsqueeze(0)).clamp_min(0);
}

// Exponents of xPos' decay for sequences that start at position 0.
torch::Tensor centred_positions(const torch::Tensor& x) {
    const std::int64_t time = x.size(2);
    return torch::arange(time, torch::TensorOptions(torch::kFloat64).device(x.device())) - time / 2;
}

// Formula 43: (batch, heads, queries, keys).
torch::Tensor contextual_logits(const torch::Tensor& embeddings, const torch::Tensor& q, const torch::Tensor& products,
                                const torch::Tensor& hidden, const torch::Tensor& keys, const StageMarks& stages) {
    // The gates are summed from the newest key to the oldest one.
    const torch::Tensor newest_first = keys.argsort(0, true);
    const torch::Tensor gates = torch::sigmoid(products).masked_fill(hidden, 0);
    const torch::Tensor sums = gates.gather(-1, newest_first.expand_as(gates)).cumsum(-1);
    const torch::Tensor positions = sums.gather(-1, newest_first.argsort(0, false).expand_as(sums))
                                        .clamp_max(static_cast<double>(embeddings.size(0) - 1));
    const torch::Tensor lower = positions.detach().floor();
    const torch::Tensor weight = positions - lower;
    const torch::Tensor logits = torch::matmul(q, embeddings.transpose(0, 1));
    stages.output("attention.relative_keys", logits);
    return weight * logits.gather(-1, positions.detach().ceil().to(torch::kInt64)) +
           (1 - weight) * logits.gather(-1, lower.to(torch::kInt64));
}

// Without q·k (formula 41): (batch, heads, queries, keys).
torch::Tensor transformer_xl_logits(const LayerTerms& terms, std::int64_t run, const torch::Tensor& q,
                                    const torch::Tensor& k, const torch::Tensor& distance, const StageMarks& stages) {
    const std::int64_t heads = q.size(1);
    const std::int64_t head_dim = q.size(3);
    const torch::Tensor projection = terms.relative.projection.select(0, run).to(q.scalar_type());
    const torch::Tensor rows = torch::matmul(terms.distances.to(q.scalar_type()), projection.transpose(0, 1))
                                   .unflatten(1, {-1, head_dim});  // (distances, key_value_heads, head_dim)
    stages.computed("attention.relative");
    if (stages.wants_outputs()) stages.output("attention.relative", rows.flatten(1));
    const torch::Tensor by_head = rows.repeat_interleave(heads / rows.size(1), 1).permute({1, 2, 0});
    const torch::Tensor content_bias = terms.relative.content_bias.select(0, run).to(q.scalar_type());
    const torch::Tensor distance_query = terms.relative.distance_query.select(0, run).to(q.scalar_type());
    const torch::Tensor of_keys = torch::matmul(k, content_bias.unsqueeze(-1)).transpose(2, 3);
    const torch::Tensor of_distances = torch::matmul(q + distance_query.unsqueeze(1), by_head);
    stages.output("attention.relative_keys", of_distances);
    return (of_keys + by_key(of_distances, distance)) / std::sqrt(static_cast<double>(head_dim));
}

}  // namespace

LayerTerms PositionTerms::layer(std::int64_t index) const {
    return {.tables = tables.at(index),
            .slopes = slopes,
            .window = window,
            .buckets = buckets,
            .distances = distances,
            .decay = decays.empty() ? torch::Tensor() : decays[static_cast<std::size_t>(index)]};
}

torch::Tensor PositionTerms::positions_of(std::int64_t time, torch::Device device) const {
    if (positions.defined()) return positions;
    return torch::arange(first, first + time, torch::TensorOptions(torch::kInt64).device(device));
}

PositionTerms position_terms(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                             const TableChanges& changes, const Parameters* weights) {
    const RunSpec& shape = runs.front();
    if (shape.position == Position::xpos && !fits_xpos(positions, shape.xpos_scale_base)) {
        throw BadInput("A sequence of " + std::to_string(positions) +
                       " tokens is too long for the xPos of this model, because its decay would leave the range of "
                       "float32; use a shorter one.");
    }
    return {.tables = layer_tables(runs, positions, device, changes, weights),
            .slopes = slopes_of(shape, device),
            .window = shape.attention_window,
            .embeddings = embeddings_of(shape, positions, device),
            .buckets = buckets_of(shape, device),
            .distances = distances_of(shape, positions, device),
            .decays = decays_of(runs, device)};
}

PositionSource::PositionSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                               const TableChanges& changes, const Parameters* weights)
    : tables_(runs, positions, device, changes, weights),
      slopes_(slopes_of(runs.front(), device)),
      window_(runs.front().attention_window),
      embeddings_(embeddings_of(runs.front(), positions, device)),
      buckets_(buckets_of(runs.front(), device)),
      distances_(distances_of(runs.front(), positions, device)),
      decays_(decays_of(runs, device)),
      visible_tokens_(runs.front().visible_tokens()) {}

PositionTerms PositionSource::at(std::int64_t first, std::int64_t count) const {
    return {.tables = tables_.at(first, count),
            .slopes = slopes_,
            .window = window_,
            .embeddings = embeddings_.defined() ? embeddings_.narrow(0, first, count) : embeddings_,
            .buckets = buckets_,
            .distances = distances_.defined() ? distances_.narrow(0, 0, first + count) : distances_,
            .decays = decays_,
            .first = first};
}

PositionTerms PositionSource::at(const torch::Tensor& positions) const {
    return {.tables = tables_.at(positions),
            .slopes = slopes_,
            .window = window_,
            .embeddings = embeddings_.defined() ? embeddings_.index_select(0, positions) : embeddings_,
            .buckets = buckets_,
            // A cache has the keys of the visible tokens only.
            .distances = distances_.defined() ? distances_.narrow(0, 0, std::min(distances_.size(0), visible_tokens_))
                                              : distances_,
            .decays = decays_,
            .positions = positions};
}

bool PositionSource::ends_before(std::int64_t position) const {
    return tables_.ends_before(position) || (embeddings_.defined() && embeddings_.size(0) <= position);
}

torch::Tensor hidden_keys(const torch::Tensor& queries, const torch::Tensor& keys, std::int64_t window) {
    const torch::Tensor distance = queries.unsqueeze(1) - keys.unsqueeze(0);
    torch::Tensor hidden = distance.lt(0).logical_or_(keys.lt(0));
    return window > 0 ? hidden.logical_or_(distance.ge(window)) : hidden;
}

RelativeWeights relative_weights(const Parameters& weights, std::int64_t layer) {
    const std::string name = "layers." + std::to_string(layer) + ".attention.";
    return {.bias = weights.get("distance_bias.weight"),
            .keys = weights.get(name + "relative_keys.weight"),
            .values = weights.get(name + "relative_values.weight"),
            .content_bias = weights.get("content_bias.weight"),
            .distance_query = weights.get("distance_query.weight"),
            .projection = weights.get(name + "relative.weight"),
            .contextual = weights.get(name + "contextual.weight")};
}

torch::Tensor decayed(const torch::Tensor& x, const torch::Tensor& decay, const torch::Tensor& exponents) {
    const auto type = x.scalar_type() == torch::kFloat64 ? torch::kFloat64 : torch::kFloat32;
    const torch::Tensor powers = decay.view({-1, 1, 1, 1, decay.size(1)}) * exponents.view({1, 1, -1, 1, 1});
    const torch::Tensor factors = torch::exp(powers).to(type);
    return x.to(type) * torch::cat({factors, factors}, -1);
}

torch::Tensor encoded_queries(const torch::Tensor& queries, const LayerTerms& terms) {
    const torch::Tensor rotated = terms.tables.defined() ? apply_rotation(queries, terms.tables) : queries;
    return terms.decay.defined() ? decayed(rotated, terms.decay, centred_positions(rotated)) : rotated;
}

torch::Tensor encoded_keys(const torch::Tensor& keys, const LayerTerms& terms) {
    const torch::Tensor rotated = terms.tables.defined() ? apply_rotation(keys, terms.tables) : keys;
    return terms.decay.defined() ? decayed(rotated, terms.decay, -centred_positions(rotated)) : rotated;
}

torch::Tensor relative_logits(const LayerTerms& terms, std::int64_t run, const torch::Tensor& q, const torch::Tensor& k,
                              const torch::Tensor& products, const torch::Tensor& queries, const torch::Tensor& keys,
                              const StageMarks& stages) {
    const RelativeWeights& relative = terms.relative;
    const torch::Tensor distance = distances_between(queries, keys);
    const auto of_run = [&](const torch::Tensor& weights) { return weights.select(0, run).to(q.scalar_type()); };
    if (relative.bias.defined()) {
        const torch::Tensor capped = distance.clamp_max(terms.buckets.size(0) - 1);
        const torch::Tensor bucket = terms.buckets.index_select(0, capped.flatten()).view_as(capped);
        const torch::Tensor bias = of_run(relative.bias);  // (heads, buckets)
        if (stages.observer) stages.observer->contained("distances", -1, "attention.scores", stages.layer);
        return by_key(bias.unsqueeze(1).expand({-1, queries.size(0), -1}), bucket).unsqueeze(0);
    }
    if (relative.keys.defined()) {
        const torch::Tensor vectors = of_run(relative.keys);
        const torch::Tensor dots = torch::matmul(q, vectors.transpose(0, 1));
        stages.output("attention.relative_keys", dots);
        const torch::Tensor logits = dots / std::sqrt(static_cast<double>(q.size(3)));
        const torch::Tensor result = by_key(logits, distance.clamp_max(vectors.size(0) - 1));
        stages.computed("attention.relative_keys");
        return result;
    }
    if (relative.projection.defined()) {
        const torch::Tensor result =
            transformer_xl_logits(terms, run, q, k, distance.clamp_max(terms.distances.size(0) - 1), stages);
        stages.computed("attention.relative_keys");
        return result;
    }
    if (relative.contextual.defined()) {
        const torch::Tensor hidden = hidden_keys(queries, keys, terms.window);
        const torch::Tensor result = contextual_logits(of_run(relative.contextual), q, products, hidden, keys, stages);
        stages.computed("attention.relative_keys");
        return result;
    }
    return {};
}

torch::Tensor relative_values(const LayerTerms& terms, std::int64_t run, const torch::Tensor& attention,
                              const torch::Tensor& queries, const torch::Tensor& keys) {
    const torch::Tensor vectors = terms.relative.values.select(0, run).to(attention.scalar_type());
    const torch::Tensor index = distances_between(queries, keys).clamp_max(vectors.size(0) - 1);
    const torch::Tensor by_distance =
        torch::zeros({attention.size(0), attention.size(1), attention.size(2), vectors.size(0)}, attention.options())
            .scatter_add(-1, index.expand_as(attention), attention);
    return torch::matmul(by_distance, vectors);
}

torch::Tensor distance_bias(const torch::Tensor& slopes, const torch::Tensor& queries, const torch::Tensor& keys) {
    const torch::Tensor distance = (queries.unsqueeze(1) - keys.unsqueeze(0)).to(slopes.scalar_type());
    return -slopes.view({-1, 1, 1}) * distance;
}

torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type) {
    const torch::Tensor hidden = hidden_keys(queries, keys, terms.window);
    const auto options = torch::TensorOptions(type).device(queries.device());
    const torch::Tensor bias = terms.slopes.defined() ? distance_bias(terms.slopes, queries, keys).to(type)
                                                      : torch::zeros({1, queries.size(0), keys.size(0)}, options);
    return bias.masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace ropelab
