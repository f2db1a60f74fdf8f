#include "core/train/torch_cohort.h"

#include <ATen/ops/_fused_adamw.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <chrono>
#include <cmath>
#include <limits>

#include "core/kernels/kernels.h"
#include "core/model/decoder.h"
#include "core/model/fused.h"
#include "core/model/operations.h"
#include "core/model/parallel.h"
#include "core/model/probe.h"
#include "core/model/torch_model.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/train/amx.h"
#include "core/train/batches.h"
#include "core/train/cuda.h"
#include "core/train/cuda_trainer.h"
#include "core/train/processor.h"
#include "core/train/schedule.h"

namespace ropelab {

namespace {

struct Batch {
    torch::Tensor x;  // (runs, batch, context) int64
    torch::Tensor y;  // (runs, batch·context) int64
};

Batch gather(std::span<const std::int32_t> tokens, const std::vector<std::vector<std::int64_t>>& starts,
             std::int64_t context, torch::Device device) {
    const auto runs = static_cast<std::int64_t>(starts.size());
    const auto batch = static_cast<std::int64_t>(starts.front().size());
    Batch result{torch::empty({runs, batch, context}, torch::kInt64),
                 torch::empty({runs, batch * context}, torch::kInt64)};
    auto* inputs = result.x.data_ptr<std::int64_t>();
    auto* targets = result.y.data_ptr<std::int64_t>();
    for (const auto& run : starts) {
        for (std::int64_t start : run) {
            const std::int32_t* source = tokens.data() + start;
            inputs = std::copy(source, source + context, inputs);
            targets = std::copy(source + 1, source + context + 1, targets);
        }
    }
    return {result.x.to(device), result.y.to(device)};
}

void check_length(std::span<const std::int32_t> tokens, const RunSpec& spec, const std::string& split) {
    if (static_cast<std::int64_t>(tokens.size()) < spec.context + 2) {
        throw BadInput("The " + split + " split has " + std::to_string(tokens.size()) + " symbols, but a context of " +
                       std::to_string(spec.context) + " needs at least " + std::to_string(spec.context + 2) + ".");
    }
}

// Turns memory that is used up into one clear sentence, and leaves out the trace of calls that LibTorch's errors carry.
template <typename Work>
auto within_memory(const std::vector<RunSpec>& specs, Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        const std::string words = error.what_without_backtrace();
        const bool on_device = dynamic_cast<const c10::OutOfMemoryError*>(&error) != nullptr;
        if (on_device || words.find("can't allocate memory") != std::string::npos) {
            refuse_for_memory(specs.front(), std::ssize(specs), on_device);
        }
        throw std::runtime_error(words.substr(0, words.find('\n')));
    }
}

}  // namespace

struct TorchCohort::State {
    std::vector<RunSpec> specs;
    TokenData data;
    torch::Device device;
    TableChanges changes;
    RunConditions conditions;
    Precision precision = Precision::float32;
    std::int64_t iteration = 0;

    Decoder decoder;
    Parameters weights;
    TableSource tables;
    torch::Tensor gradient;       // (runs, total)
    torch::Tensor first_moment;   // (runs, total)
    torch::Tensor second_moment;  // (runs, total)
    std::unique_ptr<CudaTrainer> trainer;

    State(const CohortStart& start, const TokenData& tokens, torch::Tensor flat)
        : specs(start.runs),
          data(tokens),
          device(flat.device()),
          changes{start.scaling, {}},
          decoder(specs.front()),
          weights(layout_of(specs.front(), tokens.vocabulary), std::move(flat)) {
        reset_rows();
    }

    // After the runs changed: everything that has a row for each of them.
    void reset_rows() {
        trainer.reset();  // its graphs know the old ones
        renew_tables();
        gradient = torch::zeros_like(weights.flat());
    }

    // Without gradients, for whatever does not train.
    void renew_tables() { tables = TableSource(specs, specs.front().context, device, changes, &weights); }

    // What products in bfloat16 read; every step writes it with the weights. Without kernels nothing on a device would,
    // nor does AdamW operation by operation: then products round the weights themselves.
    void renew_working_copy() {
        using Working = Parameters::Working;
        const bool wanted = precision == Precision::bfloat16 && !decoder.eager();
        weights.keep_working_copy(!wanted                      ? Working::none
                                  : has_device_kernels(device) ? Working::rows
                                  : device.is_cpu()            ? Working::matrices
                                                               : Working::none);
    }

