// gpu_compare cpu|cuda PART: measures one part of the report of tests/bench/gpu_report and writes it as JSON. Each part
// runs in a separate process, so that a crash does not affect the others. `steps_beside_the_cpu` compares the losses of
// 50 training steps with those of the CPU in float32, `memory` compares the predicted memory with the memory that
// LibTorch allocated, `check` runs the check of the device; the other parts measure speeds. On the CPU the models are
// smaller.

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <tuple>

#include "core/base/numbers.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/device/cuda.h"
#include "core/engine/torch_engine.h"
#include "core/engine/train/torch_cohort.h"
#include "core/forecast/device_need.h"
#include "core/forecast/likely_data.h"

namespace ropelab {

// Replace the functions of core/forecast/likely_data.cpp, which requires SentencePiece: the models of this program have
// the vocabulary of Tiny Shakespeare, and its texts are generated.
std::int64_t likely_vocabulary(const RunSpec&) {
    return 65;
}
std::int64_t likely_tokens(const RunSpec& spec) {
    return spec.data_length;
}

namespace {

constexpr int vocabulary = 65;

// Returns a text of tokens that a model can learn: in eight of nine cases the previous token determines the next one.
std::vector<std::int32_t> some_text(std::size_t length) {
    std::vector<std::int32_t> tokens(length);
    std::uint32_t state = 1;
    std::int32_t last = 0;
    for (std::int32_t& token : tokens) {
        state = state * 1664525U + 1013904223U;
        const auto noise = static_cast<std::int32_t>((state >> 16) % (9 * vocabulary));
        last = noise < vocabulary ? noise : (last * 7 + 3) % vocabulary;
        token = last;
    }
    return tokens;
}

// Builds the text of a JSON object.
class Object {
 public:
    Object& add(const std::string& name, const std::string& json) {
        text_ += (text_.empty() ? "" : ", ") + ("\"" + name + "\": " + json);
        return *this;
    }
    Object& number(const std::string& name, double value) {
        return add(name, std::isfinite(value) ? number_text(value) : "null");
    }
    /// Adds a string member. Only the first line is used, because LibTorch's error messages contain a stack trace.
    Object& words(const std::string& name, const std::string& value) {
        std::string escaped;
        for (char c : value.substr(0, value.find('\n')))
            escaped += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
        return add(name, "\"" + escaped + "\"");
    }
    std::string text() const { return "{" + text_ + "}"; }

 private:
    std::string text_;
};

double seconds_of(const std::function<void()>& work) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    return values.empty() ? 0 : values[values.size() / 2];
}

class Report {
 public:
    explicit Report(Device device) : device_(device), training_(some_text(1003854)), validation_(some_text(111540)) {}

    /// Measures a part and returns it as JSON. Throws std::out_of_range for an unknown part.
    std::string part(const std::string& name) {
        using Part = std::string (Report::*)();
        static const std::map<std::string, Part> parts = {
            {"machine", &Report::machine},       {"steps_beside_the_cpu", &Report::beside_the_cpu},
            {"training", &Report::training},     {"graphs", &Report::graphs},
            {"cohorts", &Report::cohorts},       {"theta_and_fraction", &Report::settings},
            {"evaluation", &Report::evaluation}, {"generation", &Report::generation},
            {"memory", &Report::memory},         {"check", &Report::check},
        };
        return (this->*parts.at(name))();
    }

 private:
    bool on_gpu() const { return device_ == Device::cuda; }

    std::string machine() {
        const EngineInfo info = engine_.info();
        return Object()
            .words("device", on_gpu() ? "cuda" : "cpu")
            .words("libtorch", info.version)
            .words("cuda", info.cuda_detail)
            .number("threads", static_cast<double>(info.threads))
            .text();
    }

