#include "core/engine/probe/pair_means.h"

namespace ropelab {

namespace {

// (1, sequences, time, heads, head_dim) → (heads, head_dim).
torch::Tensor vector_sums(const torch::Tensor& x) {
    return x.sum(c10::IntArrayRef{0, 1, 2}, false, torch::kFloat64);
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

}  // namespace

void PairMeans::observe(std::int64_t layer, const LayerVectors& vectors) {
    Layer& sums = layers_[static_cast<std::size_t>(layer)];
    const torch::Tensor query = vector_sums(vectors.query);
    const torch::Tensor key = vector_sums(vectors.key);
    sums.query = sums.query.defined() ? sums.query + query : query;
    sums.key = sums.key.defined() ? sums.key + key : key;
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

void remove_pairs(const std::vector<std::int64_t>& pairs, LayerVectors& vectors) {
    vectors.query = vectors.query.clone();
    const std::int64_t half = vectors.query.size(-1) / 2;
    for (const std::int64_t pair : pairs) {
        vectors.query.select(-1, pair).zero_();
        vectors.query.select(-1, pair + half).zero_();
    }
}

}  // namespace ropelab
