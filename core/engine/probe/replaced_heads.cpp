#include "core/engine/probe/replaced_heads.h"

#include "core/engine/attention/reference.h"

namespace ropelab {

namespace {

// x, (runs, batch, time, heads, head_dim), with `vector` in one head, encoded by position.
template <typename Encoded>
torch::Tensor with_vector(const torch::Tensor& x, std::int64_t head, const std::vector<double>& vector,
                          const Encoded& encoded) {
    const torch::Tensor numbers =
        torch::tensor(c10::ArrayRef<double>(vector), torch::kFloat64).to(x.device(), x.scalar_type());
    // Each head can have its own angles, so that the vector is rotated in its place among all heads.
    torch::Tensor placed = torch::zeros({1, 1, x.size(2), x.size(3), x.size(4)}, x.options());
    placed.select(3, head).copy_(numbers.expand_as(placed.select(3, head)));
    placed = encoded(placed);
    torch::Tensor result = x.clone();
    torch::Tensor channels = result.select(3, head);
    channels.copy_(placed.select(3, head).expand_as(channels));
    return result;
}

}  // namespace

void replace_head(const ReplacedHead& replaced, LayerVectors& vectors, const LayerTerms& terms) {
    vectors = reference_attention::repeat_heads(std::move(vectors));
    vectors.query = with_vector(vectors.query, replaced.head, replaced.query,
                                [&](const torch::Tensor& placed) { return encoded_queries(placed, terms); });
    vectors.key = with_vector(vectors.key, replaced.head, replaced.key,
                              [&](const torch::Tensor& placed) { return encoded_keys(placed, terms); });
}

}  // namespace ropelab
