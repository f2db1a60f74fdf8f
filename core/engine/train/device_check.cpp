#include "core/engine/train/device_check.h"

#include <cmath>

#include "core/engine/train/torch_cohort.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

using Outcome = DeviceCheck::Outcome;

// A clause if they differ by more than `tolerance` times the norm of the wanted one; else empty.
std::string distance(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance) {
    const torch::Tensor a = got.detach().to(torch::kCPU, torch::kFloat64);
    const double relative_difference = ((a - wanted).norm() / wanted.norm()).item<double>();
    if (relative_difference <= tolerance) return "";
    return "the numbers differ by " + number_text(std::round(1000 * relative_difference) / 10) +
           " % from the processor's";
}

class Checker {
 public:
    Checker(torch::Device device, const CudaGraphs* graphs, const std::function<void(const DeviceCheck&)>& publish)
        : device_(device), graphs_(graphs), publish_(publish) {}
    ~Checker() { use_accelerator({}); }
    Checker(const Checker&) = delete;
    Checker& operator=(const Checker&) = delete;

    void run() {
        check_libtorch();
        if (trust_.device) check_steps();
        if (trust_.device && trust_.graphs) check_generation();
    }

 private:
    static constexpr std::int64_t vocabulary = 65;

    enum class Use { cpu, device, graphs };
    void use(Use where) const {
        use_accelerator(where == Use::cpu ? Accelerator()
                                          : Accelerator{device_.type(), where == Use::graphs ? graphs_ : nullptr});
    }

    // `work` returns what is wrong, or an empty string.
    void check(DeviceCheck it, const std::function<std::string()>& work) {
        publish_(it);
        try {
            it.detail = work();
            if (device_.is_cuda()) torch::cuda::synchronize();
        } catch (const c10::Error& error) {
            const std::string words = error.what_without_backtrace();
            it.detail = words.substr(0, words.find('\n'));
        } catch (const std::exception& error) {
            it.detail = error.what();
        }
        it.outcome = it.detail.empty() ? Outcome::passed : Outcome::failed;
        if (it.outcome == Outcome::failed) it.detail = it.name + ": " + it.detail;
        apply(it, trust_);
        publish_(it);
    }

    void check_libtorch() {
        const auto types = {std::pair(torch::kFloat32, 5e-3), std::pair(torch::kBFloat16, 0.03)};
        // Random numbers that bfloat16 represents exactly.
        const auto random = [](std::vector<std::int64_t> shape) {
            return torch::randn(shape).to(torch::kBFloat16).to(torch::kFloat64);
        };
        check({.name = "LibTorch's products"}, [&]() -> std::string {
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
        check({.name = "LibTorch's attention"}, [&]() -> std::string {
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
    std::unique_ptr<TorchCohort> cohort(Use where, const std::vector<std::int32_t>& tokens, Precision precision) const {
        use(where);
        CohortStart start;
        start.runs = {small_run(precision), small_run(precision)};
        start.runs[1].theta = 100;
        start.runs[1].seed = 7;
        for (RunSpec& run : start.runs) {
            run.device = device_.is_cuda() && where != Use::cpu ? Device::cuda : Device::cpu;
        }
        return std::make_unique<TorchCohort>(start, TokenData{vocabulary, tokens, tokens}, 1);
    }

    struct TrainingResult {
        torch::Tensor losses;  // losses of eight steps and one evaluation
        std::vector<NamedTensor> state;
        std::string steps_as;
    };
    TrainingResult train(Use where, Precision precision) const {
        const std::vector<std::int32_t> tokens = text();
        const auto runs = cohort(where, tokens, precision);
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
            check({.name = "eight training steps, " + type}, [&] {
                plain = train(Use::device, precision);
                return difference(plain.losses, train(Use::cpu, precision).losses, tolerance);
            });
            if (!trust_.device) return;
            if (!graphs_ || !trust_.graphs) continue;
            check({.name = "eight training steps with CUDA graphs, " + type, .of_graphs = true}, [&]() -> std::string {
                const TrainingResult by_graphs = train(Use::graphs, precision);
                if (by_graphs.steps_as != "a graph") return "steps started " + by_graphs.steps_as;
                if (const auto words = difference(by_graphs.losses, plain.losses, 1e-6); !words.empty()) return words;
                return by_graphs.state == plain.state ? "" : "the weights differ from the weights without CUDA graphs";
            });
        }
    }

    void check_generation() {
        if (!graphs_) return;
        check({.name = "64 generated tokens with CUDA graphs", .of_graphs = true}, [&]() -> std::string {
            const auto generated = [&](Use where) {
                const std::vector<std::int32_t> tokens = text();
                Generation options;
                options.length = 64;
                options.temperature = 0;
                options.mode = Generation::Mode::rolling;
                const std::vector<std::int32_t> prompt = {3, 5};
                return cohort(where, tokens, Precision::float32)->model(0)->generate(prompt, options);
            };
            const auto wanted = generated(Use::device);
            return generated(Use::graphs) == wanted ? "" : "the text differs from the text without CUDA graphs";
        });
    }

    torch::Device device_;
    const CudaGraphs* graphs_;
    const std::function<void(const DeviceCheck&)>& publish_;
    DeviceTrust trust_{.graphs = true};
};

}  // namespace

std::string difference(const torch::Tensor& got, const torch::Tensor& wanted, double tolerance) {
    if (got.sizes() != wanted.sizes()) return "the shape of a result is wrong";
    const torch::Tensor a = got.detach().to(torch::kCPU, torch::kFloat64).flatten();
    const torch::Tensor b = wanted.detach().to(torch::kCPU, torch::kFloat64).flatten();
    if (!torch::isfinite(a).all().item<bool>()) return "a number of the result is not finite";
    const torch::Tensor allowed = tolerance * (b.abs() + 0.1 * b.square().mean().sqrt()) + 1e-12;
    const torch::Tensor excess = (a - b).abs() / allowed;
    if (!(excess.max().item<double>() > 1)) return "";
    const auto worst = excess.argmax().item<std::int64_t>();
    return "number " + std::to_string(worst) + " is " + number_text(a[worst].item<double>()) + " instead of " +
           number_text(b[worst].item<double>());
}

void check_device(torch::Device device, const CudaGraphs* graphs,
                  const std::function<void(const DeviceCheck&)>& publish) {
    Checker(device, graphs, publish).run();
}

}  // namespace ropelab
