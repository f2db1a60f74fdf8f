#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>
#include <thread>
#include <vector>

#include "core/base/random_stream.h"
#include "core/kernels/kernels.h"
#include "tests/core/kernels/attention_by_definition.h"
#include "tests/support/guarded.h"

namespace ropelab::kernels {
namespace {

const DropoutOfRuns dropout = {"dropout:layers.0.attention", {11, 12}, 3};

Guarded<float> random_numbers(std::int64_t count, unsigned seed) {
    std::mt19937 generator(seed);
    std::normal_distribution<float> normal;
    Guarded<float> numbers(static_cast<std::size_t>(count));
    for (float& number : numbers) number = normal(generator);
    return numbers;
}

struct Tables {
    Guarded<float> cosine;
    Guarded<float> sine;
    RotaryTable row() const { return {cosine.data(), sine.data()}; }
};
Tables some_tables(const AttentionShape& shape) {
    const auto count = static_cast<std::size_t>(shape.time * shape.head_dim / 2);
    Tables tables = {Guarded<float>(count), Guarded<float>(count)};
    for (std::size_t i = 0; i < count; ++i) {
        tables.cosine[i] = std::cos(0.3F * static_cast<float>(i));
        tables.sine[i] = std::sin(0.3F * static_cast<float>(i));
    }
    return tables;
}

// Rotates the queries and keys in qkv, or their gradients. A direction of 1 rotates, as the kernel does before
// attention; −1 rotates back, as the kernel does with gradients.
Guarded<float> rotated(const AttentionShape& shape, const Tables& tables, Guarded<float> qkv, float direction) {
    const std::int64_t pairs = shape.head_dim / 2;
    for (std::int64_t row = 0; row < shape.runs * shape.batch * shape.time; ++row) {
        const std::int64_t at = row % shape.time * pairs;
        rotate_heads(qkv.data() + row * shape.width(), shape.heads + shape.key_value_heads, shape.head_dim,
                     tables.cosine.data() + at, tables.sine.data() + at, direction);
    }
    return qkv;
}

AttentionResult by_kernel(const AttentionShape& shape, const Tables& tables, const Guarded<float>& qkv,
                          const Guarded<float>& grad_mixed) {
    AttentionResult result;
    result.mixed.assign(static_cast<std::size_t>(shape.mixed_size()), NAN);
    result.grad_qkv.assign(qkv.size(), NAN);
    const std::int64_t groups = shape.batch * shape.key_value_heads;
    for (std::int64_t run = 0; run < shape.runs; ++run) {
        const RandomStream stream(dropout.seeds[static_cast<std::size_t>(run)], dropout.what);
        const CausalAttention<float> args = {.time = shape.time,
                                             .heads = shape.heads,
                                             .key_value_heads = shape.key_value_heads,
                                             .head_dim = shape.head_dim,
                                             .qkv = qkv.data() + run * shape.qkv_size() / shape.runs,
                                             .table = tables.row(),
                                             .dropout = {shape.rate > 0 ? &stream : nullptr, shape.rate, dropout.step}};
        const std::int64_t mixed = run * shape.mixed_size() / shape.runs;
        float* out = result.mixed.data() + mixed;
        attend(args, out, 0, 1);
        attend(args, out, 1, groups);
        float* grad_qkv = result.grad_qkv.data() + run * shape.qkv_size() / shape.runs;
        attend_backward(args, grad_mixed.data() + mixed, grad_qkv, 0, groups - 1);
        attend_backward(args, grad_mixed.data() + mixed, grad_qkv, groups - 1, groups);
    }
    return result;
}

void expect_near(const Guarded<float>& got, const Guarded<float>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], 2e-5 * std::max(1.0F, std::abs(wanted[i]))) << i;
}

