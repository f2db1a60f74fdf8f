#include "core/train/device_check.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "core/model/clear_errors.h"
#include "core/model/fresh_memory.h"
#include "core/model/fused_device.h"
#include "core/model/operations.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/train/torch_cohort.h"

namespace ropelab {

namespace {

using Outcome = DeviceCheck::Outcome;
using Tensors = std::vector<torch::Tensor>;

void wait_for(torch::Device device) {
    if (device.is_cuda()) torch::cuda::synchronize();
}

// Returns the operation's value and the gradient of each input, for a fixed gradient of the value.
Tensors value_and_gradients(const KernelCase& it) {
    Tensors leaves;
    for (const torch::Tensor& input : it.inputs) leaves.push_back(input.clone().requires_grad_(it.differentiable));
    const torch::Tensor value = it.operation(leaves).to(torch::kFloat32);
    if (!it.differentiable) return {value.detach()};
    const torch::Tensor value_gradient =
        torch::arange(value.numel(), value.options().requires_grad(false)).mul(0.37).cos().view(value.sizes());
    Tensors result = torch::autograd::grad({(value * value_gradient).sum()}, leaves);
    result.insert(result.begin(), value.detach());
    return result;
}

// Returns what is wrong with a case's kernels; empty if nothing is.
std::string kernel_error(const KernelCase& it, torch::Device device) {
    Tensors wanted;
    {
        const EagerGuard libtorch(true);
        wanted = value_and_gradients(it);
    }
    const MemoryMargins margins;
    const Tensors got = value_and_gradients(it);
    const Tensors again = value_and_gradients(it);
    wait_for(device);
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        const std::string what = i == 0 ? "values: " : "the gradient of input " + std::to_string(i) + ": ";
        if (const std::string words = difference(got[i], wanted[i], it.tolerance); !words.empty()) return what + words;
        if (!torch::equal(got[i], again[i])) return what + "two runs give different numbers";
    }
    return margins.intact() ? "" : "the kernel writes beyond its memory";
}

double seconds_of(const KernelCase& it, torch::Device device) {
    double best = std::numeric_limits<double>::infinity();
    for (int attempt = 0; attempt < 12; ++attempt) {
        wait_for(device);
        const auto begin = std::chrono::steady_clock::now();
        value_and_gradients(it);
        wait_for(device);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        if (attempt > 1) best = std::min(best, elapsed.count());  // the first attempts are a warm-up
    }
    return best;
}

// Returns a clause if two tensors differ by more than `tolerance` times the norm of the wanted one; else an empty
// string.
std::string distance(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance) {
    const torch::Tensor a = got.detach().to(torch::kCPU, torch::kFloat64);
    const double relative_difference = ((a - wanted).norm() / wanted.norm()).item<double>();
    if (relative_difference <= tolerance) return "";
    return "the numbers differ by " + number_text(std::round(1000 * relative_difference) / 10) +
           " % from the processor's";
}

class Checker {
 public:
    Checker(torch::Device device, const cuda::Kernels* kernels, const CudaGraphs* graphs,
            const std::function<void(const DeviceCheck&)>& publish)
        : device_(device), kernels_(kernels), graphs_(graphs), publish_(publish), trust_(DeviceTrust::everything()) {}
    ~Checker() { use(DeviceTrust::libtorch_alone()); }
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    void run(const DeviceCheckOptions& options) {
        use(DeviceTrust::libtorch_alone());
        check_libtorch();
        if (!trust_.device || !kernels_) return;
        check_kernels(options.only);
        if (options.only) return;
        check_steps();
        check_generation();
        if (options.timed) time_kernels();
    }

 private:
    static constexpr std::int64_t vocabulary = 65;

    // Selects the parts that the device uses.
    void use(const DeviceTrust& trust) const {
        const bool any = trust.device && trust != DeviceTrust::libtorch_alone();
        const auto default_stream = +[]() -> cuda::Stream { return nullptr; };
        set_device_kernels(device_.type(), {.table = any ? kernels_ : nullptr,
                                            .stream = graphs_ ? graphs_->current_stream : default_stream,
                                            .graphs = trust.trusts(DevicePart::graphs) ? graphs_ : nullptr,
                                            .trust = trust});
    }
    DeviceTrust without_graphs() const {
        DeviceTrust trust = trust_;
        trust.set(DevicePart::graphs, false);
        return trust;
    }

    // Runs a check and publishes it before and after. `work` returns what is wrong, or an empty string.
    void check(DeviceCheck it, const std::function<std::string()>& work) {
        publish_(it);
        try {
            it.detail = work();
            wait_for(device_);
        } catch (const c10::Error& error) {
            const std::string words = error.what_without_backtrace();
            it.detail = words.substr(0, words.find('\n'));
        } catch (const std::exception& error) {
            it.detail = error.what();
        }
        it.outcome = it.detail.empty() ? Outcome::passed : Outcome::failed;
        if (it.outcome == Outcome::failed && !it.checks_libtorch) it.detail = it.name + ": " + it.detail;
        apply(it, trust_);
        publish_(it);
    }

