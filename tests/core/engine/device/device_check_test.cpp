// Tests of the device check, with the CPU as the device.
#include "core/engine/train/device_check.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "core/engine/device/accelerator.h"
#include "core/engine/operations/dropout.h"
#include "core/engine/train/schedule.h"
#include "core/engine/train/torch_cohort.h"
#include "tests/core/engine/device/emulated_device.h"
#include "tests/core/engine/model/plain_decoder.h"

namespace ropelab {
namespace {

using Outcome = DeviceCheck::Outcome;
using Graphs = EmulatedDevice::Graphs;

struct Found {
    DeviceTrust trust{.graphs = true};
    std::string failures;  // details of the failed checks
    std::size_t checks = 0;
};

// Checks the CPU as a device with these graphs.
Found checked(Graphs graphs) {
    Found found;
    check_device(torch::kCPU, EmulatedDevice::graphs_that(graphs), [&](const DeviceCheck& one) {
        apply(one, found.trust);
        if (one.outcome != Outcome::started) ++found.checks;
        if (one.outcome == Outcome::failed) found.failures += one.detail + "\n";
    });
    return found;
}

TEST(DeviceCheckTest, ACorrectDevicePassesEveryCheck) {
    const Found found = checked(Graphs::replayed);
    EXPECT_EQ(found.failures, "");
    EXPECT_EQ(to_text(found.trust), "graphs");
    // products, attention, steps in two types once, again and with graphs, generation
    EXPECT_EQ(found.checks, 9U);
    EXPECT_FALSE(is_accelerated(torch::kCPU));
    EXPECT_EQ(checked(Graphs::none).checks, 6U);
}

TEST(DeviceCheckTest, FailingOrStaleGraphsAreDisabled) {
    for (const Graphs how : {Graphs::refused, Graphs::stale}) {
        const Found found = checked(how);
        EXPECT_EQ(to_text(found.trust), "off");
        EXPECT_NE(found.failures.find("eight training steps with CUDA graphs, float32: "), std::string::npos)
            << found.failures;
    }
}

constexpr std::int32_t vocabulary = 65;

std::vector<std::int32_t> text() {
    std::vector<std::int32_t> tokens;
    for (std::int32_t i = 0; i < 3000; ++i) tokens.push_back((i * i / 7 + 3 * i) % vocabulary);
    return tokens;
}

// Losses of the steps and mean gradients after them.
struct Trained {
    std::vector<double> losses;
    std::map<std::string, torch::Tensor> gradients;
};

Trained by_the_cpu(const RunSpec& spec) {
    const auto tokens = text();
    CohortStart start;
    start.runs = {spec};
    TorchCohort cohort(start, {vocabulary, tokens, tokens}, 1);
    Trained result;
    for (int step = 0; step < spec.iterations; ++step) result.losses.push_back(cohort.step().front().training_loss);
    const std::string prefix = "optimizer.first.";
    for (const NamedTensor& tensor : cohort.state(0)) {
        if (!tensor.name.starts_with(prefix)) continue;
        result.gradients[tensor.name.substr(prefix.size())] =
            torch::tensor(c10::ArrayRef<float>(tensor.values)).to(torch::kFloat64);
    }
    return result;
}

// In float64, by the plain decoder.
Trained exactly(const RunSpec& spec) {
    const auto tokens = text();
    CohortStart start;
    start.runs = {spec};
    PlainDecoder plain(spec, TorchCohort(start, {vocabulary, tokens, tokens}, 1).state(0));
    const torch::Tensor all = torch::tensor(c10::ArrayRef<std::int32_t>(tokens), torch::kInt64);
    Trained result;
    std::map<std::string, torch::Tensor> squares;
    for (int step = 0; step < spec.iterations; ++step) {
        std::vector<torch::Tensor> inputs;
        std::vector<torch::Tensor> targets;
        for (const std::int64_t first : batch_starts(spec, tokens.size(), step)) {
            inputs.push_back(all.narrow(0, first, spec.context));
            targets.push_back(all.narrow(0, first + 1, spec.context));
        }
        if (spec.dropout > 0) {
            plain.mask = [&](c10::IntArrayRef shape, const std::string& place) {
                const Dropout dropout(spec.dropout, {spec.seed}, step);
                return dropout(torch::ones(shape).unsqueeze(0), place).squeeze(0).to(torch::kFloat64);
            };
        }
        std::vector<torch::Tensor> leaves;
        for (auto& [name, weight] : plain.weights()) leaves.push_back(weight);
        const torch::Tensor loss = plain.loss(torch::stack(inputs), torch::stack(targets));
        result.losses.push_back(loss.item<double>());
        const auto gradients = torch::autograd::grad({loss}, leaves);
        double norm = 0;
        for (const torch::Tensor& gradient : gradients) norm += gradient.square().sum().item<double>();
        norm = std::sqrt(norm);
        const double scale = spec.clip > 0 && norm > spec.clip ? spec.clip / (norm + 1e-6) : 1.0;
        const torch::NoGradGuard no_gradients;
        std::size_t leaf = 0;
        for (auto& [name, weight] : plain.weights()) {
            const torch::Tensor gradient = gradients[leaf++] * scale;
            const auto mixed = [&](torch::Tensor& mean, const torch::Tensor& now, double beta) {
                mean = (mean.defined() ? beta * mean : torch::zeros_like(now)) + (1 - beta) * now;
                return mean / (1 - std::pow(beta, step + 1));
            };
            const torch::Tensor first = mixed(result.gradients[name], gradient, spec.beta1);
            const torch::Tensor second = mixed(squares[name], gradient.square(), spec.beta2);
            const double rate = learning_rate_at(spec, step);
            weight.mul_(1 - rate * (weight.dim() > 1 ? spec.weight_decay : 0.0));
            weight.sub_(rate * first / (second.sqrt() + 1e-8));
        }
    }
    return result;
}

// What the check allows a device is more than the error of the precision itself, and not much more.
TEST(DeviceCheckTest, TolerancesAreAFewTimesTheErrorOfThePrecision) {
    for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
        double worst_loss = 0;
        double worst_gradient = 0;
        for (const auto& [name, spec] : checked_runs(precision)) {
            const Trained wanted = exactly(spec);
            const Trained got = by_the_cpu(spec);
            for (std::size_t step = 0; step < wanted.losses.size(); ++step) {
                worst_loss = std::max(worst_loss, std::abs(got.losses[step] / wanted.losses[step] - 1));
            }
            for (const auto& [weight, gradient] : wanted.gradients) {
                const torch::Tensor difference = got.gradients.at(weight) - gradient.flatten();
                worst_gradient =
                    std::max(worst_gradient, difference.norm().item<double>() / gradient.norm().item<double>());
            }
            RecordProperty(name + (precision == Precision::float32 ? ", float32" : ", bfloat16"),
                           std::to_string(worst_loss) + " " + std::to_string(worst_gradient));
        }
        const CheckTolerance allowed = check_tolerance(precision);
        EXPECT_GT(allowed.losses, 1.5 * worst_loss) << worst_loss;
        EXPECT_LT(allowed.losses, 30 * worst_loss) << worst_loss;
        EXPECT_GT(allowed.gradients, 1.5 * worst_gradient) << worst_gradient;
        EXPECT_LT(allowed.gradients, 30 * worst_gradient) << worst_gradient;
    }
}

// One of LibTorch's operations on the CPU computes something else during the lifetime of this object.
template <typename Function>
class Planted {
 public:
    Planted(const char* operation, Function function)
        : library_(torch::Library::IMPL, "aten", c10::DispatchKey::AutogradCPU, __FILE__, __LINE__) {
        library_.impl(operation, function);
    }

