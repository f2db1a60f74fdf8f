#include "tests/core/kernels/attention_by_definition.h"

#include "core/base/random_stream.h"

namespace ropelab {

AttentionResult attention_by_definition(const AttentionShape& shape, const DropoutOfRuns& dropout,
                                        const Guarded<float>& qkv, const Guarded<float>& grad_mixed) {
    const auto n = shape.head_dim;
    const auto all = shape.heads + 2 * shape.key_value_heads;
    std::vector<double> mixed(static_cast<std::size_t>(shape.mixed_size()));
    std::vector<double> grad_qkv(qkv.size());
    AttentionResult result;
    for (std::int64_t run = 0; run < shape.runs; ++run) {
        Guarded<float> factors(static_cast<std::size_t>(shape.batch * shape.heads * shape.time * shape.time), 1.0F);
        if (shape.rate > 0) {
            const std::int64_t seed = dropout.seeds[static_cast<std::size_t>(run)];
            RandomStream(seed, dropout.what).fill_dropout(factors, shape.rate, dropout.step, 0);
        }
        for (std::int64_t item = 0; item < shape.batch * shape.heads; ++item) {
            const std::int64_t window = run * shape.batch + item / shape.heads;
            const std::int64_t head = item % shape.heads;
            const std::int64_t shared = head / (shape.heads / shape.key_value_heads);
            const auto at = [&](std::int64_t row, std::int64_t its_head) {
                return static_cast<std::size_t>(((window * shape.time + row) * all + its_head) * n);
            };
            for (std::int64_t row = 0; row < shape.time; ++row) {
                const std::size_t query = at(row, head);
                const auto out = static_cast<std::size_t>(((window * shape.time + row) * shape.heads + head) * n);
                std::vector<double> weights;
                double total = 0;
                for (std::int64_t other = 0; other <= row; ++other) {
                    const std::size_t key = at(other, shape.heads + shared);
                    double score = 0;
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c)
                        score += double{qkv[query + c]} * qkv[key + c];
                    weights.push_back(std::exp(score * shape.scale()));
                    total += weights.back();
                }
                result.log_sums.push_back(static_cast<float>(std::log2(total)));
                double along = 0;
                std::vector<double> grad_weights;
                for (std::int64_t other = 0; other <= row; ++other) {
                    double& weight = weights[static_cast<std::size_t>(other)];
                    weight /= total;
                    const double factor =
                        factors[static_cast<std::size_t>((item * shape.time + row) * shape.time + other)];
                    const std::size_t value = at(other, shape.heads + shape.key_value_heads + shared);
                    double grad_weight = 0;
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
                        mixed[out + c] += weight * factor * qkv[value + c];
                        grad_weight += factor * grad_mixed[out + c] * qkv[value + c];
                        grad_qkv[value + c] += weight * factor * grad_mixed[out + c];
                    }
                    grad_weights.push_back(grad_weight);
                    along += weight * grad_weight;
                }
                for (std::int64_t other = 0; other <= row; ++other) {
                    const std::size_t key = at(other, shape.heads + shared);
                    const auto o = static_cast<std::size_t>(other);
                    const double grad_score = weights[o] * (grad_weights[o] - along) * shape.scale();
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
                        grad_qkv[query + c] += grad_score * qkv[key + c];
                        grad_qkv[key + c] += grad_score * qkv[query + c];
                    }
                }
            }
        }
    }
    result.mixed.assign(mixed.begin(), mixed.end());
    result.grad_qkv.assign(grad_qkv.begin(), grad_qkv.end());
    return result;
}

}  // namespace ropelab