    // A schedule's theta after `iteration` steps.
    void follow_schedule() {
        const torch::NoGradGuard no_gradients;
        const std::int64_t place = weights.layout().at("rotary.shift").offset;
        for (std::size_t run = 0; run < specs.size(); ++run) {
            const double shift = std::log(theta_at(specs[run], iteration) / specs[run].theta);
            weights.flat()[static_cast<std::int64_t>(run)][place] = shift;
        }
    }

    std::vector<std::vector<std::int64_t>> starts(
        const std::function<std::vector<std::int64_t>(const RunSpec&)>& of) const {
        std::vector<std::vector<std::int64_t>> result;
        for (const RunSpec& spec : specs) result.push_back(of(spec));
        return result;
    }

    // Fills `gradient` and returns the mean loss of each run: (runs).
    torch::Tensor forward_and_backward(const Batch& batch, Precision how) {
        const EagerGuard as_asked(decoder.eager());
        std::vector<std::int64_t> seeds;
        for (const RunSpec& spec : specs) seeds.push_back(spec.seed);
        const Dropout dropout(specs.front().dropout, seeds, iteration, trainer ? trainer->streams() : nullptr);
        const bool trains_theta = specs.front().rotates() && specs.front().theta_training != ThetaTraining::fixed;
        const std::int64_t context = specs.front().context;
        const torch::Tensor logits = decoder.logits(
            weights, batch.x,
            trains_theta ? layer_tables(specs, context, device, changes, &weights) : tables.at(0, context), how,
            dropout);
        const torch::Tensor means = row_means(token_losses(logits, batch.y));
        // What products read a copy of has two gradients; either may be missing.
        std::vector<torch::Tensor> leaves = weights.leaves();
        const std::size_t count = leaves.size();
        std::vector<std::size_t> copied;
        for (std::size_t i = 0; i < count; ++i) {
            if (!weights.working(i).defined() || !weights.working(i).requires_grad()) continue;
            leaves.push_back(weights.working(i));
            copied.push_back(i);
        }
        // The runs' losses are added only to start all their gradients at once; none reaches another's weights.
        const auto gradients = torch::autograd::grad({means.sum()}, leaves, {}, {}, false, true);
        const auto place = [&](std::size_t i) {
            const Parameter& parameter = weights.layout().parameters[i];
            return gradient.narrow(1, parameter.offset, parameter.size).view(weights.leaves()[i].sizes());
        };
        for (std::size_t i = 0; i < count; ++i) {
            if (gradients[i].defined()) place(i).copy_(gradients[i]);  // else a schedule's theta, or below
        }
        for (std::size_t i = 0; i < copied.size(); ++i) {
            const torch::Tensor& of_copy = gradients[count + i];
            if (!of_copy.defined()) continue;
            if (gradients[copied[i]].defined()) {
                place(copied[i]).add_(of_copy);
            } else {
                place(copied[i]).copy_(of_copy);
            }
        }
        return means.detach();
    }

    // What trains and evaluates where the device has kernels; null elsewhere, and operation by operation.
    CudaTrainer* on_device() {
        if (!trainer && !decoder.eager() && has_device_kernels(device)) {
            using T = torch::Tensor;
            DeviceCohort cohort{specs, data, weights.layout().matrices, weights.flat(), gradient, {}, {}, {}, {}, {}};
            cohort.first_moment = first_moment;
            cohort.second_moment = second_moment;
            cohort.working = weights.working_rows();
            cohort.train = [this](const T& x, const T& y) { return forward_and_backward({x, y}, precision); };
            cohort.losses = [this](const T& x, const T& y) {
                return token_losses(decoder.logits(weights, x, tables.at(0, specs.front().context), precision), y);
            };
            within_memory(specs, [&] {
                trainer = std::make_unique<CudaTrainer>(std::move(cohort), iteration, device_kernels(device).graphs);
            });
        }
        return trainer.get();
    }

    // A whole row is worked on in parts of this many numbers, by any thread; sums are made part after part.
    static constexpr std::int64_t part_size = 65536;