    // Returns nanoGPT's documented settings for training on a CPU.
    RunSpec small() const {
        RunSpec spec;
        spec.layers = 4;
        spec.heads = 4;
        spec.width = 128;
        spec.context = 64;
        spec.batch = 12;
        spec.device = device_;
        spec.precision = Precision::float32;
        return spec;
    }
    // Returns the model shape of Huang et al. 2025 with a batch size of 64, or 8 on the CPU.
    RunSpec paper(Precision precision) const {
        RunSpec spec = small();
        spec.layers = 6;
        spec.heads = 6;
        spec.width = 384;
        spec.context = 256;
        spec.batch = on_gpu() ? 64 : 8;
        spec.dropout = 0.2;
        spec.precision = precision;
        return spec;
    }

    std::unique_ptr<Cohort> cohort(const std::vector<RunSpec>& runs) {
        CohortStart start;
        start.runs = runs;
        return engine_.create_cohort(start, {vocabulary, training_, validation_});
    }

    std::vector<double> losses(const RunSpec& spec, int steps) {
        const auto runs = cohort({spec});
        std::vector<double> result;
        for (int step = 0; step < steps; ++step) result.push_back(runs->step().front().training_loss);
        return result;
    }

    std::string beside_the_cpu() {
        constexpr int steps = 50;
        Object result;
        for (double dropout : {0.0, 0.2}) {
            RunSpec reference = small();
            reference.device = Device::cpu;
            reference.dropout = dropout;
            const std::vector<double> wanted = losses(reference, steps);
            for (Precision precision : {Precision::float32, Precision::bfloat16}) {
                RunSpec spec = reference;
                spec.device = device_;
                spec.precision = precision;
                const std::vector<double> got = losses(spec, steps);
                double largest = 0;
                for (std::size_t i = 0; i < got.size(); ++i) largest = std::max(largest, std::abs(got[i] - wanted[i]));
                Object one;
                one.number("largest_loss_difference", largest)
                    .number("last_loss", got.back())
                    .number("last_loss_on_cpu", wanted.back());
                result.add(std::string(precision == Precision::float32 ? "float32" : "bfloat16") +
                               (dropout > 0 ? ", dropout" : ""),
                           one.text());
            }
        }
        return result.text();
    }

    // Returns the median time of a step after a warm-up, in milliseconds. It measures for at most three seconds or five
    // steps, whichever is longer.
    double step_time(const std::vector<RunSpec>& runs) {
        const auto trained = cohort(runs);
        const std::size_t steps = on_gpu() ? 40 : 5;
        for (int i = 0; i < (on_gpu() ? 5 : 2); ++i) trained->step();
        std::vector<double> times;
        double total = 0;
        while (times.size() < 5 || (times.size() < steps && total < 3000)) {
            times.push_back(1000 * seconds_of([&] { trained->step(); }));
            total += times.back();
        }
        return median(times);
    }

    // Measures steps and evaluations with and without CUDA graphs; on the CPU only without.
    std::string graphs() {
        Object result;
        const std::vector<bool> ways = on_gpu() ? std::vector<bool>{true, false} : std::vector<bool>{false};
        for (bool use : ways) {
            if (on_gpu()) trust_cuda({.graphs = use});
            for (bool large : {false, true}) {
                RunSpec spec = large ? paper(Precision::bfloat16) : small();
                spec.evaluation_batches = 20;
                if (large && !on_gpu()) continue;
                const auto runs = cohort({spec});
                for (int i = 0; i < 5; ++i) runs->step();
                const std::string way = dynamic_cast<const TorchCohort&>(*runs).steps_as();
                const auto never = [] { return false; };
                runs->evaluate(never);
                Object one;
                one.number("milliseconds_per_step", step_time({spec}))
                    .number("seconds_per_evaluation", seconds_of([&] { runs->evaluate(never); }))
                    .words("steps_as", way);
                result.add(std::string(large ? "paper" : "small") + (use ? ", graphs" : ", no graphs"), one.text());
            }
        }
        return result.text();
    }

