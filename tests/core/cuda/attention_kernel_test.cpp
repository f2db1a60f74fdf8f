#include <gtest/gtest.h>

#include <cmath>

#include "core/cuda/cuda_kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"
#include "tests/core/kernels/attention_by_definition.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t step = 3;
const std::vector<std::int64_t> seeds = {11, 12};
constexpr char place[] = "dropout:layers.0.attention";

AttentionResult on_device(const AttentionShape& shape, const std::vector<Bfloat16>& qkv,
                          const std::vector<Bfloat16>& of_mixed) {
    std::vector<StreamKey> run_keys;
    for (std::int64_t run = 0; run < shape.runs; ++run)
        run_keys.push_back(stream_key(seeds[static_cast<std::size_t>(run)], place));
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

void compare(const AttentionShape& shape) {
    SCOPED_TRACE(testing::Message() << "time " << shape.time << ", heads " << shape.heads << " of "
                                    << shape.key_value_heads << ", " << shape.head_dim << " channels, rate "
                                    << shape.rate);
    std::vector<float> numbers = some_numbers(static_cast<std::size_t>(shape.qkv_size()), 31);
    for (float& number : numbers) number *= 2;
    const auto qkv = rounded(numbers);
    const auto of_mixed = rounded(some_numbers(static_cast<std::size_t>(shape.mixed_size()), 32));
    const AttentionResult wanted =
        attention_by_definition(shape, {place, seeds, step}, widened(qkv), widened(of_mixed));
    const AttentionResult got = on_device(shape, qkv, of_mixed);
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