TEST(Attention, MatchesTheReferenceForwardAndBackward) {
    for (const double rate : {0.0, 0.3}) {
        std::vector<AttentionShape> shapes = {
            {1, 1, 1, 2, rate}, {64, 1, 1, 32, rate}, {70, 4, 2, 40, rate}, {34, 6, 1, 64, rate}};
        // Each number of a head's pairs, and of queries, beyond whole registers.
        for (std::int64_t some = 1; some <= 17; ++some) shapes.push_back({16 + some, 2, 2, 2 * some, rate});
        for (const AttentionShape& shape : shapes) {
            SCOPED_TRACE(testing::Message()
                         << "time " << shape.time << ", heads " << shape.heads << " of " << shape.key_value_heads
                         << ", " << shape.head_dim << " channels, rate " << shape.rate);
            const Tables tables = some_tables(shape);
            const Guarded<float> qkv = random_numbers(shape.qkv_size(), 1);
            const Guarded<float> grad_mixed = random_numbers(shape.mixed_size(), 2);
            const AttentionResult got = by_kernel(shape, tables, qkv, grad_mixed);
            const AttentionResult wanted =
                attention_by_definition(shape, dropout, rotated(shape, tables, qkv, 1), grad_mixed);
            expect_near(got.mixed, wanted.mixed);
            expect_near(got.grad_qkv, rotated(shape, tables, wanted.grad_qkv, -1));
        }
    }
}

// Where the processor multiplies pairs, both factors of products are rounded too.
TEST(Attention, InBfloat16IsThatInFloat32Rounded) {
    for (const std::int64_t head_dim : {2, 14, 20, 34}) {
        SCOPED_TRACE(head_dim);
        const AttentionShape shape = {
            .time = 37, .heads = 4, .key_value_heads = 2, .head_dim = head_dim, .rate = 0.3, .runs = 1};
        const Tables tables = some_tables(shape);
        const auto rounded = [](const Guarded<float>& numbers) {
            Guarded<Bfloat16> result(numbers.size());
            std::transform(numbers.begin(), numbers.end(), result.begin(), to_bfloat16);
            return result;
        };
        const auto widened = [](const Guarded<Bfloat16>& numbers) {
            Guarded<float> result(numbers.size());
            std::transform(numbers.begin(), numbers.end(), result.begin(), to_float);
            return result;
        };
        const Guarded<Bfloat16> qkv = rounded(random_numbers(shape.qkv_size(), 1));
        const Guarded<Bfloat16> grad_mixed = rounded(random_numbers(shape.mixed_size(), 2));
        const Guarded<float> wide = widened(qkv);
        const AttentionResult exact = by_kernel(shape, tables, wide, widened(grad_mixed));
        const RandomStream stream(dropout.seeds.front(), dropout.what);
        const CausalAttention<Bfloat16> args = {.time = shape.time,
                                                .heads = shape.heads,
                                                .key_value_heads = shape.key_value_heads,
                                                .head_dim = shape.head_dim,
                                                .qkv = qkv.data(),
                                                .table = tables.row(),
                                                .dropout = {&stream, shape.rate, dropout.step}};
        Guarded<Bfloat16> mixed(grad_mixed.size());
        Guarded<Bfloat16> grad_qkv(qkv.size());
        const std::int64_t groups = shape.batch * shape.key_value_heads;
        attend(args, mixed.data(), 0, groups);
        attend_backward(args, grad_mixed.data(), grad_qkv.data(), 0, groups);
        const auto expect_rounded = [&](const Guarded<Bfloat16>& got, const Guarded<float>& wanted) {
            const Guarded<float> numbers = widened(got);
            double squares = 0;
            double error = 0;
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                squares += wanted[i] * wanted[i];
                error += std::pow(numbers[i] - wanted[i], 2);
            }
            EXPECT_LT(std::sqrt(error / squares), 0.0045);  // rounding alone: 0.0017
            EXPECT_GT(squares, 0);
        };
        expect_rounded(mixed, exact.mixed);
        expect_rounded(grad_qkv, exact.grad_qkv);
    }
}

