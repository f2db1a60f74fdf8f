// Fused operations against the same formulas in double precision: values, and gradients against finite differences
// along random directions.
#include "core/engine/operations/fused.h"

#include <gtest/gtest.h>
#include <limits>

#include <array>
#include <cmath>
#include <functional>

#include "core/base/random_stream.h"
#include "core/engine/attention/backend.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/products.h"

namespace ropelab {
namespace {

using Tensors = std::vector<torch::Tensor>;
using Function = std::function<torch::Tensor(const Tensors&)>;

constexpr std::int64_t runs = 2;
constexpr std::int64_t batch = 3;
constexpr std::int64_t time_steps = 5;
constexpr std::int64_t rows = 70;  // more than a block of rows, and not a multiple of one

torch::Tensor random(std::vector<std::int64_t> shape) {
    return torch::randn(shape);
}

// The first product of a shape is LibTorch's; later ones may be the program's own.
TEST(Products, HaveTheBitsOfLibTorch) {
    torch::manual_seed(5);
    for (const auto& [rows, columns, depth] : std::vector<std::array<std::int64_t, 3>>{
             {768, 128, 128}, {768, 384, 128}, {768, 128, 512}, {70, 65, 200}, {130, 33, 333}, {512, 64, 2048}}) {
        const torch::Tensor a = random({2, rows, depth});
        const torch::Tensor b = random({2, depth, columns});
        for (const bool transposed : {false, true}) {
            const auto stored = [&](const torch::Tensor& x) {
                return transposed ? x.transpose(1, 2).contiguous().transpose(1, 2) : x;
            };
            for (int time = 0; time < 3; ++time) {
                EXPECT_TRUE(torch::equal(product(stored(a), stored(b)), torch::bmm(stored(a), stored(b))));
                for (std::int64_t run = 0; run < 2; ++run) {
                    EXPECT_TRUE(torch::equal(product_by_run(stored(a), stored(b))[run],
                                             torch::mm(stored(a)[run], stored(b)[run])));
                }
            }
        }
    }
}

// Whatever a file says of the faster way, even one that does not exist.
TEST(Products, KnownChoicesChangeNoBit) {
    torch::manual_seed(5);
    std::int64_t depth = 96;
    for (const std::string way : {"LibTorch", "LibTorch by one thread", "own kernel", "no such way"}) {
        ++depth;  // a shape that was not multiplied before
        const std::string work = "product, by run, rows, columns, depth, plain left, plain right, threads: 0 128 80 " +
                                 std::to_string(depth) + " 1 1 " + std::to_string(at::get_num_threads());
        add_choices({{work, way}});
        const torch::Tensor a = random({2, 128, depth});
        const torch::Tensor b = random({2, depth, 80});
        for (int time = 0; time < 2; ++time) EXPECT_TRUE(torch::equal(product(a, b), torch::bmm(a, b))) << way;
        ASSERT_TRUE(known_choice(work)) << work;
        EXPECT_NE(*known_choice(work), "no such way");
    }
}

// They would tell nothing of the order of summation.
TEST(Products, WithNaNOrInfinityDecideNothing) {
    torch::manual_seed(5);
    const std::string work =
        "product, by run, rows, columns, depth, plain left, plain right, threads: 0 128 80 111 1 1 " +
        std::to_string(at::get_num_threads());
    constexpr float infinity = std::numeric_limits<float>::infinity();
    const torch::Tensor a = random({2, 128, 111});
    const torch::Tensor b = random({2, 111, 80});
    for (const float number : {std::numeric_limits<float>::quiet_NaN(), infinity, -infinity}) {
        torch::Tensor spoiled = a.clone();
        spoiled[1][127][110] = number;
        product(spoiled, b);
        EXPECT_FALSE(known_choice(work)) << number;
    }
    product(a, b);
    EXPECT_TRUE(known_choice(work));
}

// Compares `fused`, which takes float tensors, with `reference`, which takes the same numbers as double; both return
// tensors of equal shape.
void expect_agreement(const Tensors& inputs, const Function& fused, const Function& reference) {
    torch::manual_seed(3);
    Tensors leaves;
    Tensors exact;
    for (const torch::Tensor& input : inputs) {
        leaves.push_back(input.clone().requires_grad_(true));
        exact.push_back(input.to(torch::kFloat64));
    }
    const torch::Tensor value = fused(leaves);
    const torch::Tensor expected = reference(exact);
    EXPECT_LT((value.detach() - expected).abs().max().item<double>(), 2e-5 * expected.abs().max().item<double>());

    const torch::Tensor weights = torch::randn(expected.sizes(), torch::kFloat64);
    const auto gradients = torch::autograd::grad({(value * weights.to(torch::kFloat32)).sum()}, leaves);
    const auto loss = [&](const Tensors& at) { return (reference(at) * weights).sum().item<double>(); };
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        for (int direction = 0; direction < 4; ++direction) {
            const torch::Tensor along = torch::randn(inputs[i].sizes(), torch::kFloat64);
            constexpr double step = 1e-6;
            Tensors ahead = exact;
            Tensors behind = exact;
            ahead[i] = exact[i] + step * along;
            behind[i] = exact[i] - step * along;
            const double difference = (loss(ahead) - loss(behind)) / (2 * step);
            const double slope = (gradients[i].to(torch::kFloat64) * along).sum().item<double>();
            const double size = gradients[i].to(torch::kFloat64).norm().item<double>();
            EXPECT_NEAR(slope, difference, 2e-5 * size + 1e-6) << "input " << i;
        }
    }
}

torch::Tensor exact_norm(const torch::Tensor& x, const torch::Tensor& weight) {
    return torch::layer_norm(x, {x.size(-1)}, {}, {}, 1e-5) * weight.unsqueeze(1);
}

// Returns the mask of a dropout at a place.
torch::Tensor mask_of(const Dropout& dropout, const std::vector<std::int64_t>& shape, const std::string& place) {
    return dropout(torch::ones(shape), place).to(torch::kFloat64);
}

TEST(Fused, DropoutOfSequencesEqualsTheirPartOfTheWholeMask) {
    const Dropout dropout(0.3, {1, 2}, 7);
    const torch::Tensor whole = mask_of(dropout, {runs, 6, 5, 3}, "here");  // 6 sequences of 15 numbers
    for (std::int64_t first = 0; first < 6; first += 2) {
        const torch::Tensor part = mask_of(dropout.of_sequences(first, 2), {runs, 2, 5, 3}, "here");
        EXPECT_TRUE(torch::equal(part, whole.narrow(1, first, 2))) << "sequence " << first;
    }
}

// Masks of two runs from RandomStream, number by number.
torch::Tensor masks_of_streams(std::int64_t step, std::int64_t size, std::int64_t first) {
    torch::Tensor masks = torch::empty({2, size});
    for (std::int64_t run = 0; run < 2; ++run) {
        RandomStream(run + 5, "here")
            .fill_dropout({masks.data_ptr<float>() + run * size, static_cast<std::size_t>(size)}, 0.3,
                          static_cast<std::uint64_t>(step), static_cast<std::uint64_t>(first));
    }
    return masks;
}

struct Part {
    std::int64_t step, size, first;
};
const Part parts_of_masks[] = {{7, 90, 0}, {7, 31, 30}, {0, 5, 3}, {(1LL << 32) + 12345, 41, (1LL << 34) + 6}};

TEST(DeviceMasks, OperationsGiveTheNumbersOfTheCpu) {
    for (const auto& [step, size, first] : parts_of_masks) {
        DeviceStreams streams({5, 6}, step, torch::kCPU);
        const torch::Tensor masks = libtorch_dropout_masks(streams.keys("here"), streams.step(), 0.3, size, first);
        EXPECT_TRUE(torch::equal(masks, masks_of_streams(step, size, first) > 0)) << step << ' ' << first;
    }
}

// On the CPU, LibTorch interprets the kernel that it compiles for a device.
TEST(DeviceMasks, KernelGivesTheNumbersOfTheCpu) {
    for (const auto& [step, size, first] : parts_of_masks) {
        DeviceStreams streams({5, 6}, step, torch::kCPU);
        const std::int64_t groups = (first + size + 3) / 4 - first / 4;
        const MaskKernel kernel(2, groups, 0.3, torch::kCPU);
        torch::Tensor masks;
        const auto passes = count_operations([&] { masks = kernel(streams.keys("here"), streams.step(), first / 4); });
        EXPECT_EQ(passes, 0) << "LibTorch's operations besides the kernel";
        EXPECT_TRUE(torch::equal(masks.narrow(1, first % 4, size), masks_of_streams(step, size, first) > 0))
            << step << ' ' << first;
    }
}

// A branch in bfloat16 times its mask is float32, with the gradient of the CPU.
TEST(DeviceMasks, DroppedNumbersOfBfloat16AreThoseOfTheCpu) {
    const Dropout dropout(0.3, {5, 6}, 7);
    const auto dropped = [&] {
        torch::manual_seed(1);
        const torch::Tensor x = torch::randn({2, 8, 6}).to(torch::kBFloat16).requires_grad_(true);
        const torch::Tensor result = dropout(x, "here");
        return std::pair(result.detach(), torch::autograd::grad({result.square().sum()}, {x})[0]);
    };
    const auto wanted = dropped();
    use_accelerator({torch::kCPU});
    const auto got = dropped();
    use_accelerator({});
    EXPECT_EQ(got.first.scalar_type(), torch::kFloat32);
    EXPECT_TRUE(torch::equal(got.first, wanted.first));
    EXPECT_TRUE(torch::equal(got.second, wanted.second));
}

// Bytes of the tensors that the operations of `work` read and write.
std::int64_t traffic_of(const std::function<void()>& work) {
    static std::int64_t bytes;
    bytes = 0;
    const auto begin = [](const at::RecordFunction& function) -> std::unique_ptr<at::ObserverContext> {
        const auto schema = function.operator_schema();
        if (!schema) return nullptr;
        for (const char* name : {"aten::mul", "aten::bitwise_", "aten::stack", "aten::ge", "aten::arange"}) {
            if (!schema->name().starts_with(name)) continue;
            // This overload calls the one of tensors.
            if (schema->name() == "aten::mul" && schema->overload_name() == "Scalar") continue;
            std::int64_t largest = 0;
            for (const c10::IValue& input : function.inputs()) {
                if (input.isTensor()) largest = std::max<std::int64_t>(largest, input.toTensor().nbytes());
                if (input.isTensor()) bytes += static_cast<std::int64_t>(input.toTensor().nbytes());
                if (!input.isTensorList()) continue;
                for (const at::Tensor& tensor : input.toTensorVector()) largest += tensor.nbytes();
                bytes += largest;
            }
            // Results are as large as the largest input; those of "_out" are among the inputs.
            if (!schema->is_mutable() || schema->name().ends_with("_")) bytes += largest;
        }
        return nullptr;
    };
    const auto handle = at::addThreadLocalCallback(at::RecordFunctionCallback(begin).needsInputs(true));
    work();
    at::removeCallback(handle);
    return bytes;
}

// Where LibTorch compiles no kernel.
TEST(DeviceMasks, OperationsTakeFewPassesAndLittleTraffic) {
    constexpr std::int64_t size = 1 << 16;
    DeviceStreams streams({5}, 7, torch::kCPU);
    const torch::Tensor& keys = streams.keys("here");
    const auto masks = [&] { (void)libtorch_dropout_masks(keys, streams.step(), 0.1, size); };
    EXPECT_LE(count_operations(masks), 72);
    const double bytes = static_cast<double>(traffic_of(masks)) / size;
    EXPECT_LE(bytes, 225);
    EXPECT_GE(bytes, 100) << "operations are not counted";
}

TEST(Fused, ResidualNormWithDropoutAndBias) {
    const Dropout dropout(0.3, {1, 2}, 7);
    constexpr std::int64_t width = 24;  // one full and one half register
    const torch::Tensor mask = mask_of(dropout, {runs, rows, width}, "here");
    expect_agreement(
        {random({runs, rows, width}), random({runs, rows, width}), random({runs, width}), random({runs, width})},
        [&](const Tensors& in) {
            const NormalizedResidual both = residual_norm(in[0], in[1], in[2], in[3], dropout, "here");
            return torch::cat({both.sum, both.normed}, 2);
        },
        [&](const Tensors& in) {
            const torch::Tensor sum = in[0] + in[1] * mask;
            return torch::cat({sum, exact_norm(sum, in[2]) + in[3].unsqueeze(1)}, 2);
        });
}

TEST(Fused, NormWithoutBranchKeepsTheStream) {
    expect_agreement(
        {random({runs, rows, 16}), random({runs, 16})},
        [](const Tensors& in) {
            const NormalizedResidual both = residual_norm(in[0], {}, in[1], {}, {}, "");
            return both.sum * 0.5 + both.normed;
        },
        [](const Tensors& in) { return in[0] * 0.5 + exact_norm(in[0], in[1]); });
}

TEST(Fused, NormsHaveTheEpsilonOfTheirRule) {
    for (const bool is_centred : {true, false}) {
        expect_agreement(
            {random({runs, rows, 24}), random({runs, 24})},
            [&](const Tensors& in) {
                return residual_norm(in[0], {}, in[1], {}, {}, "", {is_centred, 0.25}).normed;
            },
            [&](const Tensors& in) {
                const torch::Tensor off = is_centred ? in[0] - in[0].mean(-1, true) : in[0];
                return off * torch::rsqrt(off.square().mean(-1, true) + 0.25) * in[1].unsqueeze(1);
            });
    }
}

TEST(Fused, RmsNormSubtractsNoMean) {
    expect_agreement(
        {random({runs, rows, 24}) + 1.0, random({runs, rows, 24}), random({runs, 24})},
        [](const Tensors& in) {
            const NormalizedResidual both = residual_norm(in[0], in[1], in[2], {}, {}, "", {.is_centred = false});
            return torch::cat({both.sum, both.normed}, 2);
        },
        [](const Tensors& in) {
            const torch::Tensor sum = in[0] + in[1];
            const torch::Tensor square = sum.square().mean(-1, true);
            return torch::cat({sum, sum * torch::rsqrt(square + 1e-6) * in[2].unsqueeze(1)}, 2);
        });
}

RotaryTables tables() {
    std::vector<RunSpec> specs(2);
    for (RunSpec& spec : specs) {
        spec.width = 16;
        spec.heads = 2;
        spec.context = time_steps;
    }
    specs[0].theta = 100;
    specs[1].fraction = 0.5;
    return layer_tables(plans_of(specs, 1), time_steps, torch::kCPU).at(0);
}

// (runs, batch·time, 3·heads·head_dim) → (runs, batch·time, heads·head_dim)
torch::Tensor exact_attention(const torch::Tensor& qkv, const RotaryTables& rotary, const torch::Tensor& mask) {
    const torch::Tensor parts = qkv.view({runs, batch, time_steps, 3, 2, 8});
    const auto part = [&](std::int64_t which, bool turns) {
        torch::Tensor x = parts.select(3, which);
        if (turns) {
            const torch::Tensor cosine = rotary.cosine.to(torch::kFloat64);
            const torch::Tensor sine = rotary.sine.to(torch::kFloat64);
            const torch::Tensor a = x.narrow(-1, 0, 4);
            const torch::Tensor b = x.narrow(-1, 4, 4);
            x = torch::cat({a * cosine - b * sine, b * cosine + a * sine}, -1);
        }
        return x.transpose(2, 3);  // (runs, batch, heads, time, head_dim)
    };
    const torch::Tensor scores = torch::matmul(part(0, true), part(1, true).transpose(-2, -1)) / std::sqrt(8.0);
    const torch::Tensor future = torch::ones({time_steps, time_steps}, torch::kBool).triu(1);
    torch::Tensor shares = torch::softmax(scores.masked_fill(future, -INFINITY), -1);
    if (mask.defined()) shares = shares * mask.view_as(shares);
    return torch::matmul(shares, part(2, false)).transpose(2, 3).reshape({runs, batch * time_steps, 16});
}

TEST(Fused, AttentionRotatesQueriesAndKeys) {
    const RotaryTables rotary = tables();
    expect_agreement(
        {random({runs, batch * time_steps, 48})},
        [&](const Tensors& in) {
            return attend({in[0], batch, {2, 2}}, {rotary}, {}, "attention");
        },
        [&](const Tensors& in) { return exact_attention(in[0], rotary, {}); });
}

TEST(Fused, AttentionDropoutIsPerRun) {
    const RotaryTables rotary = tables();
    const Dropout dropout(0.4, {5, 6}, 11);
    const torch::Tensor mask = mask_of(dropout, {runs, batch * 2 * time_steps * time_steps}, "attention");
    expect_agreement(
        {random({runs, batch * time_steps, 48})},
        [&](const Tensors& in) {
            return attend({in[0], batch, {2, 2}}, {rotary}, dropout, "attention");
        },
        [&](const Tensors& in) { return exact_attention(in[0], rotary, mask); });
}

TEST(Fused, Gelu) {
    expect_agreement(
        {random({runs, rows, 24})}, [](const Tensors& in) { return gelu_activation(in[0]); },
        [](const Tensors& in) { return torch::gelu(in[0]); });
}

TEST(Fused, SwigluMultipliesTheSecondHalfByTheGate) {
    expect_agreement(
        {random({runs, rows, 2 * 24})}, [](const Tensors& in) { return swiglu_activation(in[0]); },
        [](const Tensors& in) { return torch::silu(in[0].narrow(2, 0, 24)) * in[0].narrow(2, 24, 24); });
}

// Compares `of`, a function, in bfloat16 and in float32 on the same numbers: the results differ by one rounding and by
// no more than `beyond`, in both passes.
void expect_one_rounding(const Tensors& inputs, const Function& of, double beyond = 1e-6) {
    Tensors rounded;
    Tensors exact;
    for (const torch::Tensor& input : inputs) {
        rounded.push_back(input.to(torch::kBFloat16).requires_grad_(true));
        exact.push_back(rounded.back().detach().to(torch::kFloat32).requires_grad_(true));
    }
    const auto expect_close = [beyond](const torch::Tensor& got, const torch::Tensor& expected) {
        ASSERT_EQ(got.scalar_type(), torch::kBFloat16);
        const torch::Tensor away = (got.to(torch::kFloat32) - expected).abs();
        EXPECT_LE((away - expected.abs() * 0x1p-8).max().item<double>(), beyond);
    };
    const torch::Tensor value = of(rounded);
    const torch::Tensor expected = of(exact);
    expect_close(value.detach(), expected.detach());
    const torch::Tensor arriving = torch::randn(expected.sizes()).to(torch::kBFloat16);
    const auto gradients = torch::autograd::grad({value}, rounded, {arriving});
    const auto exact_gradients = torch::autograd::grad({expected}, exact, {arriving.to(torch::kFloat32)});
    for (std::size_t i = 0; i < gradients.size(); ++i) expect_close(gradients[i], exact_gradients[i]);
}

TEST(Fused, RoundsOnceBetweenProducts) {
    const Dropout dropout(0.3, {1, 2}, 7);
    const RotaryTables rotary = tables();
    expect_one_rounding({random({runs, rows, 24})}, [](const Tensors& in) { return gelu_activation(in[0]); });
    expect_one_rounding({random({runs, rows, 48})}, [](const Tensors& in) { return swiglu_activation(in[0]); });
    for (const Dropout& drops : {Dropout(), dropout}) {
        // Where the processor multiplies pairs of bfloat16, the factors inside attention, around 1, are rounded too.
        expect_one_rounding(
            {random({runs, batch * time_steps, 48})},
            [&](const Tensors& in) {
                return attend({in[0], batch, {2, 2}}, {rotary}, drops, "here");
            },
            0x1p-7);
    }
    const torch::Tensor x = random({runs, rows, 24});
    const torch::Tensor weight = random({runs, 24});
    expect_one_rounding({random({runs, rows, 24})}, [&](const Tensors& in) {
        return residual_norm(x, in[0], weight, {}, dropout, "here", {}, in[0].scalar_type()).normed;
    });
}

TEST(Fused, NormalizesFloat32StreamToBfloat16WithExactGradients) {
    const Dropout dropout(0.3, {1, 2}, 7);
    const torch::Tensor x = random({runs, rows, 24}).requires_grad_(true);
    const torch::Tensor branch = random({runs, rows, 24}).requires_grad_(true);
    const torch::Tensor weight = random({runs, 24}).requires_grad_(true);
    const torch::Tensor arriving = torch::randn({runs, rows, 24}).to(torch::kBFloat16);
    const auto with = [&](torch::ScalarType type) {
        const torch::Tensor normed = residual_norm(x, branch, weight, {}, dropout, "here", {}, type).normed;
        auto result = torch::autograd::grad({normed}, {x, branch, weight}, {arriving.to(type)});
        result.push_back(normed.detach().to(torch::kFloat32));
        return result;
    };
    const Tensors rounded = with(torch::kBFloat16);
    const Tensors exact = with(torch::kFloat32);
    for (std::size_t i = 0; i < 3; ++i) EXPECT_TRUE(torch::allclose(rounded[i], exact[i], 1e-5, 1e-6)) << i;
    EXPECT_TRUE(torch::allclose(rounded[3], exact[3], 0x1p-8, 1e-6));
    EXPECT_FALSE(torch::equal(rounded[3], exact[3]));
}

TEST(Fused, EmbeddingGradientsAddUpPerToken) {
    const torch::Tensor tokens = torch::randint(0, 5, {runs, rows}, torch::kInt64);
    expect_agreement(
        {random({runs, 5, 20})}, [&](const Tensors& in) { return look_up(in[0], tokens); },
        [&](const Tensors& in) {
            return torch::stack({torch::embedding(in[0][0], tokens[0]), torch::embedding(in[0][1], tokens[1])});
        });
}

TEST(Fused, TokenLosses) {
    const torch::Tensor targets = torch::randint(0, 65, {runs, rows}, torch::kInt64);
    expect_agreement(
        {random({runs, rows, 65}) * 4}, [&](const Tensors& in) { return token_losses(in[0], targets); },
        [&](const Tensors& in) { return -torch::log_softmax(in[0], 2).gather(2, targets.unsqueeze(2)).squeeze(2); });
}

TEST(Fused, NanLossStaysNan) {
    torch::Tensor logits = torch::zeros({1, 2, 65});
    logits[0][1][3] = std::nan("");
    const torch::Tensor losses = token_losses(logits, torch::zeros({1, 2}, torch::kInt64));
    EXPECT_NEAR(losses[0][0].item<double>(), std::log(65.0), 1e-6);
    EXPECT_TRUE(std::isnan(losses[0][1].item<double>()));
}

}  // namespace
}  // namespace ropelab