    double gradient_norm(std::int64_t run) const {
        const torch::Tensor row = gradient.select(0, run);
        if (decoder.eager() || !device.is_cpu()) return row.norm().item<double>();
        ROPELAB_OWN_PASS("gradient_norm");
        const std::int64_t parts = (row.numel() + part_size - 1) / part_size;
        std::vector<double> squares(static_cast<std::size_t>(parts));
        const float* numbers = row.data_ptr<float>();
        at::parallel_for(0, parts, 1, [&](std::int64_t first, std::int64_t last) {
            for (std::int64_t part = first; part < last; ++part) {
                const std::int64_t begin = part * part_size;
                squares[static_cast<std::size_t>(part)] =
                    kernels::sum_of_squares(numbers + begin, std::min(part_size, row.numel() - begin));
            }
        });
        double total = 0;
        for (double square : squares) total += square;
        return std::sqrt(total);
    }

    // f(first, last, where the working copy of those numbers lies, if any) over the numbers begin … end − 1 of a run's
    // row, in pieces that lie in one matrix each where there is a copy.
    template <typename F>
    void each_copied(std::int64_t run, std::int64_t begin, std::int64_t end, F f) const {
        const auto& parameters = weights.layout().parameters;
        for (std::size_t i = 0; i < parameters.size() && begin < end; ++i) {
            const torch::Tensor& copy = weights.working(i);
            const std::int64_t last = std::min(end, parameters[i].offset + parameters[i].size);
            if (!copy.defined() || last <= begin) continue;
            auto* numbers = reinterpret_cast<std::uint16_t*>(copy.data_ptr<at::BFloat16>());
            f(begin, last, numbers + run * parameters[i].size + begin - parameters[i].offset);
            begin = last;
        }
        if (begin < end) f(begin, end, nullptr);
    }

    // One step of AdamW with the gradient multiplied by `scale`; matrices decay, vectors do not.
    void adamw(std::int64_t run, double rate, double scale) {
        const torch::NoGradGuard no_gradients;
        const Layout& layout = weights.layout();
        const RunSpec& spec = specs[static_cast<std::size_t>(run)];
        constexpr double epsilon = 1e-8;
        const auto update = [&](std::int64_t offset, std::int64_t size, double decay, double its_rate) {
            const auto part = [&](const torch::Tensor& rows) { return rows.select(0, run).narrow(0, offset, size); };
            if (decoder.eager()) {
                const torch::Tensor of_part = part(gradient).mul(scale);
                torch::Tensor first = part(first_moment);
                torch::Tensor second = part(second_moment);
                const auto step = static_cast<double>(iteration + 1);
                first.mul_(spec.beta1).add_(of_part, 1.0 - spec.beta1);
                second.mul_(spec.beta2).addcmul_(of_part, of_part, 1.0 - spec.beta2);
                const torch::Tensor root = second.div(1.0 - std::pow(spec.beta2, step)).sqrt().add(epsilon);
                part(weights.flat())
                    .mul_(1.0 - its_rate * decay)
                    .addcdiv_(first, root, -its_rate / (1.0 - std::pow(spec.beta1, step)));
                return;
            }
            if (!device.is_cpu()) {
                // The number of this step, from 1, for the bias correction.
                const torch::Tensor steps =
                    torch::full({}, static_cast<double>(iteration + 1), torch::kFloat32).to(device);
                const torch::Tensor scaled = part(gradient).mul(scale);
                at::_fused_adamw_({part(weights.flat())}, {scaled}, {part(first_moment)}, {part(second_moment)}, {},
                                  {steps}, its_rate, spec.beta1, spec.beta2, decay, epsilon, false, false);
                return;
            }
            ROPELAB_OWN_PASS("adamw");
            const auto step = static_cast<double>(iteration + 1);
            const kernels::AdamW settings{.rate = its_rate,
                                          .beta1 = spec.beta1,
                                          .beta2 = spec.beta2,
                                          .epsilon = epsilon,
                                          .decay = decay,
                                          .correction1 = 1.0 - std::pow(spec.beta1, step),
                                          .correction2 = 1.0 - std::pow(spec.beta2, step)};
            const auto numbers = [&](const torch::Tensor& rows) { return part(rows).data_ptr<float>(); };
            float* of_weights = numbers(weights.flat());
            const float* of_gradient = numbers(gradient);
            float* of_first = numbers(first_moment);
            float* of_second = numbers(second_moment);
            at::parallel_for(0, size, part_size, [&](std::int64_t begin, std::int64_t end) {
                each_copied(run, offset + begin, offset + end,
                            [&](std::int64_t first, std::int64_t last, std::uint16_t* working) {
                                const std::int64_t at = first - offset;
                                kernels::adamw(of_weights + at, of_gradient + at, of_first + at, of_second + at,
                                               last - first, static_cast<float>(scale), settings, working);
                            });
            });
        };
        if (decoder.eager()) {  // tensor by tensor
            for (const Parameter& parameter : layout.parameters) {
                const bool decays = parameter.offset < layout.matrices;
                if (parameter.offset >= layout.matrices + layout.vectors) break;
                update(parameter.offset, parameter.size, decays ? spec.weight_decay : 0.0, rate);
            }
        } else {
            update(0, layout.matrices, spec.weight_decay, rate);
            update(layout.matrices, layout.vectors, 0.0, rate);
        }
        if (spec.theta_training == ThetaTraining::fixed) return;
        const bool own = spec.theta_learning_rate > 0 && spec.learning_rate > 0;
        const std::int64_t first = layout.matrices + layout.vectors;
        update(first, layout.total - first, 0.0, own ? rate * spec.theta_learning_rate / spec.learning_rate : rate);
    }