    // Returns the number of multiplications and additions in the matrix products of one step, forward and backward.
    static double operations(const RunSpec& spec) {
        const double tokens = static_cast<double>(spec.batch * spec.context);
        const double width = static_cast<double>(spec.width);
        const double weights = static_cast<double>(spec.layers) * 12 * width * width + vocabulary * width;
        const double attention = static_cast<double>(spec.layers) * 2 * static_cast<double>(spec.context) * width;
        return 6 * tokens * (weights + attention);
    }

    static std::string timed(const RunSpec& spec, std::size_t runs, double milliseconds) {
        const auto count = static_cast<double>(runs);
        return Object()
            .number("milliseconds_per_step", milliseconds)
            .number("tokens_per_second", count * static_cast<double>(spec.batch * spec.context) / milliseconds * 1000)
            .number("teraflops", count * operations(spec) / milliseconds / 1e9)
            .text();
    }

    std::string training() {
        Object result;
        for (Precision precision : {Precision::float32, Precision::bfloat16}) {
            const std::string name = precision == Precision::float32 ? "float32" : "bfloat16";
            result.add("paper, " + name, timed(paper(precision), 1, step_time({paper(precision)})));
            RunSpec spec = small();
            spec.precision = precision;
            result.add("small, " + name, timed(spec, 1, step_time({spec})));
        }
        if (on_gpu()) {  // without dropout, attention is flash attention instead of separate operations
            RunSpec spec = paper(Precision::bfloat16);
            spec.dropout = 0;
            result.add("paper, bfloat16, no dropout", timed(spec, 1, step_time({spec})));
        }
        return result.text();
    }

    std::string cohorts() {
        Object result;
        const RunSpec shape = on_gpu() ? paper(Precision::bfloat16) : small();
        const std::vector<std::size_t> widths =
            on_gpu() ? std::vector<std::size_t>{1, 2, 4, 6, 9, 18} : std::vector<std::size_t>{1, 6};
        double alone = 0;
        for (std::size_t width : widths) {
            std::vector<RunSpec> runs(width, shape);
            for (std::size_t run = 0; run < width; ++run) runs[run].theta = 100.0 * static_cast<double>(run + 1);
            try {
                const double milliseconds = step_time(runs);
                if (width == 1) alone = milliseconds;
                Object one;
                one.number("milliseconds_per_step", milliseconds)
                    .number("cohort_speedup", alone * static_cast<double>(width) / milliseconds);
                result.add(std::to_string(width), one.text());
            } catch (const std::exception& error) {
                result.add(std::to_string(width), Object().words("error", error.what()).text());
                break;
            }
        }
        return result.text();
    }

    std::string settings() {
        const RunSpec shape = on_gpu() ? paper(Precision::bfloat16) : small();
        Object result;
        double fastest = 1e30;
        double slowest = 0;
        for (double theta : {10.0, 10000.0, 1e6}) {
            for (double fraction : {0.25, 1.0}) {
                RunSpec spec = shape;
                spec.theta = theta;
                spec.fraction = fraction;
                const double milliseconds = step_time({spec});
                fastest = std::min(fastest, milliseconds);
                slowest = std::max(slowest, milliseconds);
                result.number("theta " + number_text(theta) + ", fraction " + number_text(fraction), milliseconds);
            }
        }
        result.number("slowest_over_fastest", slowest / fastest);
        return result.text();
    }

    // Measures a full evaluation: the whole validation split and as many tokens of training data.
    std::string evaluation() {
        RunSpec spec = on_gpu() ? paper(Precision::bfloat16) : small();
        spec.evaluation_batches = 20;
        const auto runs = cohort({spec});
        const auto never = [] { return false; };
        runs->evaluate(never);
        return Object().number("seconds", seconds_of([&] { runs->evaluate(never); })).text();
    }

