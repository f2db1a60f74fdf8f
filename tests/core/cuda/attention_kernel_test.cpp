#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "core/cuda/cuda_kernels.h"
#include "core/spec/random_stream.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t step = 3;
constexpr std::int64_t seeds[] = {11, 12};
constexpr char place[] = "dropout:layers.0.attention";

struct Shape {
    std::int64_t time;
    std::int64_t heads;
    std::int64_t key_value_heads;
    std::int64_t head_dim;
    double rate;
    std::int64_t runs = 2;
    std::int64_t batch = 2;

    std::int64_t width() const { return (heads + 2 * key_value_heads) * head_dim; }
    std::int64_t qkv_size() const { return runs * batch * time * width(); }
    std::int64_t mixed_size() const { return runs * batch * time * heads * head_dim; }
    std::int64_t rows() const { return runs * batch * heads * time; }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(head_dim)); }
};

struct Result {
    std::vector<float> mixed;
    std::vector<float> log_sums;
    std::vector<float> of_qkv;
};

// By definition, in double. `mixed`, where given, are the rounded ones that the gradient begins with.
Result by_definition(const Shape& shape, const std::vector<float>& qkv, const std::vector<float>& of_mixed) {
    const auto n = shape.head_dim;
    const auto all = shape.heads + 2 * shape.key_value_heads;
    std::vector<double> mixed(static_cast<std::size_t>(shape.mixed_size()));
    std::vector<double> of_qkv(qkv.size());
    Result result;
    for (std::int64_t run = 0; run < shape.runs; ++run) {
        std::vector<float> factors(static_cast<std::size_t>(shape.batch * shape.heads * shape.time * shape.time), 1.0F);
        if (shape.rate > 0) RandomStream(seeds[run], place).fill_dropout(factors, shape.rate, step, 0);
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

Result on_device(const Shape& shape, const std::vector<Bfloat16>& qkv, const std::vector<Bfloat16>& of_mixed) {
    std::vector<StreamKey> run_keys;
    for (std::int64_t run = 0; run < shape.runs; ++run) run_keys.push_back(stream_key(seeds[run], place));
    const OnDevice<StreamKey> keys(run_keys);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    const OnDevice<Bfloat16> given(qkv);
    const OnDevice<Bfloat16> mixed(static_cast<std::size_t>(shape.mixed_size()), to_bfloat16(NAN));
    const OnDevice<float> log_sums(static_cast<std::size_t>(shape.rows()), NAN);
    const auto words = static_cast<std::size_t>(shape.runs * shape.batch * shape.heads * causal_words(shape.time));
    const OnDevice<std::uint32_t> drawn(words);
    const bool drops = shape.rate > 0;
    const CausalAttention args = {
        .runs = shape.runs,
        .batch = shape.batch,
        .time = shape.time,
        .heads = shape.heads,
        .key_value_heads = shape.key_value_heads,
        .head_dim = shape.head_dim,
        .scale = static_cast<float>(shape.scale()),
        .dropout = {drops ? keys.data() : nullptr, now.data(), shape.rate},
        .qkv = given.data(),
        .mixed = mixed.data(),
        .log_sums = log_sums.data(),
        .drawn = drops ? drawn.data() : nullptr,
    };
    EXPECT_EQ(ropelab_cuda_kernels()->causal_attention(args, nullptr), 0);
    const OnDevice<Bfloat16> gradient(of_mixed);
    const OnDevice<Bfloat16> of_qkv(qkv.size(), to_bfloat16(NAN));
    const OnDevice<float> along(static_cast<std::size_t>(shape.rows()), NAN);
    EXPECT_EQ(ropelab_cuda_kernels()->causal_attention_backward({args, gradient.data(), of_qkv.data(), along.data()},
                                                                nullptr),
              0);
    return {widened(mixed.host()), log_sums.host(), widened(of_qkv.host())};
}

// Shares and their gradients are rounded on the way: relative to the largest.
void expect_close(const std::vector<float>& got, const std::vector<float>& wanted, double tolerance) {
    ASSERT_EQ(got.size(), wanted.size());
    double largest = 0;
    for (float value : wanted) largest = std::max(largest, std::abs(double{value}));
    for (std::size_t i = 0; i < got.size(); ++i) {
        ASSERT_NEAR(got[i], wanted[i], tolerance * largest) << "number " << i << " of " << got.size();
    }
}

void compare(const Shape& shape) {
    SCOPED_TRACE(testing::Message() << "time " << shape.time << ", heads " << shape.heads << " of "
                                    << shape.key_value_heads << ", " << shape.head_dim << " channels, rate "
                                    << shape.rate);
    std::vector<float> numbers = some_numbers(static_cast<std::size_t>(shape.qkv_size()), 31);
    for (float& number : numbers) number *= 2;
    const auto qkv = rounded(numbers);
    const auto of_mixed = rounded(some_numbers(static_cast<std::size_t>(shape.mixed_size()), 32));
    const Result wanted = by_definition(shape, widened(qkv), widened(of_mixed));
    const Result got = on_device(shape, qkv, of_mixed);
    expect_close(got.mixed, wanted.mixed, 0.006);
    expect_near(got.log_sums, wanted.log_sums, 1e-5);
    expect_close(got.of_qkv, wanted.of_qkv, 0.01);
}

KERNEL_TEST(AttentionKernel, IsTheDefinitionInBothDirections) {
    SKIP_WITHOUT_DEVICE();
    for (double rate : {0.0, 0.2}) {
        compare({.time = 64, .heads = 2, .key_value_heads = 2, .head_dim = 64, .rate = rate});
        compare({.time = 132, .heads = 1, .key_value_heads = 1, .head_dim = 32, .rate = rate});
        compare({.time = 20, .heads = 4, .key_value_heads = 2, .head_dim = 32, .rate = rate});
    }
}

KERNEL_TEST(AttentionKernel, RefusesWhatItDoesNotServe) {
    SKIP_WITHOUT_DEVICE();
    CausalAttention args{};
    args.runs = args.batch = args.heads = args.key_value_heads = 1;
    args.time = 64;
    args.head_dim = 48;
    EXPECT_NE(ropelab_cuda_kernels()->causal_attention(args, nullptr), 0);
    args.head_dim = 64;
    args.time = 63;
    EXPECT_NE(ropelab_cuda_kernels()->causal_attention_backward({args, nullptr, nullptr, nullptr}, nullptr), 0);
}

}  // namespace
}  // namespace ropelab::cuda