    std::vector<StepResult> train(const std::vector<std::vector<std::int64_t>>& batch_starts) {
        const torch::Tensor means =
            forward_and_backward(gather(data.training, batch_starts, specs.front().context, device), precision);
        std::vector<StepResult> results;
        for (std::int64_t run = 0; run < static_cast<std::int64_t>(specs.size()); ++run) {
            const RunSpec& spec = specs[static_cast<std::size_t>(run)];
            StepResult result;
            result.training_loss = means[run].item<double>();
            result.gradient_norm = gradient_norm(run);
            result.learning_rate = learning_rate_at(spec, iteration);
            if (std::isfinite(result.training_loss) && std::isfinite(result.gradient_norm)) {
                const bool clips = spec.clip > 0 && result.gradient_norm > spec.clip;
                adamw(run, result.learning_rate, clips ? spec.clip / (result.gradient_norm + 1e-6) : 1.0);
            }
            results.push_back(result);
        }
        ++iteration;
        if (specs.front().theta_moves()) {
            if (specs.front().theta_training == ThetaTraining::fixed) follow_schedule();
            renew_tables();
        }
        return results;
    }

    // The time of one forward and backward pass on the first batch, the best of three.
    double seconds_a_pass(const Batch& batch, Precision how) {
        double best = std::numeric_limits<double>::infinity();
        for (int attempt = 0; attempt < 4; ++attempt) {
            const auto begin = std::chrono::steady_clock::now();
            forward_and_backward(batch, how);
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
            if (attempt > 0) best = std::min(best, elapsed.count());  // the first warms up
        }
        return best;
    }

    void settle_precision() {
        const auto settle = [&](Precision chosen, const std::string& reason) {
            precision = chosen;
            conditions.precision = chosen == Precision::bfloat16 ? "bfloat16" : "float32";
            conditions.reason = conditions.precision + ": " + reason;
        };
        if (specs.front().precision != Precision::automatic) return settle(specs.front().precision, "as asked.");
        if (device.is_cuda()) {
            return open_cuda().bfloat16 ? settle(Precision::bfloat16, "this device multiplies it fastest.")
                                        : settle(Precision::float32, "this device has no bfloat16 products.");
        }
        if (!processor_multiplies_bfloat16())
            return settle(Precision::float32, "this processor has no bfloat16 products.");
        const Batch batch = gather(
            data.training, starts([&](const RunSpec& spec) { return batch_starts(spec, data.training.size(), 0); }),
            specs.front().context, device);
        precision = Precision::bfloat16;
        renew_working_copy();
        const double ratio = seconds_a_pass(batch, Precision::float32) / seconds_a_pass(batch, Precision::bfloat16);
        // Cohorts of one sweep choose for themselves: what is close to equal must not fall here or there by chance.
        constexpr double worth_rounding = 1.2;
        const auto times = [](double factor) { return number_text(std::round(100.0 * factor) / 100.0); };
        if (ratio >= worth_rounding) {
            settle(Precision::bfloat16, times(ratio) + " × as fast as float32 here.");
        } else if (ratio > 1.0) {
            settle(Precision::float32, "bfloat16 is only " + times(ratio) + " × as fast here.");
        } else {
            settle(Precision::float32, times(1.0 / ratio) + " × as fast as bfloat16 here.");
        }
    }
};