 private:
    torch::Library library_;
};

// Of the values, 2 % in float32 and 15 % in bfloat16.
at::Tensor wrong_attention(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                           const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                           std::optional<double> scale, bool gqa) {
    const double error = v.scalar_type() == torch::kBFloat16 ? 1.15 : v.scalar_type() == torch::kFloat32 ? 1.02 : 1;
    return std::get<0>(
        at::_scaled_dot_product_attention_math(q, k, v * error, mask, dropout, is_causal, {}, scale, gqa));
}
at::Tensor wrong_attention_in_bfloat16(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                       const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                                       std::optional<double> scale, bool gqa) {
    const double error = v.scalar_type() == torch::kBFloat16 ? 1.15 : 1;
    return std::get<0>(
        at::_scaled_dot_product_attention_math(q, k, v * error, mask, dropout, is_causal, {}, scale, gqa));
}
at::Tensor wrong_attention_with_a_mask(const at::Tensor& q, const at::Tensor& k, const at::Tensor& v,
                                       const std::optional<at::Tensor>& mask, double dropout, bool is_causal,
                                       std::optional<double> scale, bool gqa) {
    const bool causal = is_causal || mask.has_value();  // without the window
    return std::get<0>(at::_scaled_dot_product_attention_math(q, k, v, {}, dropout, causal, {}, scale, gqa));
}
at::Tensor heads_in_another_order(const at::Tensor& x, c10::SymInt repeats, std::optional<std::int64_t> dimension,
                                  std::optional<c10::SymInt>) {
    return at::cat(std::vector<at::Tensor>(static_cast<std::size_t>(repeats.expect_int()), x), *dimension);
}
at::Tensor wrong_silu(const at::Tensor& x) {
    return 1.02 * x * at::sigmoid(x);
}
at::Tensor changing_silu(const at::Tensor& x) {
    static int calls = 0;
    return (1 + 1e-7 * ++calls) * x * at::sigmoid(x);
}
at::Tensor wrong_root_mean_square(const at::Tensor& x, c10::SymIntArrayRef, const std::optional<at::Tensor>&,
                                  std::optional<double>) {
    return x * at::rsqrt(x.square().mean(-1, true) + 1e-2);
}

TEST(DeviceCheckTest, FindsWrongOperations) {
    const auto expect_failure = [](const auto& planted, const std::string& words) {
        const Found found = checked(Graphs::none);
        EXPECT_EQ(to_text(found.trust), "no device");
        EXPECT_NE(found.failures.find(words), std::string::npos) << found.failures;
        (void)planted;
    };
    const std::string steps = "eight training steps, float32: ";
    expect_failure(Planted("scaled_dot_product_attention", wrong_attention), "LibTorch's attention: ");
    expect_failure(Planted("scaled_dot_product_attention", wrong_attention_with_a_mask),
                   steps + "with a sliding window");
    expect_failure(Planted("repeat_interleave.self_int", heads_in_another_order),
                   steps + "with RMSNorm, grouped queries");
    expect_failure(Planted("silu", wrong_silu), steps + "with RMSNorm");
    expect_failure(Planted("rms_norm", wrong_root_mean_square), steps + "with RMSNorm");
    expect_failure(Planted("silu", changing_silu), "the same eight steps again, float32: with RMSNorm");
    expect_failure(Planted("scaled_dot_product_attention", wrong_attention_in_bfloat16), "LibTorch's attention: ");
    EXPECT_EQ(checked(Graphs::none).failures, "");
}

TEST(Difference, NamesTheElementWithTheLargestDifference) {
    const torch::Tensor wanted = torch::ones({4}, torch::kFloat64);
    torch::Tensor got = wanted.clone();
    EXPECT_EQ(difference(got, wanted, 1e-3), "");
    got[2] = 1.1;
    EXPECT_EQ(difference(got, wanted, 1e-3), "number 2 is 1.1 instead of 1");
    got[1] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_EQ(difference(got, wanted, 1e-3), "a number of the result is not finite");
    EXPECT_EQ(difference(got.narrow(0, 0, 3), wanted, 1e-3), "the shape of a result is wrong");
}

}  // namespace
}  // namespace ropelab