    void check_libtorch() {
        const auto types = {std::pair(torch::kFloat32, 5e-3), std::pair(torch::kBFloat16, 0.03)};
        // Random numbers that bfloat16 represents exactly.
        const auto random = [](std::vector<std::int64_t> shape) {
            return torch::randn(shape).to(torch::kBFloat16).to(torch::kFloat64);
        };
        check({.name = "LibTorch's products", .checks_libtorch = true}, [&]() -> std::string {
            for (const auto& [rows, inner, columns] : {std::tuple(64L, 64L, 64L), std::tuple(37L, 129L, 65L)}) {
                const torch::Tensor a = random({2, rows, inner});
                const torch::Tensor b = random({2, inner, columns});
                for (const auto& [type, tolerance] : types) {
                    const torch::Tensor product = torch::bmm(a.to(device_, type), b.to(device_, type));
                    if (const auto words = distance(product, torch::bmm(a, b), tolerance); !words.empty()) return words;
                }
            }
            return "";
        });
        if (!trust_.device) return;
        check({.name = "LibTorch's attention", .checks_libtorch = true}, [&]() -> std::string {
            const torch::Tensor qkv = random({3, 2, 3, 33, 16});
            const auto attended = [&](torch::Device where, torch::ScalarType type) {
                const torch::Tensor x = qkv.to(where, type).requires_grad_(true);
                const torch::Tensor mixed = torch::scaled_dot_product_attention(x[0], x[1], x[2], {}, 0.0, true);
                const torch::Tensor gradient = torch::autograd::grad({mixed.square().sum()}, {x})[0];
                return torch::cat({mixed.detach().flatten(), gradient.flatten()});
            };
            const torch::Tensor wanted = attended(torch::kCPU, torch::kFloat64);
            for (const auto& [type, tolerance] : types) {
                if (const auto words = distance(attended(device_, type), wanted, tolerance); !words.empty())
                    return words;
            }
            return "";
        });
    }

    void check_kernels(std::optional<DevicePart> only) {
        const auto is_requested = [&](DevicePart part) { return !only || *only == part; };
        for (const KernelCase& it : kernel_cases(device_)) {
            if (!is_requested(it.part) || !trust_.trusts(it.part)) continue;
            check({.name = it.name, .part = it.part}, [&] {
                use(without_graphs());
                return kernel_error(it, device_);
            });
        }
        const DeviceKernels& used = device_kernels(device_);
        const auto stream = used.stream ? used.stream() : nullptr;
        if (is_requested(DevicePart::batches)) {
            check({.name = "batches and sums of losses", .part = DevicePart::batches},
                  [&] { return batch_kernel_error(device_, *kernels_, stream); });
        }
        if (is_requested(DevicePart::optimizer)) {
            check({.name = "AdamW and gradient norm", .part = DevicePart::optimizer},
                  [&] { return optimizer_kernel_error(device_, *kernels_, stream); });
        }
    }

    static RunSpec small_run(Precision precision) {
        RunSpec spec;
        spec.layers = 2;
        spec.heads = 3;
        spec.width = 36;  // rows of qkv whose width is not a multiple of eight
        spec.context = 33;
        spec.batch = 3;
        spec.iterations = 8;
        spec.warmup = 2;
        spec.dropout = 0.1;
        spec.bias = true;
        spec.precision = precision;
        spec.learning_rate = 3e-3;
        spec.evaluation = Evaluation::sampled;
        spec.evaluation_batches = 2;
        return spec;
    }
    std::vector<std::int32_t> text() const {
        std::vector<std::int32_t> tokens;
        for (std::int32_t i = 0; i < 3000; ++i) tokens.push_back((i * i / 7 + 3 * i) % vocabulary);
        return tokens;
    }
    std::unique_ptr<TorchCohort> cohort(const std::vector<std::int32_t>& tokens, Precision precision) const {
        CohortStart start;
        start.runs = {small_run(precision), small_run(precision)};
        start.runs[1].theta = 100;
        start.runs[1].seed = 7;
        for (RunSpec& run : start.runs) run.device = device_.is_cuda() ? Device::cuda : Device::cpu;
        return std::make_unique<TorchCohort>(start, TokenData{vocabulary, tokens, tokens}, 1);
    }

