#include <gtest/gtest.h>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "core/spec/random_stream.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t rows = 71;  // not a multiple of the part size or the block size
constexpr std::int64_t step = 12;
constexpr double rate = 0.2;

struct Case {
    std::int64_t columns;
    bool branch;
    bool bias;
    bool drops;
    Type type;
};

std::vector<float> inputs(const Case& c, std::size_t runs, std::uint32_t seed, bool in_type) {
    std::vector<float> values = some_numbers(runs * static_cast<std::size_t>(rows * c.columns), seed);
    return in_type && c.type == Type::bfloat16 ? widened(rounded(values)) : values;
}

template <typename T>
std::vector<T> typed(const std::vector<float>& values) {
    std::vector<T> result;
    for (float value : values) result.push_back(from_float<T>(value));
    return result;
}

// The results of the forward and backward pass, concatenated over the runs.
struct Results {
    std::vector<float> sum, normed, mean, inverse, grad_x, grad_branch, grad_weight, grad_bias;
};

std::vector<std::int64_t> seeds(std::size_t runs) {
    return runs == 1 ? std::vector<std::int64_t>{8} : std::vector<std::int64_t>{7, 8};
}

Results on_cpu(const Case& c, const std::vector<float>& x, const std::vector<float>& branch,
               const std::vector<float>& weight, const std::vector<float>& bias, const std::vector<float>& grad_sum,
               const std::vector<float>& grad_normalized) {
    const std::size_t runs = 2;
    const std::size_t size = static_cast<std::size_t>(rows * c.columns);
    const auto columns = static_cast<std::size_t>(c.columns);
    const std::int64_t blocks = kernels::blocks_of(rows);
    Results r{std::vector<float>(runs * size),    std::vector<float>(runs * size),   std::vector<float>(runs * rows),
              std::vector<float>(runs * rows),    std::vector<float>(runs * size),   std::vector<float>(runs * size),
              std::vector<float>(runs * columns), std::vector<float>(runs * columns)};
    for (std::size_t run = 0; run < runs; ++run) {
        const RandomStream stream(seeds(runs)[run], "dropout:here");
        kernels::DropoutNumbers numbers;
        if (c.drops) numbers = {&stream, rate, step};
        std::vector<float> mask(size);
        kernels::norm_forward<float, float>({.columns = c.columns,
                                             .x = x.data() + run * size,
                                             .branch = c.branch ? branch.data() + run * size : nullptr,
                                             .weight = weight.data() + run * columns,
                                             .bias = c.bias ? bias.data() + run * columns : nullptr,
                                             .dropout = numbers,
                                             .mask = mask.data(),
                                             .sum = r.sum.data() + run * size,
                                             .normed = r.normed.data() + run * size,
                                             .mean = r.mean.data() + run * rows,
                                             .inverse = r.inverse.data() + run * rows},
                                            rows, 0, blocks);
        std::vector<float> grad_weight(static_cast<std::size_t>(blocks) * columns);
        std::vector<float> grad_bias(grad_weight.size());
        kernels::norm_backward<float, float>({.columns = c.columns,
                                              .sum = (c.branch ? r.sum : x).data() + run * size,
                                              .mean = r.mean.data() + run * rows,
                                              .inverse = r.inverse.data() + run * rows,
                                              .weight = weight.data() + run * columns,
                                              .grad_sum = c.branch ? grad_sum.data() + run * size : nullptr,
                                              .grad_normalized = grad_normalized.data() + run * size,
                                              .mask = c.drops && c.branch ? mask.data() : nullptr,
                                              .grad_x = r.grad_x.data() + run * size,
                                              .grad_branch = c.branch ? r.grad_branch.data() + run * size : nullptr,
                                              .grad_weight = grad_weight.data(),
                                              .grad_bias = grad_bias.data()},
                                             rows, 0, blocks);
        for (std::size_t i = 0; i < grad_weight.size(); ++i) {
            r.grad_weight[run * columns + i % columns] += grad_weight[i];
            r.grad_bias[run * columns + i % columns] += grad_bias[i];
        }
    }
    return r;
}