TorchCohort::TorchCohort(const CohortStart& start, const TokenData& data, std::int64_t threads,
                         const std::string& why_here) {
    prepare_amx();
    if (start.runs.empty()) throw BadInput("A cohort needs at least one run.");
    for (const RunSpec& spec : start.runs) {
        check(spec);
        if (!same_shape(spec, start.runs.front())) {
            throw BadInput("Runs of one cohort must agree in everything but theta, fraction, seed and learning rate.");
        }
    }
    check_length(data.training, start.runs.front(), "training");
    check_length(data.validation, start.runs.front(), "validation");
    if (!start.states.empty() && start.states.size() != start.runs.size()) {
        throw BadInput("A cohort that goes on needs one state for each of its runs.");
    }

    const Layout layout = layout_of(start.runs.front(), data.vocabulary);
    std::vector<torch::Tensor> rows;
    std::vector<torch::Tensor> first;
    std::vector<torch::Tensor> second;
    for (std::size_t run = 0; run < start.runs.size(); ++run) {
        if (start.states.empty()) {
            rows.push_back(initial_row(layout, start.runs[run].seed));
            first.push_back(torch::zeros({layout.total}));
            second.push_back(torch::zeros({layout.total}));
        } else {
            rows.push_back(from_named(layout, start.states[run], "model."));
            first.push_back(from_named(layout, start.states[run], "optimizer.first."));
            second.push_back(from_named(layout, start.states[run], "optimizer.second."));
        }
    }

    at::set_num_threads(static_cast<int>(threads));
    const bool cuda = start.conditions ? start.conditions->device == "cuda" : start.runs.front().device == Device::cuda;
    if (cuda && start.runs.front().theta_moves()) {
        throw BadInput("A theta that moves while the model trains needs device=cpu; its tables change at every step.");
    }
    const torch::Device device = cuda ? torch::kCUDA : torch::kCPU;
    within_memory(start.runs, [&] {
        state_ = std::make_unique<State>(start, data, torch::stack(rows).to(device));
        state_->first_moment = torch::stack(first).to(device);
        state_->second_moment = torch::stack(second).to(device);
    });
    state_->iteration = start.iteration;
    if (start.conditions) {
        state_->conditions = *start.conditions;
        state_->precision = start.conditions->precision == "bfloat16" ? Precision::bfloat16 : Precision::float32;
    } else {
        state_->conditions.device = cuda ? "cuda" : "cpu";
        state_->conditions.threads = threads;
        within_memory(start.runs, [&] { state_->settle_precision(); });
        state_->conditions.reason += why_here;
    }
    within_memory(start.runs, [&] { state_->renew_working_copy(); });
}

TorchCohort::~TorchCohort() {
    state_.reset();
#ifdef __GLIBC__
    malloc_trim(0);  // what the engine keeps between steps
#endif
}

std::int64_t TorchCohort::runs() const {
    return static_cast<std::int64_t>(state_->specs.size());
}
std::int64_t TorchCohort::iteration() const {
    return state_->iteration;
}
RunConditions TorchCohort::conditions() const {
    return state_->conditions;
}

std::vector<StepResult> TorchCohort::step() {
    if (CudaTrainer* trainer = state_->on_device()) {
        auto results = trainer->step();
        ++state_->iteration;
        return results;
    }
    return step_at(state_->starts(
        [&](const RunSpec& spec) { return batch_starts(spec, state_->data.training.size(), state_->iteration); }));
}

std::vector<StepResult> TorchCohort::step_at(const std::vector<std::vector<std::int64_t>>& starts) {
    return within_memory(state_->specs, [&] {
        CudaTrainer* trainer = state_->on_device();
        if (!trainer) return state_->train(starts);
        auto results = trainer->step(starts);
        ++state_->iteration;
        return results;
    });
}