    struct TrainingResult {
        torch::Tensor losses;  // losses of eight steps and one evaluation
        std::vector<NamedTensor> state;
        std::string steps_as;
    };
    TrainingResult train(const DeviceTrust& trust, Precision precision) const {
        use(trust);
        const std::vector<std::int32_t> tokens = text();
        const auto runs = cohort(tokens, precision);
        std::vector<double> losses;
        for (int step = 0; step < 8; ++step) {
            for (const StepResult& result : runs->step()) losses.push_back(result.training_loss);
        }
        for (const EvaluationResult& result : runs->evaluate({})) losses.push_back(result.validation_loss);
        return {torch::tensor(c10::ArrayRef<double>(losses), torch::kFloat64), runs->state(1), runs->steps_as()};
    }

    void check_steps() {
        for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
            const std::string type = precision == Precision::float32 ? "float32" : "bfloat16";
            const double tolerance = precision == Precision::float32 ? 2e-3 : 5e-2;
            TrainingResult plain;
            check({.name = "eight training steps, " + type, .part = DevicePart::optimizer}, [&] {
                plain = train(without_graphs(), precision);
                return difference(plain.losses, train(DeviceTrust::libtorch_alone(), precision).losses, tolerance);
            });
            if (!trust_.trusts(DevicePart::optimizer)) {
                // The losses do not show which kernel is wrong, so that no kernel of the project is used.
                trust_ = DeviceTrust::libtorch_alone();
                return;
            }
            if (!graphs_ || !trust_.trusts(DevicePart::graphs)) continue;
            check({.name = "eight training steps by graphs, " + type, .part = DevicePart::graphs},
                  [&]() -> std::string {
                      const TrainingResult by_graphs = train(trust_, precision);
                      if (by_graphs.steps_as != "a graph") return "steps started " + by_graphs.steps_as;
                      if (const auto words = difference(by_graphs.losses, plain.losses, 1e-6); !words.empty())
                          return words;
                      return by_graphs.state == plain.state ? "" : "the weights differ from the weights without graphs";
                  });
        }
    }

    void check_generation() {
        if (!graphs_ || !trust_.trusts(DevicePart::graphs)) return;
        check({.name = "64 generated tokens by graphs", .part = DevicePart::graphs}, [&]() -> std::string {
            const auto generated = [&](const DeviceTrust& trust) {
                use(trust);
                const std::vector<std::int32_t> tokens = text();
                Generation options;
                options.length = 64;
                options.temperature = 0;
                options.mode = Generation::Mode::rolling;
                const std::vector<std::int32_t> prompt = {3, 5};
                return cohort(tokens, Precision::float32)->model(0)->generate(prompt, options);
            };
            const auto wanted = generated(without_graphs());
            return generated(trust_) == wanted ? "" : "the text differs from the text without graphs";
        });
    }

    void time_kernels() {
        for (const KernelCase& it : timed_cases(device_)) {
            if (!trust_.trusts(it.part)) continue;
            DeviceCheck timing{.name = it.name, .part = it.part};
            publish_(timing);
            use(without_graphs());
            const double kernel_seconds = seconds_of(it, device_);
            const EagerGuard libtorch(true);
            timing.speed = seconds_of(it, device_) / kernel_seconds;
            constexpr double as_fast = 0.95;  // two timings of equal work differ by this factor
            timing.outcome = timing.speed < as_fast ? Outcome::slower : Outcome::passed;
            if (timing.outcome == Outcome::slower) {
                timing.detail = it.name + ": " + number_text(std::round(100 * timing.speed) / 100) +
                                " times as fast as LibTorch's operations";
            }
            apply(timing, trust_);
            publish_(timing);
        }
    }

    torch::Device device_;
    const cuda::Kernels* kernels_;
    const CudaGraphs* graphs_;
    const std::function<void(const DeviceCheck&)>& publish_;
    DeviceTrust trust_;
};

}  // namespace

std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance) {
    if (got.sizes() != wanted.sizes()) return "the shape is wrong";
    const torch::Tensor a = got.detach().to(torch::kCPU, torch::kFloat64).flatten();
    const torch::Tensor b = wanted.detach().to(torch::kCPU, torch::kFloat64).flatten();
    if (!torch::isfinite(a).all().item<bool>()) return "a number is not finite";
    const torch::Tensor allowed = tolerance * (b.abs() + 0.1 * b.square().mean().sqrt()) + 1e-12;
    const torch::Tensor excess = (a - b).abs() / allowed;
    if (!(excess.max().item<double>() > 1)) return "";
    const auto worst = excess.argmax().item<std::int64_t>();
    return "number " + std::to_string(worst) + " is " + number_text(a[worst].item<double>()) + " instead of " +
           number_text(b[worst].item<double>());
}

void check_device(torch::Device device, const cuda::Kernels* kernels, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish, const DeviceCheckOptions& options) {
    Checker(device, kernels, graphs, publish).run(options);
}

}  // namespace ropelab
