#include "core/engine/attention/position.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/base/error.h"
#include "core/rope/encodings.h"

namespace ropelab {

namespace {

// Null for other encodings than xPos.
const Rotary* decaying(const ModelPlan& plan) {
    const Rotary* rotary = plan.rotary();
    return rotary && rotary->kind == Rotary::Kind::decaying ? rotary : nullptr;
}

// LayerTerms::shifted of each layer; the runs shift keys in the same layers, but not in the same channels.
std::vector<torch::Tensor> shifted_channels(std::span<const ModelPlan> runs, torch::Device device) {
    std::vector<torch::Tensor> result(runs.front().layers.size());
    bool shifts = false;
    for (std::size_t layer = 0; layer < result.size(); ++layer) {
        std::vector<torch::Tensor> rows;
        for (const ModelPlan& run : runs) {
            const auto* part = std::get_if<Softmax>(&run.layers[layer].attention);
            if (!part || part->shifted_channels.empty()) break;
            const std::vector<std::uint8_t> channels(part->shifted_channels.begin(), part->shifted_channels.end());
            rows.push_back(torch::tensor(c10::ArrayRef<std::uint8_t>(channels)).to(torch::kBool));
        }
        if (rows.size() < runs.size()) continue;
        result[layer] = torch::stack(rows).view({std::ssize(runs), 1, 1, 1, -1}).to(device);
        shifts = true;
    }
    if (!shifts) result.clear();
    return result;
}

PositionTerms terms_without_tables(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device) {
    const ModelPlan& shape = runs.front();
    const std::int64_t width = shape.sizes.C.value_or(0);
    PositionTerms terms;
    if (shape.embedding.positions == Embedding::Positions::sinusoidal) {
        terms.embeddings = sinusoids(positions, width, shape.embedding.base).to(device);
    }
    const auto scored = std::ranges::find_if(shape.layers, [](const LayerPlan& layer) { return layer.scores(); });
    if (scored != shape.layers.end())
        terms.relative = relative_table(scored->scores()->relative, {scored->heads(), width, positions}, device);
    if (decaying(shape)) terms.decays = xpos_decays(runs, device);
    terms.shifted = shifted_channels(runs, device);
    return terms;
}

// (…, heads, head_dim), with xPos' decay to the power of the distance from the middle of the sequence.
torch::Tensor encoded(const torch::Tensor& x, const LayerTerms& terms, double sign) {
    const torch::Tensor rotated = terms.tables.defined() ? apply_rotation(x, terms.tables) : x;
    if (!terms.decay.defined()) return rotated;
    const std::int64_t time = rotated.size(2);
    const torch::Tensor positions = torch::arange(time, torch::TensorOptions(torch::kFloat64).device(rotated.device()));
    return decayed(rotated, terms.decay, sign * (positions - time / 2));
}

}  // namespace

torch::Tensor LayerTerms::slopes() const {
    const auto* alibi = std::get_if<AlibiTerms>(&relative);
    return alibi ? alibi->slopes : torch::Tensor();
}

bool LayerTerms::only_products() const {
    const bool is_fused = std::holds_alternative<PlainScores>(relative) || std::holds_alternative<AlibiTerms>(relative);
    return is_fused && !decay.defined() && soft_cap == 0;
}

LayerTerms PositionTerms::layer(std::int64_t index, const Scores& scores, const Parameters& weights) const {
    return {.tables = tables.at(index),
            .window = scores.window.value_or(0),
            .relative = relative_terms(scores.relative, relative, weights, index),
            .decay = decays.empty() ? torch::Tensor() : decays[static_cast<std::size_t>(index)],
            .soft_cap = scores.soft_cap,
            .shifted = shifted.empty() ? torch::Tensor() : shifted[static_cast<std::size_t>(index)],
            .sinks = scores.has_sinks ? weights.get("layers." + std::to_string(index) + ".attention.sinks")
                                      : torch::Tensor()};
}

torch::Tensor PositionTerms::positions_of(std::int64_t time, torch::Device device) const {
    if (positions.defined()) return positions;
    return torch::arange(first, first + time, torch::TensorOptions(torch::kInt64).device(device));
}

PositionTerms position_terms(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                             const Parameters* weights) {
    if (const Rotary* xpos = decaying(runs.front()); xpos && !fits_xpos(positions, xpos->scale_base)) {
        throw BadInput("A sequence of " + std::to_string(positions) +
                       " tokens is too long for xPos, the position encoding of this model, because the decay of xPos "
                       "would leave the range of float32; use a shorter sequence.");
    }
    PositionTerms terms = terms_without_tables(runs, positions, device);
    terms.tables = layer_tables(runs, positions, device, weights);
    return terms;
}

PositionSource::PositionSource(std::span<const ModelPlan> runs, std::int64_t positions, torch::Device device,
                               const Parameters* weights)
    : tables_(runs, positions, device, weights), terms_(terms_without_tables(runs, positions, device)) {
    const Scores* scores = runs.front().scores();
    has_distances_ = scores && has_row_per_distance(scores->relative);
    for (const LayerPlan& layer : runs.front().layers) {
        visible_tokens_ = std::max(visible_tokens_, layer.visible_tokens);
    }
}

PositionTerms PositionSource::at(std::int64_t first, std::int64_t count) const {
    PositionTerms terms = terms_;
    terms.tables = tables_.at(first, count);
    if (terms.embeddings.defined()) terms.embeddings = terms.embeddings.narrow(0, first, count);
    if (has_distances_) terms.relative = terms.relative.narrow(0, 0, first + count);
    terms.first = first;
    return terms;
}

PositionTerms PositionSource::at(const torch::Tensor& positions) const {
    PositionTerms terms = terms_;
    terms.tables = tables_.at(positions);
    if (terms.embeddings.defined()) terms.embeddings = terms.embeddings.index_select(0, positions);
    // A cache has the keys of the visible tokens only.
    if (has_distances_) terms.relative = terms.relative.narrow(0, 0, std::min(terms.relative.size(0), visible_tokens_));
    terms.positions = positions;
    return terms;
}

bool PositionSource::ends_before(std::int64_t position) const {
    return tables_.ends_before(position) || (terms_.embeddings.defined() && terms_.embeddings.size(0) <= position);
}

torch::Tensor encoded_queries(const torch::Tensor& queries, const LayerTerms& terms) {
    return encoded(queries, terms, 1);
}

torch::Tensor encoded_keys(const torch::Tensor& keys, const LayerTerms& terms) {
    return encoded(keys, terms, -1);
}

torch::Tensor logit_mask(const LayerTerms& terms, const torch::Tensor& queries, const torch::Tensor& keys,
                         torch::ScalarType type) {
    const torch::Tensor hidden = hidden_keys(queries, keys, terms.window);
    const torch::Tensor slopes = terms.slopes();
    const torch::Tensor bias = slopes.defined() ? distance_bias(slopes, queries, keys).to(type)
                                                : torch::zeros({1, queries.size(0), keys.size(0)},
                                                               torch::TensorOptions(type).device(queries.device()));
    return bias.masked_fill(hidden, -std::numeric_limits<double>::infinity());
}

}  // namespace ropelab