// Threads take the parts of few groups in turns; no bit depends on who computes which.
TEST(Attention, InTurnsItIsTheSame) {
    const AttentionShape shape = {.time = 300, .heads = 6, .key_value_heads = 3, .head_dim = 20, .rate = 0, .runs = 1};
    const Tables tables = some_tables(shape);
    const Guarded<float> qkv = random_numbers(shape.qkv_size(), 1);
    const Guarded<float> grad_mixed = random_numbers(shape.mixed_size(), 2);
    const Guarded<float> expected = by_kernel(shape, tables, qkv, grad_mixed).mixed;
    for (const std::int64_t window : {0, 7}) {
        CausalAttention<float> args = {.time = shape.time,
                                       .heads = shape.heads,
                                       .key_value_heads = shape.key_value_heads,
                                       .head_dim = shape.head_dim,
                                       .qkv = qkv.data(),
                                       .table = tables.row(),
                                       .window = window,
                                       .dropout = {}};
        Guarded<float> whole(expected.size(), NAN);
        const std::int64_t groups = shape.batch * shape.key_value_heads;
        attend(args, whole.data(), 0, groups);
        if (window == 0) {
            EXPECT_EQ(whole, expected);
        }
        Guarded<float> mixed(expected.size(), NAN);
        std::atomic<std::int64_t> next = 0;
        std::thread other([&] { attend_in_turns(args, mixed.data(), groups, next); });
        attend_in_turns(args, mixed.data(), groups, next);
        other.join();
        EXPECT_EQ(mixed, whole) << window;
    }
}

// A gate that is not a number has no position among CoPE's entries.
TEST(Attention, CopePassesOnNumbersThatAreNotFinite) {
    const AttentionShape shape = {
        .time = 40, .heads = 1, .key_value_heads = 1, .head_dim = 16, .rate = 0, .runs = 1, .batch = 1};
    Guarded<float> qkv = random_numbers(shape.qkv_size(), 1);
    constexpr std::int64_t changed = 35;
    qkv[static_cast<std::size_t>(changed * shape.width() + shape.head_dim)] = NAN;  // of its key
    const Guarded<float> entries = random_numbers(5 * shape.head_dim, 2);
    const CausalAttention<float> args = {.time = shape.time,
                                         .heads = 1,
                                         .key_value_heads = 1,
                                         .head_dim = shape.head_dim,
                                         .qkv = qkv.data(),
                                         .table = {},
                                         .relative = {.count = 5, .keys = entries.data(), .by_gates = true},
                                         .dropout = {}};
    Guarded<float> mixed(static_cast<std::size_t>(shape.mixed_size()));
    Guarded<float> grad_qkv(qkv.size());
    Guarded<float> grad_entries(entries.size());
    attend(args, mixed.data(), 0, 1);
    attend_backward(args, mixed.data(), grad_qkv.data(), 0, 1, {.keys = grad_entries.data()});
    for (std::int64_t i = 0; i < shape.mixed_size(); ++i)
        EXPECT_EQ(std::isnan(mixed[static_cast<std::size_t>(i)]), i >= changed * shape.head_dim) << i;
    EXPECT_TRUE(std::isnan(grad_entries.back()));
}

// A change at one position must not affect earlier positions or other sequences.
TEST(Attention, IsCausal) {
    const AttentionShape shape = {.time = 40, .heads = 1, .key_value_heads = 1, .head_dim = 16, .rate = 0, .runs = 1};
    const Tables tables = some_tables(shape);
    Guarded<float> qkv = random_numbers(shape.qkv_size(), 1);
    const Guarded<float> grad_mixed = random_numbers(shape.mixed_size(), 2);
    const AttentionResult before = by_kernel(shape, tables, qkv, grad_mixed);
    constexpr std::int64_t changed = 35;  // position in the first sequence
    for (std::int64_t i = 0; i < shape.width(); ++i) qkv[static_cast<std::size_t>(changed * shape.width() + i)] += 1;
    const AttentionResult after = by_kernel(shape, tables, qkv, grad_mixed);
    for (std::int64_t i = 0; i < shape.mixed_size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        const std::int64_t row = i / shape.head_dim;
        if (row < changed || row >= shape.time) {
            EXPECT_EQ(before.mixed[at], after.mixed[at]) << row;
        } else {
            EXPECT_NE(before.mixed[at], after.mixed[at]) << row;
        }
    }
}

}  // namespace
}  // namespace ropelab::kernels
