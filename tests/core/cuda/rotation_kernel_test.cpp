#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

constexpr std::int64_t runs = 2;
constexpr std::int64_t time = 5;
constexpr std::int64_t batch = 3;
constexpr std::int64_t heads = 4;

struct Tables {
    std::vector<float> cosine;
    std::vector<float> sine;
};

// Returns the rotation tables of all runs. The second half of the last run's pairs is not rotated.
Tables tables(std::int64_t pairs) {
    Tables result;
    for (std::int64_t run = 0; run < runs; ++run) {
        for (std::int64_t position = 0; position < time; ++position) {
            for (std::int64_t i = 0; i < pairs; ++i) {
                const bool still = run == runs - 1 && 2 * i >= pairs;
                const double theta = run == 0 ? 100.0 : 200.0;
                const double exponent = static_cast<double>(i) / static_cast<double>(pairs);
                const double angle = still ? 0.0 : static_cast<double>(position) * std::pow(theta, -exponent);
                result.cosine.push_back(static_cast<float>(std::cos(angle)));
                result.sine.push_back(static_cast<float>(std::sin(angle)));
            }
        }
    }
    return result;
}

// Converts the index of an element from the pairing `half` to the pairing `interleaved`.
std::size_t interleaved(std::size_t at, std::int64_t head_dim) {
    const auto d = static_cast<std::size_t>(head_dim);
    const std::size_t c = at % d;
    return at - c + (c < d / 2 ? 2 * c : 2 * (c - d / 2) + 1);
}

template <typename T>
void compare(std::int64_t key_value_heads, std::int64_t head_dim, Pairing pairing, bool backward, Type type,
             double tolerance) {
    const std::int64_t rows = batch * time;
    const std::int64_t all = heads + 2 * key_value_heads;
    const std::int64_t size = rows * all * head_dim;
    const Tables table = tables(head_dim / 2);
    std::vector<float> given = some_numbers(static_cast<std::size_t>(runs * size), 9);
    if (type == Type::bfloat16) given = widened(rounded(given));
    std::vector<float> wanted = given;
    const std::int64_t table_size = time * head_dim / 2;
    for (std::int64_t run = 0; run < runs; ++run) {
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t at = run * table_size + row % time * head_dim / 2;
            kernels::rotate_heads(wanted.data() + run * size + row * all * head_dim, heads + key_value_heads, head_dim,
                                  table.cosine.data() + at, table.sine.data() + at, backward ? -1.0F : 1.0F);
        }
    }
    if (pairing == Pairing::interleaved) {
        const auto permute = [&](std::vector<float>& values) {
            std::vector<float> moved(values.size());
            for (std::size_t i = 0; i < values.size(); ++i) moved[interleaved(i, head_dim)] = values[i];
            values = moved;
        };
        permute(given);
        permute(wanted);
    }
    std::vector<T> data;
    for (float value : given) data.push_back(from_float<T>(value));
    const OnDevice<T> qkv(data);
    const OnDevice<float> cosine(table.cosine);
    const OnDevice<float> sine(table.sine);
    ASSERT_EQ(ropelab_cuda_kernels()->rotate_qkv({.runs = runs,
                                                  .rows = rows,
                                                  .time = time,
                                                  .heads = heads,
                                                  .key_value_heads = key_value_heads,
                                                  .head_dim = head_dim,
                                                  .type = type,
                                                  .pairing = pairing,
                                                  .qkv = qkv.data(),
                                                  .cosine = cosine.data(),
                                                  .sine = sine.data(),
                                                  .backward = backward},
                                                 nullptr),
              0);
    std::vector<float> got;
    for (T value : qkv.host()) got.push_back(to_float(value));
    expect_near(got, wanted, tolerance);
}

// The head dimensions cover all vector sizes: 8 (for 64), 4 (for 24) and 1 (for 6).
KERNEL_TEST(RotationKernel, RotatesQAndKOfEveryRunButNotV) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t head_dim : {64, 24, 6}) {
        for (Pairing pairing : {Pairing::half, Pairing::interleaved}) {
            for (bool backward : {false, true}) {
                SCOPED_TRACE(testing::Message() << "head_dim " << head_dim << ", interleaved "
                                                << (pairing == Pairing::interleaved) << ", backward " << backward);
                for (std::int64_t key_value_heads : {4, 2, 1}) {
                    compare<float>(key_value_heads, head_dim, pairing, backward, Type::float32, 1e-6);
                    compare<Bfloat16>(key_value_heads, head_dim, pairing, backward, Type::bfloat16, bfloat16_tolerance);
                }
            }
        }
    }
}

KERNEL_TEST(RotationKernel, RejectsAnOddHeadDimension) {
    SKIP_WITHOUT_DEVICE();
    const int error = ropelab_cuda_kernels()->rotate_qkv({.runs = 1,
                                                          .rows = 1,
                                                          .time = 1,
                                                          .heads = 1,
                                                          .key_value_heads = 1,
                                                          .head_dim = 3,
                                                          .type = Type::float32,
                                                          .pairing = Pairing::half,
                                                          .qkv = nullptr,
                                                          .cosine = nullptr,
                                                          .sine = nullptr,
                                                          .backward = false},
                                                         nullptr);
    EXPECT_STREQ(ropelab_cuda_kernels()->error_text(error), "invalid argument");
}

}  // namespace
}  // namespace ropelab::cuda
