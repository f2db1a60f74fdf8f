#include "core/model/attention/position.h"

#include <limits>

#include "core/rope/encodings.h"

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

}  // namespace

torch::Tensor PositionTerms::positions_of(std::int64_t time, torch::Device device) const {
    if (positions.defined()) return positions;
    return torch::arange(first, first + time, torch::TensorOptions(torch::kInt64).device(device));
}

PositionTerms position_terms(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                             const TableChanges& changes, const Parameters* weights) {
    const RunSpec& shape = runs.front();
    return {.tables = layer_tables(runs, positions, device, changes, weights),
            .slopes = slopes_of(shape, device),
            .window = shape.attention_window,
            .embeddings = embeddings_of(shape, positions, device)};
}

PositionSource::PositionSource(std::span<const RunSpec> runs, std::int64_t positions, torch::Device device,
                               const TableChanges& changes, const Parameters* weights)
    : tables_(runs, positions, device, changes, weights),
      slopes_(slopes_of(runs.front(), device)),
      window_(runs.front().attention_window),
      embeddings_(embeddings_of(runs.front(), positions, device)) {}

PositionTerms PositionSource::at(std::int64_t first, std::int64_t count) const {
    return {.tables = tables_.at(first, count),
            .slopes = slopes_,
            .window = window_,
            .embeddings = embeddings_.defined() ? embeddings_.narrow(0, first, count) : embeddings_,
            .first = first};
}

PositionTerms PositionSource::at(const torch::Tensor& positions) const {
    return {.tables = tables_.at(positions),
            .slopes = slopes_,
            .window = window_,
            .embeddings = embeddings_.defined() ? embeddings_.index_select(0, positions) : embeddings_,
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