std::vector<NamedTensor> TorchCohort::gradient_at(const std::vector<std::vector<std::int64_t>>& starts,
                                                  std::int64_t run) const {
    state_->forward_and_backward(gather(state_->data.training, starts, state_->specs.front().context, state_->device),
                                 state_->precision);
    return to_named(state_->weights.layout(), state_->gradient.select(0, run), "");
}

std::string TorchCohort::steps_as() const {
    const CudaTrainer* trainer = state_->on_device();
    return trainer ? trainer->steps_as() : "operation by operation";
}

std::vector<EvaluationResult> TorchCohort::evaluate(const std::function<bool()>& cancelled) {
    State& s = *state_;
    const bool whole = s.specs.front().evaluation == Evaluation::whole;
    const auto training_starts = s.starts([&](const RunSpec& spec) {
        return whole ? spaced_starts(spec, s.data.training.size())
                     : sampled_starts(spec, s.data.training.size(), s.iteration, "training");
    });
    const auto validation_starts = s.starts([&](const RunSpec& spec) {
        return whole ? whole_windows(s.data.validation.size(), spec.context)
                     : sampled_starts(spec, s.data.validation.size(), s.iteration, "validation");
    });
    const auto losses = [&](std::span<const std::int32_t> tokens,
                            const std::vector<std::vector<std::int64_t>>& starts) {
        if (CudaTrainer* trainer = s.on_device()) {
            using Text = CudaTrainer::Text;
            const bool trains = tokens.data() == s.data.training.data();
            return trainer->mean_losses(trains ? Text::training : Text::validation, starts, cancelled);
        }
        return mean_losses(s.decoder, s.weights, s.tables, s.precision, tokens, s.specs.front().context, starts,
                           cancelled);
    };
    const std::vector<double> training = losses(s.data.training, training_starts);
    const std::vector<double> validation = training.empty() ? training : losses(s.data.validation, validation_starts);
    std::vector<EvaluationResult> results;
    for (std::size_t run = 0; run < validation.size(); ++run) results.push_back({training[run], validation[run]});
    return results;
}

void TorchCohort::remove(std::int64_t run) {
    State& s = *state_;
    std::vector<std::int64_t> kept;
    for (std::int64_t other = 0; other < runs(); ++other) {
        if (other != run) kept.push_back(other);
    }
    s.specs.erase(s.specs.begin() + run);
    if (kept.empty()) return;
    const torch::Tensor rows = torch::tensor(kept, torch::kInt64).to(s.device);
    const torch::NoGradGuard no_gradients;
    within_memory(s.specs, [&] {
        s.weights = Parameters(s.weights.layout(), s.weights.flat().index_select(0, rows));
        s.first_moment = s.first_moment.index_select(0, rows);
        s.second_moment = s.second_moment.index_select(0, rows);
        s.reset_rows();
        s.renew_working_copy();
    });
}

std::vector<NamedTensor> TorchCohort::state(std::int64_t run) const {
    std::vector<NamedTensor> result;
    const auto add = [&](const torch::Tensor& rows, const std::string& prefix) {
        for (NamedTensor& tensor : to_named(state_->weights.layout(), rows.select(0, run), prefix)) {
            result.push_back(std::move(tensor));
        }
    };
    add(state_->weights.flat(), "model.");
    add(state_->first_moment, "optimizer.first.");
    add(state_->second_moment, "optimizer.second.");
    std::sort(result.begin(), result.end(), [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
    return result;
}

std::unique_ptr<Model> TorchCohort::model(std::int64_t run) const {
    return std::make_unique<TorchModel>(state_->specs[static_cast<std::size_t>(run)], state_->weights.layout(),
                                        state_->weights.flat().select(0, run), state_->precision);
}

ProbeResult TorchCohort::probe(std::int64_t run, const ProbeRequest& request) const {
    const State& s = *state_;
    const Parameters row(s.weights.layout(), s.weights.flat().narrow(0, run, 1));
    return ropelab::probe({s.specs[static_cast<std::size_t>(run)], s.decoder, row, s.precision}, request);
}

}  // namespace ropelab
