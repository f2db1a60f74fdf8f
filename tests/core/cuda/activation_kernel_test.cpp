#include <gtest/gtest.h>

#include <cmath>

#include "core/cuda/cuda_kernels.h"
#include "core/kernels/kernels.h"
#include "tests/core/cuda/compare.h"
#include "tests/core/cuda/device_memory.h"

namespace ropelab::cuda {
namespace {

template <typename T>
std::vector<T> converted(const std::vector<float>& values, float by) {
    std::vector<T> result;
    for (float value : values) result.push_back(from_float<T>(by * value));
    return result;
}

template <typename T>
void compare_gelu(std::size_t count, Type type, double tolerance) {
    SCOPED_TRACE(testing::Message() << count << " numbers, bfloat16 " << (type == Type::bfloat16));
    const std::vector<T> in = converted<T>(some_numbers(count, 43), 8);
    const std::vector<T> gradient = converted<T>(some_numbers(count, 44), 2);
    std::vector<float> wanted;
    std::vector<float> grad_x;
    for (std::size_t i = 0; i < count; ++i) {
        const double x = to_float(in[i]);
        const double below = 0.5 * std::erfc(-x / std::sqrt(2.0));
        const double density = std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0));
        wanted.push_back(static_cast<float>(x * below));
        grad_x.push_back(static_cast<float>(to_float(gradient[i]) * (below + x * density)));
    }
    const OnDevice<T> d_in(in);
    const OnDevice<T> d_out(count);
    const auto size = static_cast<std::int64_t>(count);
    ASSERT_EQ(ropelab_cuda_kernels()->gelu_curve({size, type, d_in.data(), d_out.data()}, nullptr), 0);
    expect_near(widened(d_out.host()), wanted, tolerance);
    const OnDevice<T> d_gradient(gradient);
    ASSERT_EQ(ropelab_cuda_kernels()->gelu_curve_backward(
                  {size, type, d_in.data(), d_gradient.data(), d_gradient.data()}, nullptr),
              0);
    expect_near(widened(d_gradient.host()), grad_x, tolerance);
}

template <typename T>
void compare(std::int64_t width, Type type, double tolerance) {
    SCOPED_TRACE(testing::Message() << "width " << width << ", bfloat16 " << (type == Type::bfloat16));
    constexpr std::int64_t rows = 3;
    const auto size = static_cast<std::size_t>(rows * width);
    const std::vector<T> in = converted<T>(some_numbers(2 * size, 41), 4);
    const std::vector<T> gradient = converted<T>(some_numbers(size, 42), 4);
    const std::vector<float> x = widened(in);
    const std::vector<float> along = widened(gradient);
    std::vector<float> wanted(size);
    std::vector<float> grad_x(2 * size);
    for (std::int64_t row = 0; row < rows; ++row) {
        const float* gate = x.data() + row * 2 * width;
        float* grad_gate = grad_x.data() + row * 2 * width;
        kernels::swiglu(gate, gate + width, wanted.data() + row * width, width);
        kernels::swiglu_backward(gate, gate + width, along.data() + row * width, grad_gate, grad_gate + width, width);
    }

    const OnDevice<T> d_in(in);
    const OnDevice<T> d_out(size);
    ASSERT_EQ(ropelab_cuda_kernels()->swiglu({rows, width, type, d_in.data(), d_out.data()}, nullptr), 0);
    expect_near(widened(d_out.host()), wanted, tolerance);
    const OnDevice<T> d_gradient(gradient);
    const OnDevice<T> d_of_in(2 * size);
    ASSERT_EQ(ropelab_cuda_kernels()->swiglu_backward(
                  {rows, width, type, d_in.data(), d_gradient.data(), d_of_in.data()}, nullptr),
              0);
    expect_near(widened(d_of_in.host()), grad_x, tolerance);
}

KERNEL_TEST(ActivationKernel, GeluMatchesTheFormulaForwardAndBackward) {
    SKIP_WITHOUT_DEVICE();
    for (std::size_t count : {6000U, 2053U}) {
        compare_gelu<float>(count, Type::float32, 1e-6);
        compare_gelu<Bfloat16>(count, Type::bfloat16, bfloat16_tolerance);
    }
}

// The widths are multiples of the vector size, more than one block processes at a time, and others.
KERNEL_TEST(ActivationKernel, SwigluMatchesTheCpuForwardAndBackward) {
    SKIP_WITHOUT_DEVICE();
    for (std::int64_t width : {40, 2056, 13}) {
        compare<float>(width, Type::float32, 2e-6);
        compare<Bfloat16>(width, Type::bfloat16, bfloat16_tolerance);
    }
}

}  // namespace
}  // namespace ropelab::cuda