template <typename T>
Results on_device(const Case& c, const std::vector<float>& x, const std::vector<float>& branch,
                  const std::vector<float>& weight, const std::vector<float>& bias, const std::vector<float>& grad_sum,
                  const std::vector<float>& grad_normalized) {
    const std::size_t size = x.size();
    const auto columns = static_cast<std::size_t>(c.columns);
    const std::size_t runs = size / (static_cast<std::size_t>(rows) * columns);
    // The weights are part of longer rows.
    const std::size_t stride = columns + 12;
    const auto spread = [&](const std::vector<float>& values) {
        std::vector<float> result(runs * stride);
        for (std::size_t i = 0; i < values.size(); ++i) result[i / columns * stride + i % columns] = values[i];
        return result;
    };
    const auto gathered = [&](const std::vector<float>& values) {
        std::vector<float> result;
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (i % stride < columns) result.push_back(values[i]);
        }
        return result;
    };
    std::vector<StreamKey> run_keys;
    for (std::int64_t seed : seeds(runs)) run_keys.push_back(stream_key(seed, "dropout:here"));
    const OnDevice<StreamKey> keys(run_keys);
    const OnDevice<std::int64_t> now(std::vector<std::int64_t>{step});
    const DropoutNumbers dropout{c.drops ? keys.data() : nullptr, now.data(), rate};

    const OnDevice<float> d_x(x);
    const OnDevice<T> d_branch(typed<T>(branch));
    const OnDevice<float> d_weight(spread(weight));
    const OnDevice<float> d_bias(spread(bias));
    const OnDevice<float> d_of_sum(grad_sum);
    const OnDevice<T> d_of_normed(typed<T>(grad_normalized));
    const OnDevice<float> sum(size);
    const OnDevice<T> normed(size);
    const OnDevice<float> mean(runs * rows);
    const OnDevice<float> inverse(runs * rows);
    const OnDevice<float> grad_x(size);
    const OnDevice<T> grad_branch(size);
    const OnDevice<float> grad_weight(runs * stride);
    const OnDevice<float> grad_bias(runs * stride);
    const OnDevice<float> workspace(2 * runs * static_cast<std::size_t>(norm_parts(rows)) * columns);
    const Kernels& kernels = *ropelab_cuda_kernels();
    EXPECT_EQ(kernels.residual_norm({.runs = static_cast<std::int64_t>(runs),
                                     .rows = rows,
                                     .columns = c.columns,
                                     .type = c.type,
                                     .x = d_x.data(),
                                     .branch = c.branch ? d_branch.data() : nullptr,
                                     .weight = d_weight.data(),
                                     .bias = c.bias ? d_bias.data() : nullptr,
                                     .stride = static_cast<std::int64_t>(stride),
                                     .dropout = dropout,
                                     .sum = sum.data(),
                                     .normed = normed.data(),
                                     .mean = mean.data(),
                                     .inverse = inverse.data()},
                                    nullptr),
              0);
    EXPECT_EQ(kernels.residual_norm_backward({.runs = static_cast<std::int64_t>(runs),
                                              .rows = rows,
                                              .columns = c.columns,
                                              .type = c.type,
                                              .sum = c.branch ? sum.data() : d_x.data(),
                                              .mean = mean.data(),
                                              .inverse = inverse.data(),
                                              .weight = d_weight.data(),
                                              .stride = static_cast<std::int64_t>(stride),
                                              .grad_sum = c.branch ? d_of_sum.data() : nullptr,
                                              .grad_normalized = d_of_normed.data(),
                                              .dropout = dropout,
                                              .grad_x = grad_x.data(),
                                              .grad_branch = c.branch ? grad_branch.data() : nullptr,
                                              .grad_weight = grad_weight.data(),
                                              .grad_bias = c.bias ? grad_bias.data() : nullptr,
                                              .gradient_stride = static_cast<std::int64_t>(stride),
                                              .workspace = workspace.data()},
                                             nullptr),
              0);
    return {sum.host(),
            widened(normed.host()),
            mean.host(),
            inverse.host(),
            grad_x.host(),
            widened(grad_branch.host()),
            gathered(grad_weight.host()),
            gathered(grad_bias.host())};
}