    std::string generation() {
        Object result;
        for (Precision precision : {Precision::float32, Precision::bfloat16}) {
            if (precision == Precision::bfloat16 && !on_gpu()) continue;
            RunSpec spec = paper(precision);
            spec.dropout = 0;
            const auto model = cohort({spec})->model(0);
            const auto measure = [&](const std::string& name, const Generation& options) {
                const std::vector<std::int32_t> prompt = {0};
                std::size_t count = 0;
                Generation warm_up = options;  // loads everything that is loaded only once
                warm_up.length = 8;
                model->generate(prompt, warm_up);
                std::vector<double> times;
                for (int time = 0; time < (on_gpu() ? 3 : 1); ++time) {
                    times.push_back(seconds_of([&] { count = model->generate(prompt, options).size(); }));
                }
                std::sort(times.begin(), times.end());
                const double seconds = times[times.size() / 2];
                result.add(name + (precision == Precision::bfloat16 ? ", bfloat16" : ""),
                           Object()
                               .number("characters", static_cast<double>(count))
                               .number("tokens_per_second", static_cast<double>(count) / seconds)
                               .text());
            };
            Generation options;
            options.mode = Generation::Mode::rolling;
            options.length = 500;
            measure("rolling", options);
            options.mode = Generation::Mode::recompute;
            options.length = 100;
            measure("recompute", options);
        }
        return result.text();
    }

    // Compares the predicted device memory of a cohort with the peak memory that LibTorch allocated during training and
    // evaluation.
    std::string memory() {
        Object result;
        const CudaGraphs* device = on_gpu() ? open_cuda().graphs : nullptr;
        if (!device) return result.text();
        RunSpec llama = paper(Precision::bfloat16);
        llama.block = Block::llama;
        llama.key_value_heads = 2;
        llama.qk_norm = QkNorm::head;
        llama.dropout = 0;
        const std::vector<std::tuple<std::string, RunSpec, std::size_t>> cases = {
            {"paper", paper(Precision::bfloat16), 1},
            {"paper, float32", paper(Precision::float32), 1},
            {"paper, 6 runs", paper(Precision::bfloat16), 6},
            {"paper's llama", llama, 1},
            {"small, 6 runs", small(), 6},
        };
        for (const auto& [name, spec, count] : cases) {
            device->take_peak();
            {
                const auto runs = cohort(std::vector<RunSpec>(count, spec));
                for (int i = 0; i < 6; ++i) runs->step();
                runs->evaluate([] { return false; });
                runs->model(0);
            }
            const auto peak = static_cast<double>(device->take_peak());
            const double predicted = device_need(spec, static_cast<std::int64_t>(count), vocabulary).total();
            result.add(name, Object()
                                 .number("predicted_megabytes", predicted / 1e6)
                                 .number("held_megabytes", peak / 1e6)
                                 .number("predicted_over_held", predicted / peak)
                                 .text());
        }
        return result.text();
    }

    // Lists the outcome of each comparison of the device check.
    std::string check() {
        Object result;
        if (!on_gpu()) return result.text();
        engine_.check_device([&](const DeviceCheck& one) {
            if (one.outcome == DeviceCheck::Outcome::started) return;
            result.add(one.name,
                       Object().words("outcome", std::string(word_of(one.outcome))).words("detail", one.detail).text());
        });
        return result.text();
    }

    Device device_;
    std::vector<std::int32_t> training_;
    std::vector<std::int32_t> validation_;
    TorchEngine engine_;
};

int run(const std::string& device, const std::string& part) {
    if (device != "cpu" && device != "cuda") {
        std::cerr << "gpu_compare: specify the device (cpu or cuda) and a part.\n";
        return 2;
    }
    if (device == "cuda" && !open_cuda().available) {
        std::cerr << "gpu_compare: " << open_cuda().detail << '\n';
        return 1;
    }
    if (device == "cuda") trust_cuda({.graphs = true});  // as after a check that has passed
    std::cout << Report(device == "cuda" ? Device::cuda : Device::cpu).part(part) << std::endl;
    return 0;
}

}  // namespace
}  // namespace ropelab

int main(int count, char** arguments) {
    try {
        return ropelab::run(count == 3 ? arguments[1] : "", count == 3 ? arguments[2] : "");
    } catch (const std::exception& error) {
        const std::string words = error.what();
        std::cerr << "gpu_compare: " << words.substr(0, words.find('\n')) << '\n';
        return 1;
    }
}
