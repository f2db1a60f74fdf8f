#include <gtest/gtest.h>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t runs = 2;

// Returns random tokens. A quarter of them is token 0, similar to spaces in a text; the last token does not occur.
std::vector<std::int64_t> some_tokens(std::int64_t rows, std::int64_t vocabulary) {
    std::vector<std::int64_t> tokens;
    std::uint32_t state = 77;
    for (std::int64_t i = 0; i < runs * rows; ++i) {
        state = state * 1664525U + 1013904223U;
        tokens.push_back(state >> 30 == 0 ? 0 : (state >> 8) % (vocabulary - 1));
    }
    return tokens;
}

void compare(std::int64_t rows, std::int64_t vocabulary, std::int64_t columns, std::int64_t parts) {
    SCOPED_TRACE(testing::Message() << rows << " rows, " << vocabulary << " tokens in the vocabulary, " << columns
                                    << " columns");
    ASSERT_EQ(embedding_parts(rows, vocabulary), parts);
    const auto tokens = some_tokens(rows, vocabulary);
    const auto gradient = some_numbers(static_cast<std::size_t>(runs * rows * columns), 41);
    const std::int64_t table = vocabulary * columns;
    const std::int64_t stride = table + 4;
    std::vector<float> wanted(static_cast<std::size_t>(runs * stride), -1.0F);
    for (std::int64_t run = 0; run < runs; ++run) {
        float* grad_table = wanted.data() + run * stride;
        std::fill_n(grad_table, table, 0.0F);
        kernels::scatter_rows(gradient.data() + run * rows * columns, tokens.data() + run * rows, rows, columns,
                              grad_table, 0, columns);
    }
    const OnDevice<float> d_gradient(gradient);
    const OnDevice<std::int64_t> d_tokens(tokens);
    const OnDevice<float> grad_table(wanted.size(), -1.0F);
    const OnDevice<float> workspace(parts > 1 ? static_cast<std::size_t>(runs * parts * table) : 0);
    ASSERT_EQ(
        ropelab_cuda_kernels()->embedding_gradient({runs, rows, vocabulary, columns, d_gradient.data(), d_tokens.data(),
                                                    grad_table.data(), stride, parts > 1 ? workspace.data() : nullptr},
                                                   nullptr),
        0);
    expect_near(grad_table.host(), wanted, 1e-5);

    // The second run alone gives bitwise equal results.
    const OnDevice<float> alone(static_cast<std::size_t>(table));
    ASSERT_EQ(ropelab_cuda_kernels()->embedding_gradient(
                  {1, rows, vocabulary, columns, d_gradient.data() + rows * columns, d_tokens.data() + rows,
                   alone.data(), table, parts > 1 ? workspace.data() : nullptr},
                  nullptr),
              0);
    const auto both = grad_table.host();
    EXPECT_EQ(alone.host(), std::vector<float>(both.begin() + stride, both.begin() + stride + table));
}

KERNEL_TEST(EmbeddingKernel, GradientsAreSumsOverTheRowsOfAToken) {
    SKIP_WITHOUT_DEVICE();
    compare(1300, 9, 40, 3);
    compare(600, 1030, 3, 1);
    compare(5, 4, 600, 1);
}

KERNEL_TEST(EmbeddingKernel, CopiesRows) {
    SKIP_WITHOUT_DEVICE();
    constexpr std::int64_t rows = 21;
    constexpr std::int64_t vocabulary = 6;
    constexpr std::int64_t columns = 40;
    constexpr std::int64_t stride = vocabulary * columns + 8;
    const auto tokens = some_tokens(rows, vocabulary);
    const auto table = some_numbers(runs * stride, 42);
    std::vector<float> wanted(runs * rows * columns);
    for (std::int64_t run = 0; run < runs; ++run) {
        kernels::gather_rows(table.data() + run * stride, tokens.data() + run * rows, columns,
                             wanted.data() + run * rows * columns, 0, rows);
    }
    const OnDevice<float> d_table(table);
    const OnDevice<std::int64_t> d_tokens(tokens);
    const OnDevice<float> out(wanted.size());
    ASSERT_EQ(ropelab_cuda_kernels()->look_up(
                  {runs, rows, columns, d_table.data(), stride, d_tokens.data(), out.data()}, nullptr),
              0);
    EXPECT_EQ(out.host(), wanted);
}

}  // namespace
}  // namespace ropelab::cuda
