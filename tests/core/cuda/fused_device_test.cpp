// Compares values and gradients of the device operations, with emulated kernels, with those of the CPU operations.
#include "core/model/fused_device.h"

#include <gtest/gtest.h>

#include <functional>

#include "core/model/linear.h"
#include "core/train/amx_guard.h"
#include "tests/core/cuda/device_memory.h"
#include "tests/core/cuda/emulated_device.h"
#include "tests/support/expect_message.h"

namespace ropelab {
namespace {

using cuda::device_is_here;
using Tensors = std::vector<torch::Tensor>;
using Function = std::function<torch::Tensor(const Tensors&)>;

constexpr std::int64_t runs = 2;
constexpr std::int64_t rows = 37;  // not a multiple of any block or vector size

torch::Tensor random(std::vector<std::int64_t> shape) {
    return torch::randn(shape);
}

// Returns the value and then the gradient of each input, for a fixed gradient of the value.
Tensors outcome(const Tensors& inputs, const Function& f) {
    Tensors leaves;
    for (const torch::Tensor& input : inputs) leaves.push_back(input.clone().requires_grad_(true));
    const torch::Tensor value = f(leaves).to(torch::kFloat32);
    torch::manual_seed(5);
    const torch::Tensor along = torch::randn(value.sizes());
    Tensors result = torch::autograd::grad({(value * along).sum()}, leaves);
    result.insert(result.begin(), value.detach());
    return result;
}

void expect_the_cpus(const Tensors& inputs, const Function& f, double tolerance = 1e-5) {
    const Tensors wanted = outcome(inputs, f);
    const EmulatedDevice device;
    const Tensors got = outcome(inputs, f);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        ASSERT_EQ(got[i].sizes(), wanted[i].sizes());
        const double size = wanted[i].abs().max().item<double>();
        EXPECT_LE((got[i] - wanted[i]).abs().max().item<double>(), tolerance * size)
            << (i == 0 ? std::string("value") : "gradient of input " + std::to_string(i - 1));
    }
}

class FusedDevice : public testing::Test {
 protected:
    void SetUp() override {
        SKIP_WITHOUT_DEVICE();
        avoid_broken_amx();
        torch::manual_seed(3);
    }
};

// The widths include those for which a warp keeps the row in registers and one for which it loads the row again.
TEST_F(FusedDevice, ResidualNormWithDropoutAndBias) {
    const Dropout dropout(0.3, {1, 2}, 7);
    for (std::int64_t width : {24, 136, 7}) {
        for (Norm norm : {Norm::layer, Norm::rms}) {
            SCOPED_TRACE(testing::Message() << width << " columns, rms " << (norm == Norm::rms));
            expect_the_cpus({random({runs, rows, width}), random({runs, rows, width}), random({runs, width}),
                             random({runs, width})},
                            [&](const Tensors& in) {
                                const NormalizedResidual both =
                                    residual_norm(in[0], in[1], in[2], in[3], dropout, "here", norm);
                                return torch::cat({both.sum, both.normed}, 2);
                            });
        }
    }
}

TEST_F(FusedDevice, NormWithoutABranchUsesWeightsFromLongerRows) {
    expect_the_cpus({random({runs, rows, 16}), random({runs, 50})}, [](const Tensors& in) {
        const NormalizedResidual both = residual_norm(in[0], {}, in[1].narrow(1, 10, 16), {}, {}, "");
        return both.sum * 0.5 + both.normed;
    });
}

TEST_F(FusedDevice, ResidualNormHasTheTypeOfTheBranch) {
    expect_the_cpus(
        {random({runs, rows, 24}), random({runs, rows, 24}), random({runs, 24})},
        [&](const Tensors& in) {
            const bool device = has_device_kernels(in[0]);
            const torch::Tensor branch = device ? in[1].to(torch::kBFloat16) : in[1];
            const NormalizedResidual both = residual_norm(in[0], branch, in[2], {}, {}, "here");
            EXPECT_EQ(both.sum.scalar_type(), torch::kFloat32);
            EXPECT_EQ(both.normed.scalar_type(), branch.scalar_type());
            return torch::cat({both.sum, both.normed.to(torch::kFloat32)}, 2);
        },
        0.02);
}

TEST_F(FusedDevice, ActivationFunctionsInBothTypes) {
    for (const auto curve : {&gelu_activation, &swiglu_activation}) {
        for (const auto type : {torch::kFloat32, torch::kBFloat16}) {
            expect_the_cpus(
                {random({runs, rows, 24})},
                [&](const Tensors& in) {
                    return curve(has_device_kernels(in[0]) ? in[0].to(type) : in[0]).to(torch::kFloat32);
                },
                type == torch::kFloat32 ? 1e-5 : 0.01);
        }
    }
}

TEST_F(FusedDevice, LookUpSumsTheGradientsOfAToken) {
    for (const auto& [vocabulary, count] : {std::pair(5L, 700L), std::pair(40L, 300L)}) {  // two parts and one part
        const torch::Tensor tokens = torch::randint(0, vocabulary, {runs, count}, torch::kInt64);
        expect_the_cpus({random({runs, vocabulary * 20 + 3})}, [&](const Tensors& in) {
            const torch::Tensor table = in[0].narrow(1, 1, vocabulary * 20).view({runs, vocabulary, 20});
            return look_up(table, tokens);
        });
    }
}

TEST_F(FusedDevice, TokenLossesWithAPaddedVocabulary) {
    const torch::Tensor targets = torch::randint(0, 65, {runs, rows}, torch::kInt64);
    for (std::int64_t padded : {65, 128}) {
        expect_the_cpus({random({runs, rows, padded}) * 4},
                        [&](const Tensors& in) { return token_losses(in[0].narrow(2, 0, 65), targets); });
    }
}

TEST_F(FusedDevice, DropoutMatchesTheCpu) {
    const Dropout dropout(0.3, {1, 2}, 7);
    const torch::Tensor x = random({runs, 5, 13});
    const torch::Tensor wanted = dropout(x, "embedding");
    expect_the_cpus({x}, [&](const Tensors& in) { return dropout(in[0], "embedding"); });
    // Dropout uses the step in device memory, not the one that the host passes.
    const EmulatedDevice device;
    const auto streams = std::make_shared<DeviceStreams>(std::vector<std::int64_t>{1, 2}, 7, torch::kCPU);
    EXPECT_TRUE(torch::equal(Dropout(0.3, {1, 2}, 0, streams)(x, "embedding"), wanted));
    EXPECT_EQ(streams->keys("dropout:embedding").data_ptr(), streams->keys("dropout:embedding").data_ptr());
}

TEST_F(FusedDevice, LinearUsesTheWeightsOfEachRun) {
    const Tensors inputs = {random({runs, rows, 12}), random({runs, 9, 12}), random({runs, 9})};
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        expect_the_cpus(
            inputs,
            [&](const Tensors& in) {
                return linear(in[0], {in[1], {}}, in[2], precision);
            },
            precision == Precision::float32 ? 1e-5 : 0.02);
    }
}

