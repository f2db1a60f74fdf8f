#include "tests/core/kernels/attention_by_definition.h"

#include "core/spec/random_stream.h"

namespace ropelab {

AttentionResult attention_by_definition(const AttentionShape& shape, const DropoutOfRuns& dropout,
                                        const std::vector<float>& qkv, const std::vector<float>& of_mixed) {
    const auto n = shape.head_dim;
    const auto all = shape.heads + 2 * shape.key_value_heads;
    std::vector<double> mixed(static_cast<std::size_t>(shape.mixed_size()));
    std::vector<double> of_qkv(qkv.size());
    AttentionResult result;
    for (std::int64_t run = 0; run < shape.runs; ++run) {
        std::vector<float> factors(static_cast<std::size_t>(shape.batch * shape.heads * shape.time * shape.time), 1.0F);
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
                std::vector<double> shares;
                double total = 0;
                for (std::int64_t other = 0; other <= row; ++other) {
                    const std::size_t key = at(other, shape.heads + shared);
                    double score = 0;
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c)
                        score += double{qkv[query + c]} * qkv[key + c];
                    shares.push_back(std::exp(score * shape.scale()));
                    total += shares.back();
                }
                result.log_sums.push_back(static_cast<float>(std::log2(total)));
                double along = 0;
                std::vector<double> of_shares;
                for (std::int64_t other = 0; other <= row; ++other) {
                    double& share = shares[static_cast<std::size_t>(other)];
                    share /= total;
                    const double factor =
                        factors[static_cast<std::size_t>((item * shape.time + row) * shape.time + other)];
                    const std::size_t value = at(other, shape.heads + shape.key_value_heads + shared);
                    double of_share = 0;
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
                        mixed[out + c] += share * factor * qkv[value + c];
                        of_share += factor * of_mixed[out + c] * qkv[value + c];
                        of_qkv[value + c] += share * factor * of_mixed[out + c];
                    }
                    of_shares.push_back(of_share);
                    along += share * of_share;
                }
                for (std::int64_t other = 0; other <= row; ++other) {
                    const std::size_t key = at(other, shape.heads + shared);
                    const auto o = static_cast<std::size_t>(other);
                    const double of_score = shares[o] * (of_shares[o] - along) * shape.scale();
                    for (std::size_t c = 0; c < static_cast<std::size_t>(n); ++c) {
                        of_qkv[query + c] += of_score * qkv[key + c];
                        of_qkv[key + c] += of_score * qkv[query + c];
                    }
                }
            }
        }
    }
    result.mixed.assign(mixed.begin(), mixed.end());
    result.of_qkv.assign(of_qkv.begin(), of_qkv.end());
    return result;
}

}  // namespace ropelab