Results on_device_of_type(const Case& c, const std::vector<float>& x, const std::vector<float>& branch,
                          const std::vector<float>& weight, const std::vector<float>& bias,
                          const std::vector<float>& grad_sum, const std::vector<float>& grad_normalized) {
    return c.type == Type::float32 ? on_device<float>(c, x, branch, weight, bias, grad_sum, grad_normalized)
                                   : on_device<Bfloat16>(c, x, branch, weight, bias, grad_sum, grad_normalized);
}

void compare(const Case& c) {
    SCOPED_TRACE(testing::Message() << c.columns << " columns, branch " << c.branch << ", bias " << c.bias
                                    << ", dropout " << c.drops << ", bfloat16 " << (c.type == Type::bfloat16));
    const auto weights = 2 * static_cast<std::size_t>(c.columns);
    const auto x = inputs(c, 2, 1, false);
    const auto branch = inputs(c, 2, 2, true);
    const auto grad_sum = inputs(c, 2, 3, false);
    const auto grad_normalized = inputs(c, 2, 4, true);
    const auto weight = some_numbers(weights, 5);
    const auto bias = some_numbers(weights, 6);
    const Results wanted = on_cpu(c, x, branch, weight, bias, grad_sum, grad_normalized);
    const Results got = on_device_of_type(c, x, branch, weight, bias, grad_sum, grad_normalized);
    const double typed_tolerance = c.type == Type::float32 ? 1e-5 : bfloat16_tolerance;
    if (c.branch) expect_near(got.sum, wanted.sum, 1e-6);
    expect_near(got.normed, wanted.normed, typed_tolerance);
    expect_near(got.mean, wanted.mean, 1e-6);
    expect_near(got.inverse, wanted.inverse, 1e-5);
    expect_near(got.grad_x, wanted.grad_x, 1e-5);
    if (c.branch) expect_near(got.grad_branch, wanted.grad_branch, typed_tolerance);
    expect_near(got.grad_weight, wanted.grad_weight, 2e-5);
    if (c.bias) expect_near(got.grad_bias, wanted.grad_bias, 2e-5);

    // The second run alone gives bitwise equal results.
    const auto second = [](const std::vector<float>& values) {
        return std::vector<float>(values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
    };
    const Results alone = on_device_of_type(c, second(x), second(branch), second(weight), second(bias),
                                            second(grad_sum), second(grad_normalized));
    EXPECT_EQ(alone.normed, second(got.normed));
    EXPECT_EQ(alone.grad_x, second(got.grad_x));
    EXPECT_EQ(alone.grad_weight, second(got.grad_weight));
}

// Rows that stay in registers, with different numbers of groups per lane.
KERNEL_TEST(NormKernel, MatchesTheCpuForShortRows) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t columns : {64, 200, 384, 512, 520}) {
        compare({columns, true, columns != 384, true, Type::float32});
        compare({columns, true, false, columns != 64, Type::bfloat16});
    }
}

// Longer rows and rows whose length is not a multiple of four, whose dropout numbers begin within a group.
KERNEL_TEST(NormKernel, MatchesTheCpuForRowsOfAnyLength) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t columns : {1100, 33, 2}) {
        compare({columns, true, true, true, Type::float32});
        compare({columns, true, false, true, Type::bfloat16});
    }
}

KERNEL_TEST(NormKernel, MatchesTheCpuWithoutABranch) {
    SKIP_WITHOUT_DEVICE();
    compare({64, false, true, true, Type::float32});
    compare({33, false, false, false, Type::float32});
}

}  // namespace
}  // namespace ropelab::cuda
