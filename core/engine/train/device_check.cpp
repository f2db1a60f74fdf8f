#include "core/engine/train/device_check.h"

#include <cmath>
#include <map>

#include "core/base/numbers.h"
#include "core/engine/train/torch_cohort.h"

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
        const auto types = {std::pair(torch::kFloat32, 2e-5), std::pair(torch::kBFloat16, 0.01)};
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

    std::vector<std::int32_t> text() const {
        std::vector<std::int32_t> tokens;
        for (std::int32_t i = 0; i < 3000; ++i) tokens.push_back((i * i / 7 + 3 * i) % vocabulary);
        return tokens;
    }
    std::unique_ptr<TorchCohort> cohort(Use where, const std::vector<std::int32_t>& tokens, const RunSpec& spec) const {
        use(where);
        CohortStart start;
        start.runs = {spec, spec};
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
    TrainingResult train(Use where, const RunSpec& spec) const {
        const std::vector<std::int32_t> tokens = text();
        const auto runs = cohort(where, tokens, spec);
        std::vector<double> losses;
        for (std::int64_t step = 0; step < spec.iterations; ++step) {
            for (const StepResult& result : runs->step()) losses.push_back(result.training_loss);
        }
        for (const EvaluationResult& result : runs->evaluate({})) losses.push_back(result.validation_loss);
        return {torch::tensor(c10::ArrayRef<double>(losses), torch::kFloat64), runs->state(1), runs->steps_as()};
    }

    static std::string differences(const TrainingResult& got, const TrainingResult& wanted, Precision precision) {
        const CheckTolerance tolerance = check_tolerance(precision);
        if (const auto words = difference(got.losses, wanted.losses, tolerance.losses); !words.empty()) return words;
        for (std::size_t i = 0; i < wanted.state.size(); ++i) {
            const std::string& name = wanted.state[i].name;
            if (!name.starts_with("optimizer.first.")) continue;  // the mean gradient of the steps
            const auto numbers = [](const NamedTensor& tensor) {
                return torch::tensor(c10::ArrayRef<float>(tensor.values)).to(torch::kFloat64);
            };
            const auto words = distance(numbers(got.state[i]), numbers(wanted.state[i]), tolerance.gradients);
            if (!words.empty()) return name.substr(std::string("optimizer.first.").size()) + ", " + words;
        }
        return "";
    }

    void check_steps() {
        for (const Precision precision : {Precision::float32, Precision::bfloat16}) {
            const std::string type = precision == Precision::float32 ? "float32" : "bfloat16";
            std::map<std::string, TrainingResult> plain;
            // `work` returns what is wrong with one of the runs.
            const auto check_runs = [&](DeviceCheck it, const auto& work) {
                check(std::move(it), [&]() -> std::string {
                    for (const auto& [name, spec] : checked_runs(precision)) {
                        if (const std::string words = work(name, spec); !words.empty()) return name + ": " + words;
                    }
                    return "";
                });
            };
            check_runs({.name = "eight training steps, " + type}, [&](const std::string& name, const RunSpec& spec) {
                plain[name] = train(Use::device, spec);
                return differences(plain[name], train(Use::cpu, spec), precision);
            });
            if (!trust_.device) return;
            check_runs({.name = "the same eight steps again, " + type},
                       [&](const std::string& name, const RunSpec& spec) -> std::string {
                           return train(Use::device, spec).state == plain[name].state
                                      ? ""
                                      : "the weights differ from those of the first time";
                       });
            if (!trust_.device) return;
            if (!graphs_ || !trust_.graphs) continue;
            check_runs({.name = "eight training steps with CUDA graphs, " + type, .of_graphs = true},
                       [&](const std::string& name, const RunSpec& spec) -> std::string {
                           const TrainingResult by_graphs = train(Use::graphs, spec);
                           if (by_graphs.steps_as != "a graph") return "steps started " + by_graphs.steps_as;
                           const auto words = difference(by_graphs.losses, plain[name].losses, 1e-6);
                           if (!words.empty()) return words;
                           return by_graphs.state == plain[name].state
                                      ? ""
                                      : "the weights differ from the weights without CUDA graphs";
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
                return cohort(where, tokens, checked_runs(Precision::float32).front().second)
                    ->model(0)
                    ->generate(prompt, options);
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

std::vector<std::pair<std::string, RunSpec>> checked_runs(Precision precision) {
    RunSpec usual;
    usual.layers = 2;
    usual.heads = 2;
    usual.width = 64;
    usual.context = 33;
    usual.batch = 3;
    usual.iterations = 8;
    usual.warmup = 2;
    usual.precision = precision;
    usual.learning_rate = 3e-3;
    usual.evaluation = Evaluation::sampled;
    usual.evaluation_batches = 2;
    RunSpec dropping = usual;
    dropping.heads = 3;
    dropping.width = 36;  // rows of qkv whose width is not a multiple of eight
    dropping.dropout = 0.1;
    dropping.bias = true;
    RunSpec llama = usual;
    llama.block = Block::llama;  // RMSNorm and SwiGLU
    llama.heads = 4;
    llama.key_value_heads = 2;
    llama.fraction = 0.5;
    RunSpec windowed = usual;
    windowed.fraction = 0.25;
    windowed.attention_window = 9;
    RunSpec all = llama;
    all.dropout = 0.1;
    all.attention_window = 9;
    return {{"default settings", usual},
            {"with dropout and bias", dropping},
            {"with RMSNorm, grouped queries and half of the channels rotated", llama},
            {"with a sliding window and a quarter of the channels rotated", windowed},
            {"with RMSNorm, grouped queries, half of the channels rotated, dropout and a sliding window", all}};
}

CheckTolerance check_tolerance(Precision precision) {
    return precision == Precision::float32 ? CheckTolerance{3e-6, 2e-4} : CheckTolerance{2e-3, 0.15};
}

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