TEST_F(FusedDevice, LinearUsesTheRoundedCopyOfTheWeights) {
    const Tensors inputs = {random({runs, rows, 12}), random({runs, 9, 12})};
    const auto product = [](const Tensors& in, const torch::Tensor& working, Precision precision) {
        return linear(in[0], {in[1], working}, {}, precision);
    };
    const auto expect_equal = [&] {
        const auto outcomes = [&](const torch::Tensor& working, Precision precision) {
            return outcome(inputs, [&](const Tensors& in) { return product(in, working, precision); });
        };
        const Tensors rounded = outcomes({}, Precision::bfloat16);
        const Tensors read = outcomes(inputs[1].to(torch::kBFloat16), Precision::bfloat16);
        const Tensors exact = outcomes({}, Precision::float32);
        const Tensors unread = outcomes(torch::zeros_like(inputs[1]).to(torch::kBFloat16), Precision::float32);
        for (std::size_t i = 0; i < rounded.size(); ++i) {
            EXPECT_TRUE(torch::equal(read[i], rounded[i])) << i;
            EXPECT_TRUE(torch::equal(unread[i], exact[i])) << i;
        }
    };
    expect_equal();
    const EmulatedDevice device;
    expect_equal();
}

TEST_F(FusedDevice, AFailedLaunchNamesTheKernel) {
    const EmulatedDevice device;
    EXPECT_MESSAGE(check_launch(device_kernels(torch::kCPU), 1, "rotate_qkv"), std::runtime_error,
                   "The device refused the kernel rotate_qkv: invalid argument.");
}

}  // namespace
}  // namespace ropelab
