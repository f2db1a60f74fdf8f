#include "core/engine/train/torch_cohort.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/engine/device/accelerator.h"
#include "core/engine/device/cuda.h"
#include "core/engine/device/processor_setup.h"
#include "core/engine/device/tensor_memory.h"
#include "core/engine/model/decoder.h"
#include "core/engine/model/torch_model.h"
#include "core/engine/operations/clear_errors.h"
#include "core/engine/operations/fused.h"
#include "core/engine/operations/operations.h"
#include "core/engine/operations/own_passes.h"
#include "core/engine/operations/products.h"
#include "core/engine/probe/probe.h"
#include "core/engine/train/device_trainer.h"
#include "core/engine/train/optimizer.h"
#include "core/engine/train/schedule.h"
#include "core/plan/kernels.h"

namespace ropelab {

namespace {

// By layer, as ProbeResult defines them (formula 56).
struct StepNorms {
    ProbeArray gradient_norm;
    ProbeArray update_ratio;
    ProbeArray accumulated_update;
};

// A decoder computes all runs of a cohort.
bool differ_in_rotation_only(const ModelPlan& a, const ModelPlan& b) {
    const auto unrotated = [](LayerPlan layer) {
        layer.words.clear();
        if (auto* softmax = std::get_if<Softmax>(&layer.attention)) {
            softmax->rotary.reset();
            softmax->shifted_channels.assign(softmax->shifted_channels.size(), true);  // those that do not rotate
        }
        if (auto* latent = std::get_if<Latent>(&layer.attention)) latent->rotary.reset();
        return layer;
    };
    return a.embedding == b.embedding && a.head == b.head &&
           std::ranges::equal(a.layers, b.layers, {}, unrotated, unrotated);
}

constexpr std::int64_t branch_count = 2;  // attention and MLP

// layer · branch_count + branch; −1 for parameters outside the layers.
std::int64_t branch_of(const std::string& name) {
    const std::string prefix = "layers.";
    if (!name.starts_with(prefix)) return -1;
    const std::size_t dot = name.find('.', prefix.size());
    const std::int64_t layer = std::stoll(name.substr(prefix.size(), dot - prefix.size()));
    return layer * branch_count + (name.compare(dot + 1, 9, "attention") == 0 ? 0 : 1);
}

using BranchSquares = std::vector<double>;

double sum_of_squares(const torch::Tensor& numbers) {
    return numbers.to(torch::kFloat64).square().sum().item<double>();
}

ProbeArray by_layer(const BranchSquares& squares, const BranchSquares* divisors) {
    ProbeArray result{{std::ssize(squares) / branch_count, branch_count}, {}};
    for (std::size_t i = 0; i < squares.size(); ++i) {
        const double divisor = divisors ? (*divisors)[i] : 1.0;
        result.values.push_back(divisor > 0 ? static_cast<float>(std::sqrt(squares[i] / divisor)) : 0.0F);
    }
    return result;
}

// Flat rows, (total) float32: gradient before clipping, weights before and after the step, and initial ones.
StepNorms step_norms(const Layout& layout, std::int64_t layers, const torch::Tensor& gradient,
                     const torch::Tensor& before, const torch::Tensor& after, const torch::Tensor& initial) {
    const torch::NoGradGuard no_gradients;
    const auto count = static_cast<std::size_t>(layers * branch_count);
    BranchSquares gradients(count), weights(count), updates(count), starts(count), changes(count);
    const auto host_row = [](const torch::Tensor& row) { return row.detach().to(torch::kCPU); };
    const torch::Tensor rows[] = {host_row(gradient), host_row(before), host_row(after), host_row(initial)};
    for (const Parameter& parameter : layout.parameters) {
        const std::int64_t branch = branch_of(parameter.name);
        if (branch < 0) continue;
        const auto part = [&](int row) {
            return rows[row].narrow(0, parameter.offset, parameter.size).to(torch::kFloat64);
        };
        const auto index = static_cast<std::size_t>(branch);
        const torch::Tensor old = part(1);
        const torch::Tensor now = part(2);
        const torch::Tensor first = part(3);
        gradients[index] += sum_of_squares(part(0));
        weights[index] += sum_of_squares(old);
        updates[index] += sum_of_squares(now - old);
        starts[index] += sum_of_squares(first);
        changes[index] += sum_of_squares(now - first);
    }
    return {by_layer(gradients, nullptr), by_layer(updates, &weights), by_layer(changes, &starts)};
}

// (runs, n) → (runs). The order of summation does not depend on the number of rows.
torch::Tensor row_means(const torch::Tensor& losses) {
    std::vector<torch::Tensor> means;
    for (std::int64_t run = 0; run < losses.size(0); ++run) means.push_back(losses.select(0, run).mean());
    return torch::stack(means);
}

void check_length(const TokenText& tokens, const RunSpec& spec, const std::string& split) {
    if (static_cast<std::int64_t>(tokens.size()) < spec.context + 1) {
        throw BadInput("The " + split + " split has " + std::to_string(tokens.size()) + " tokens, but a context of " +
                       std::to_string(spec.context) + " requires at least " + std::to_string(spec.context + 1) + ".");
    }
}

[[noreturn]] void refuse_for_memory(const RunSpec& spec, std::int64_t runs, bool on_device) {
    throw BadInput(std::string(on_device ? "The device" : "This machine") + " does not have enough memory for " +
                   std::to_string(runs) + (runs == 1 ? " run" : " runs") + " with a batch size of " +
                   std::to_string(spec.batch) + " and a context of " + std::to_string(spec.context) +
                   " tokens; use a smaller batch size or micro_batch" + (on_device ? ", or device=cpu." : "."));
}

// LibTorch's errors become one sentence each; the error for exhausted memory says what helps.
template <typename Work>
auto with_readable_errors(const std::vector<RunSpec>& specs, Work work) {
    try {
        return work();
    } catch (const c10::Error& error) {
        if (is_out_of_memory(error)) {
            refuse_for_memory(specs.front(), std::ssize(specs), is_out_of_device_memory(error));
        }
        throw_clearly(error);
    }
}

// A cohort trains as one batch, whose operations are distributed over the threads, or one run per core, which needs no
// barriers and fits into a core's cache. The first steps compute both; one run per core is used where it is faster and
// all its bits are those of the batch.
class CohortWay {
 public:
    void add(double seconds_as_batch, double seconds_one_per_core, bool equal_bits) {
        as_batch_ = std::min(as_batch_, seconds_as_batch);
        one_per_core_ = std::min(one_per_core_, seconds_one_per_core);
        agrees_ = agrees_ && equal_bits;
        ++steps_;
    }
    bool is_settled() const { return steps_ == measured_steps || !agrees_; }
    /// As known of this work, or else by the measured times; once, after the last step that was measured.
    void choose(const std::string& work) {
        const std::optional<std::string> known = known_choice(work);
        is_faster_ = known ? *known == "one run per core" : one_per_core_ < as_batch_;
        if (!known && agrees_) add_choices({{work, is_faster_ ? "one run per core" : "as one batch"}});
    }
    bool is_one_per_core() const { return is_settled() && agrees_ && is_faster_; }

 private:
    static constexpr int measured_steps = 2;
    int steps_ = 0;
    bool agrees_ = true;
    bool is_faster_ = false;
    double as_batch_ = std::numeric_limits<double>::infinity();
    double one_per_core_ = as_batch_;
};

std::string graphs_in_use(const ModelPlan& plan, torch::Device device) {
    return to_text({.graphs = graph_supports_token(plan) && graphs_on(device)});
}

}  // namespace

struct TorchCohort::State {
    std::vector<RunSpec> specs;
    std::vector<ModelPlan> plans;
    TokenData data;
    torch::Device device;
    RunConditions conditions;
    Precision precision = Precision::float32;
    std::string precision_reason;  // CohortStart::precision_reason
    std::int64_t iteration = 0;

    Decoder decoder;
    Parameters weights;
    PositionSource terms;
    Optimizer optimizer;
    std::unique_ptr<DeviceTrainer> trainer;
    bool measures_next_step = false;
    std::vector<StepNorms> norms;  // of the step before `iteration`, one per run; empty if it was not measured
    std::vector<State> singles;    // views of each run, trained one per core; empty before the first step
    CohortWay way;

    State(const CohortStart& start, const TokenData& tokens, torch::Tensor flat)
        : specs(start.runs),
          plans(start.plans),
          data(tokens),
          device(flat.device()),
          decoder(plans.front()),
          weights(layout_of(plans.front()), std::move(flat)) {
        reset_rows();
    }

    void reset_rows() {
        trainer.reset();  // its graphs use the old rows
        norms.clear();
        update_terms();
        optimizer.gradient = torch::zeros_like(weights.flat());
    }

    // Without gradients, for everything but the training of theta.
    void update_terms() {
        singles.clear();
        terms = PositionSource(plans, specs.front().context, device, &weights);
    }

    // AdamW on the CPU updates the working copy; otherwise products round the weights themselves.
    void update_working_copy() {
        singles.clear();
        weights.set_working_copy(precision == Precision::bfloat16 && !decoder.eager() &&
                                 specs.front().trains_with_adamw() && has_own_passes(weights.flat()));
    }

    void apply_theta_schedule() {
        const torch::NoGradGuard no_gradients;
        const std::int64_t offset = weights.layout().at("rotary.shift").offset;
        for (std::size_t run = 0; run < specs.size(); ++run) {
            weights.flat()[static_cast<std::int64_t>(run)][offset] = theta_shift_at(specs[run], iteration);
        }
    }

    TokenBatch training_batch(const std::vector<std::vector<std::int64_t>>& starts, torch::Device where) const {
        return token_batch(data.training, starts, 0, std::ssize(starts.front()), specs.front().context, where);
    }

    std::vector<std::vector<std::int64_t>> starts(
        const std::function<std::vector<std::int64_t>(const RunSpec&)>& starts_of) const {
        std::vector<std::vector<std::int64_t>> result;
        for (const RunSpec& spec : specs) result.push_back(starts_of(spec));
        return result;
    }

    // Returns the mean losses, (runs). `streams` replaces the step of the dropout masks
    // (core/engine/operations/dropout.h).
    torch::Tensor forward_and_backward(const TokenBatch& batch,
                                       const std::shared_ptr<DeviceStreams>& streams = nullptr) {
        const EagerGuard eager_guard(decoder.eager());
        const Dropout dropout(specs.front().dropout, seeds_of(specs), iteration, streams);
        const std::int64_t sequences = batch.x.size(1);
        if (specs.front().micro_batch == 0) return pass(batch, dropout, 1.0, false);
        // Gradient accumulation: the loss of the batch is the mean of its micro-batches' losses.
        const std::int64_t context = specs.front().context;
        const std::int64_t most = specs.front().micro_batch;
        torch::Tensor losses;
        for (std::int64_t first = 0; first < sequences; first += most) {
            const std::int64_t count = std::min(most, sequences - first);
            const TokenBatch part{batch.x.narrow(1, first, count).contiguous(),
                                  batch.y.narrow(1, first * context, count * context).contiguous()};
            const double weight = static_cast<double>(count) / static_cast<double>(sequences);
            const torch::Tensor part_losses = pass(part, dropout.of_sequences(first, count), weight, first > 0);
            losses = first == 0 ? part_losses : losses + part_losses;
        }
        return losses;
    }

    // Each run's loss is its mean loss times `weight`: (runs).
    torch::Tensor pass(const TokenBatch& batch, const Dropout& dropout, double weight, bool accumulates) {
        const bool trains_theta = specs.front().rotates() && specs.front().theta_training != ThetaTraining::fixed;
        const std::int64_t context = specs.front().context;
        ExpertRecord experts;
        const torch::Tensor logits = decoder.logits(
            weights, batch.x, trains_theta ? position_terms(plans, context, device, &weights) : terms.at(0, context),
            precision, {.dropout = dropout, .experts = &experts});
        torch::Tensor losses = row_means(token_losses(logits, batch.y));
        if (weight != 1.0) losses = losses * weight;
        torch::Tensor minimized = losses;
        for (const ExpertLayer& layer : experts.layers) {
            minimized = minimized + specs.front().expert_balance * layer.balance;
        }
        // Summed for one backward pass: no run's loss depends on another run's weights.
        optimizer.backward(weights, minimized.sum(), accumulates);
        return losses.detach();
    }

    // Null for cohorts that do not train on the device.
    DeviceTrainer* device_trainer() {
        if (!trainer && is_accelerated(device) && step_stays_on_device(specs.front())) {
            trainer = std::make_unique<DeviceTrainer>(specs, weights, optimizer, iteration, [this](auto& x, auto& y) {
                return forward_and_backward({x, y}, trainer->streams());
            });
        }
        return trainer.get();
    }

    std::vector<StepResult> train_on_device(const std::vector<std::vector<std::int64_t>>& batch_starts) {
        // Memory for a second copy of the weights is never short on the host.
        const torch::Tensor before = measures_next_step ? weights.flat().to(torch::kCPU, false, true) : torch::Tensor();
        const TokenBatch batch = training_batch(batch_starts, torch::kCPU);
        std::vector<StepResult> results = trainer->step(batch.x, batch.y);
        ++iteration;
        for (std::int64_t run = 0; measures_next_step && run < std::ssize(specs); ++run) {
            measure_step(run, trainer->gradient(run), before[run]);
        }
        return results;
    }

    // Only where the passes are the program's own, which compute the same bits with any number of threads: sinks are
    // part of the kernel, while LibTorch computes the numbers of T5 or CoPE.
    bool may_train_one_run_per_core() const {
        const RunSpec& spec = specs.front();
        return specs.size() > 1 && conditions.threads > 1 && !is_accelerated(device) && !spec.theta_varies() &&
               has_only_products(spec) && unfused_parts(spec).empty();
    }

    std::vector<State>& all_singles() {
        for (std::int64_t run = std::ssize(singles); run < std::ssize(specs); ++run) singles.push_back(part(run, 1));
        return singles;
    }

    // f(run) for each run, by as many threads as there are, each of which computes its run alone.
    template <typename F>
    void for_each_alone(F f) const {
        std::atomic<std::size_t> next = 0;
        at::parallel_for(0, std::min(conditions.threads, std::ssize(specs)), 1, [&](std::int64_t, std::int64_t) {
            for (std::size_t run = next++; run < specs.size(); run = next++) f(run);
        });
    }

    // Computes the batch in both ways; the gradient is then that of the runs one per core.
    void measure_ways(const std::vector<std::vector<std::int64_t>>& batch_starts) {
        const auto timed = [](auto&& pass) {
            const auto begin = std::chrono::steady_clock::now();
            pass();
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
        };
        torch::Tensor losses;
        const double together = timed([&] { losses = forward_and_backward(training_batch(batch_starts, device)); });
        const torch::Tensor gradient = optimizer.gradient.clone();
        const torch::Tensor single_losses = torch::empty_like(losses);
        const double one_per_core = timed([&] {
            all_singles();
            for_each_alone([&](std::size_t run) {
                State& single = singles[run];
                single.iteration = iteration;
                const auto mean = single.forward_and_backward(single.training_batch({batch_starts[run]}, device));
                single_losses.narrow(0, static_cast<std::int64_t>(run), 1).copy_(mean);
            });
        });
        way.add(together, one_per_core,
                torch::equal(gradient, optimizer.gradient) && torch::equal(losses, single_losses));
        if (!way.is_settled()) return;
        const RunSpec& spec = specs.front();
        const std::array sizes = {std::ssize(specs),      spec.layers,       spec.width, spec.batch, spec.context,
                                  weights.layout().total, conditions.threads};
        way.choose("cohort of runs, layers, width, batch, context, parameters, threads: " +
                   joined(sizes, " ", [](std::int64_t size) { return std::to_string(size); }) +
                   (precision == Precision::bfloat16 ? " bfloat16" : " float32"));
    }

    std::vector<StepResult> train_one_run_per_core(const std::vector<std::vector<std::int64_t>>& batch_starts) {
        std::vector<StepResult> results(specs.size());
        if (measures_next_step) norms.resize(specs.size());
        all_singles();
        for_each_alone([&](std::size_t run) {
            State& single = singles[run];
            single.iteration = iteration;
            single.measures_next_step = measures_next_step;
            single.norms.clear();
            results[run] = single.train({batch_starts[run]}).front();
            if (!single.norms.empty()) norms[run] = std::move(single.norms.front());
        });
        ++iteration;
        return results;
    }

    std::vector<StepResult> train(const std::vector<std::vector<std::int64_t>>& batch_starts) {
        if (may_train_one_run_per_core()) {
            if (!way.is_settled()) measure_ways(batch_starts);
            if (way.is_one_per_core()) return train_one_run_per_core(batch_starts);
        }
        const torch::Tensor means = forward_and_backward(training_batch(batch_starts, device));
        // A device copies the losses and norms of all runs to the host at once.
        const torch::Tensor report = is_accelerated(device)
                                         ? torch::stack({means, optimizer.gradient_norms()}).to(torch::kCPU)
                                         : torch::Tensor();
        const auto reported = [&](int row, std::int64_t run) {
            return report.data_ptr<float>()[row * means.numel() + run];
        };
        std::vector<StepResult> results;
        for (std::int64_t run = 0; run < static_cast<std::int64_t>(specs.size()); ++run) {
            const RunSpec& spec = specs[static_cast<std::size_t>(run)];
            StepResult result;
            result.training_loss = report.defined() ? reported(0, run) : means[run].item<double>();
            result.gradient_norm = report.defined() ? reported(1, run) : optimizer.gradient_norm(spec, run);
            result.learning_rate = learning_rate_at(spec, iteration);
            if (std::isfinite(result.training_loss) && std::isfinite(result.gradient_norm)) {
                const bool clips = spec.clip > 0 && result.gradient_norm > spec.clip;
                const torch::Tensor before = measures_next_step ? weights.flat()[run].clone() : torch::Tensor();
                optimizer.step(weights, spec, run, iteration, result.learning_rate,
                               clips ? spec.clip / (result.gradient_norm + 1e-6) : 1.0);
                if (measures_next_step) measure_step(run, optimizer.gradient[run], before);
            }
            results.push_back(result);
        }
        ++iteration;
        if (specs.front().theta_varies()) {
            if (specs.front().theta_training == ThetaTraining::fixed) apply_theta_schedule();
            update_terms();
        }
        return results;
    }

    // `gradient`: before clipping; `before`: the run's weights before the step.
    void measure_step(std::int64_t run, const torch::Tensor& gradient, const torch::Tensor& before) {
        norms.resize(specs.size());
        const RunSpec& spec = specs[static_cast<std::size_t>(run)];
        norms[static_cast<std::size_t>(run)] =
            step_norms(weights.layout(), spec.layers, gradient, before, weights.flat()[run].detach(),
                       initial_row(weights.layout(), spec.seed));
    }

    // Forward and backward, started as training steps are; the best of three measurements after a warm-up.
    double seconds_per_pass(const TokenBatch& batch) {
        const CudaGraphs* graphs = graph_supports_step(specs.front()) ? graphs_on(device) : nullptr;
        const int warm_up = graphs ? RepeatedWork::warm_up + 1 : 1;
        std::shared_ptr<DeviceStreams> streams;
        if (is_accelerated(device)) streams = std::make_shared<DeviceStreams>(seeds_of(specs), iteration, device);
        RepeatedWork pass(graphs);
        const auto work = [&] { pass([&] { forward_and_backward(batch, streams); }); };
        double best = std::numeric_limits<double>::infinity();
        for (int attempt = 0; attempt < warm_up + 3; ++attempt) {
            const auto begin = std::chrono::steady_clock::now();
            graphs ? graphs->on_own_stream(work) : work();
            if (device.is_cuda()) torch::cuda::synchronize();
            const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
            if (attempt >= warm_up) best = std::min(best, elapsed.count());
        }
        return best;
    }

    SettledPrecision settled_precision() {
        const Precision requested = specs.front().precision;
        if (requested != Precision::automatic) {
            const bool warns = device.is_cuda() && requested == Precision::bfloat16;
            const std::string warning = warns ? bfloat16_warning(open_cuda()) : "";
            const std::string why = precision_reason.empty() ? "as requested." : precision_reason;
            return {requested, warning.empty() ? why : why + " " + warning};
        }
        // A few runs tell the ratio of the speeds as well as all runs, which would take seconds.
        const std::int64_t few = std::max<std::int64_t>(2, conditions.threads);
        if (!is_accelerated(device) && std::ssize(specs) > few) return part(0, few).settled_precision();
        const TokenBatch batch = training_batch(
            starts([&](const RunSpec& spec) { return batch_starts(spec, data.training.size(), 0); }), device);
        const std::string obstacle = device.is_cuda() ? bfloat16_obstacle(open_cuda()) : bfloat16_obstacle();
        return faster_precision(obstacle, [&](Precision tried) {
            precision = tried;
            update_working_copy();
            return seconds_per_pass(batch);
        });
    }

    // Some of the runs, whose weights, gradients and moments are views of this state's.
    State part(std::int64_t first, std::int64_t count) const {
        CohortStart start;
        start.runs = {specs.begin() + first, specs.begin() + first + count};
        start.plans = {plans.begin() + first, plans.begin() + first + count};
        State result(start, data, weights.flat().narrow(0, first, count));
        result.iteration = iteration;
        result.precision = precision;
        result.weights = weights.part(first, count);
        const auto rows = [&](const torch::Tensor& of_all) { return of_all.narrow(0, first, count); };
        result.optimizer = {rows(optimizer.gradient), rows(optimizer.first_moment), rows(optimizer.second_moment)};
        return result;
    }

    std::vector<EvaluationResult> evaluate(const std::function<bool()>& cancelled) {
        const bool whole = specs.front().evaluation == Evaluation::whole;
        const auto training_starts = starts([&](const RunSpec& spec) {
            return whole ? spaced_starts(spec, data.training.size())
                         : sampled_starts(spec, data.training.size(), iteration, "training");
        });
        const auto validation_starts = starts([&](const RunSpec& spec) {
            return whole ? whole_windows(data.validation.size(), spec.context)
                         : sampled_starts(spec, data.validation.size(), iteration, "validation");
        });
        std::vector<EvaluatedRuns> batches;
        if (is_evaluated_in_pieces(decoder, weights)) {
            for (const State& single : all_singles()) batches.push_back({single.weights, single.terms});
        } else {
            batches.push_back({weights, terms});
        }
        const auto losses = [&](const TokenText& tokens, const std::vector<std::vector<std::int64_t>>& starts) {
            return mean_losses(decoder, batches, precision, tokens, specs.front().context, starts, cancelled);
        };
        const std::vector<double> training = losses(data.training, training_starts);
        const std::vector<double> validation =
            training.empty() ? training : losses(TokenText(data.validation), validation_starts);
        std::vector<EvaluationResult> results;
        for (std::size_t run = 0; run < validation.size(); ++run) results.push_back({training[run], validation[run]});
        return results;
    }
};

TorchCohort::TorchCohort(CohortStart start, const TokenData& data, std::int64_t threads,
                         const std::string& device_reason) {
    avoid_broken_amx();
    if (start.runs.empty()) throw BadInput("A cohort (runs trained as one batch) requires at least one run.");
    for (const RunSpec& spec : start.runs) {
        check(spec);
        if (!same_shape(spec, start.runs.front())) {
            throw BadInput(
                "Runs that are trained together (a cohort) must have equal settings except theta, fraction, seed and "
                "learning rate.");
        }
    }
    check_length(data.training, start.runs.front(), "training");
    check_length(data.validation, start.runs.front(), "validation");
    if (!start.states.empty() && start.states.size() != start.runs.size()) {
        throw BadInput("Resuming runs that train together (a cohort) requires one stored state per run.");
    }

    if (start.plans.empty()) start.plans = plans_of(start.runs, data.vocabulary);
    for (const ModelPlan& plan : start.plans) {
        if (!differ_in_rotation_only(plan, start.plans.front()))
            throw BadInput(
                "The plans of runs that are trained together (a cohort) may differ in their rotary embedding only.");
    }
    const Layout layout = layout_of(start.plans.front());
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

    threads = use_threads(threads);
    const bool cuda = start.conditions ? start.conditions->device == "cuda" : start.runs.front().device == Device::cuda;
    const torch::Device device = cuda ? torch::kCUDA : torch::kCPU;
    with_readable_errors(start.runs, [&] {
        state_ = std::make_unique<State>(start, data, torch::stack(rows).to(device));
        state_->optimizer.first_moment = torch::stack(first).to(device);
        state_->optimizer.second_moment = torch::stack(second).to(device);
    });
    state_->iteration = start.iteration;
    if (start.conditions) {
        state_->conditions = *start.conditions;
        state_->precision = precision_of(*start.conditions);
        if (state_->conditions.threads == 0) state_->conditions.threads = threads;
        if (cuda) state_->conditions.graphs = graphs_in_use(start.plans.front(), device);
    } else {
        state_->conditions.device = cuda ? "cuda" : "cpu";
        state_->conditions.threads = threads;
        if (cuda) state_->conditions.graphs = graphs_in_use(start.plans.front(), device);
        state_->precision_reason = start.precision_reason;
        const SettledPrecision settled = with_readable_errors(start.runs, [&] { return state_->settled_precision(); });
        state_->precision = settled.precision;
        state_->conditions.precision = settled.precision == Precision::bfloat16 ? "bfloat16" : "float32";
        state_->conditions.reason = state_->conditions.precision + ": " + settled.reason + device_reason;
    }
    with_readable_errors(start.runs, [&] { state_->update_working_copy(); });
    release_tensor_memory();
}

TorchCohort::~TorchCohort() {
    state_.reset();
    release_tensor_memory();
}

std::int64_t TorchCohort::runs() const {
    return static_cast<std::int64_t>(state_->specs.size());
}
std::int64_t TorchCohort::iteration() const {
    return state_->iteration;
}
RunConditions TorchCohort::conditions() const {
    RunConditions conditions = state_->conditions;
    if (state_->trainer && !graph_supports_step(state_->specs.front())) {
        conditions.reason +=
            " Training steps launch each operation separately, without a CUDA graph, because a graph would store the "
            "operations of every micro-batch.";
    }
    if (!state_->trainer || state_->trainer->graph_failure().empty()) return conditions;
    conditions.reason +=
        " Training steps launch each operation separately, because the capture of a CUDA graph failed: " +
        state_->trainer->graph_failure() + ".";
    if (!conditions.graphs.empty()) conditions.graphs = to_text(DeviceTrust());
    return conditions;
}

void TorchCohort::measure_next_step() {
    state_->measures_next_step = true;
}

std::vector<StepResult> TorchCohort::step() {
    return step_at(state_->starts(
        [&](const RunSpec& spec) { return batch_starts(spec, state_->data.training.size(), state_->iteration); }));
}

std::vector<StepResult> TorchCohort::step_at(const std::vector<std::vector<std::int64_t>>& starts) {
    return with_readable_errors(state_->specs, [&] {
        State& s = *state_;
        s.norms.clear();
        auto results = s.device_trainer() ? s.train_on_device(starts) : s.train(starts);
        s.measures_next_step = false;
        return results;
    });
}

std::vector<NamedTensor> TorchCohort::gradient_at(const std::vector<std::vector<std::int64_t>>& starts,
                                                  std::int64_t run) const {
    with_readable_errors(state_->specs,
                         [&] { return state_->forward_and_backward(state_->training_batch(starts, state_->device)); });
    return to_named(state_->weights.layout(), state_->optimizer.gradient.select(0, run), "");
}

std::string TorchCohort::steps_as() const {
    const DeviceTrainer* trainer = state_->device_trainer();
    return trainer ? trainer->steps_as() : "operation by operation";
}

std::vector<EvaluationResult> TorchCohort::evaluate_runs(std::int64_t first, std::int64_t count,
                                                         const std::function<bool()>& cancelled) {
    release_tensor_memory();
    std::vector<EvaluationResult> results = with_readable_errors(state_->specs, [&] {
        return count == runs() ? state_->evaluate(cancelled) : state_->part(first, count).evaluate(cancelled);
    });
    release_tensor_memory();
    return results;
}

void TorchCohort::remove(std::int64_t run) {
    State& s = *state_;
    std::vector<std::int64_t> remaining;
    for (std::int64_t other = 0; other < runs(); ++other) {
        if (other != run) remaining.push_back(other);
    }
    s.specs.erase(s.specs.begin() + run);
    s.plans.erase(s.plans.begin() + run);
    std::vector<StepNorms> norms = std::move(s.norms);
    if (!norms.empty()) norms.erase(norms.begin() + run);
    if (remaining.empty()) return;
    const torch::Tensor rows = torch::tensor(remaining, torch::kInt64).to(s.device);
    const torch::NoGradGuard no_gradients;
    with_readable_errors(s.specs, [&] {
        s.weights = Parameters(s.weights.layout(), s.weights.flat().index_select(0, rows));
        s.optimizer.first_moment = s.optimizer.first_moment.index_select(0, rows);
        s.optimizer.second_moment = s.optimizer.second_moment.index_select(0, rows);
        s.reset_rows();
        s.update_working_copy();
    });
    s.norms = std::move(norms);
}

std::vector<NamedTensor> TorchCohort::state(std::int64_t run) const {
    std::vector<NamedTensor> result;
    const auto add = [&](const torch::Tensor& rows, const std::string& prefix) {
        for (NamedTensor& tensor : to_named(state_->weights.layout(), rows.select(0, run), prefix)) {
            result.push_back(std::move(tensor));
        }
    };
    add(state_->weights.flat(), "model.");
    add(state_->optimizer.first_moment, "optimizer.first.");
    add(state_->optimizer.second_moment, "optimizer.second.");
    std::sort(result.begin(), result.end(), [](const NamedTensor& a, const NamedTensor& b) { return a.name < b.name; });
    return result;
}

std::unique_ptr<Model> TorchCohort::model(std::int64_t run) const {
    const torch::Tensor row = state_->weights.flat().select(0, run).detach();
    const torch::Tensor copy = row.is_cpu() ? empty_in_large_pages(row.numel()).copy_(row) : row.clone();
    return std::make_unique<TorchModel>(state_->plans[static_cast<std::size_t>(run)], state_->weights.layout(), copy,
                                        state_->precision);
}

ProbeResult TorchCohort::probe(std::int64_t run, const ProbeRequest& request) const {
    const State& s = *state_;
    const Parameters row(s.weights.layout(), s.weights.flat().narrow(0, run, 1));
    return with_readable_errors(s.specs, [&] {
        ProbeResult result =
            ropelab::probe({s.plans[static_cast<std::size_t>(run)], s.decoder, row, s.precision}, request);
        if (s.norms.empty() || result.sequences == 0) return result;
        const StepNorms& norms = s.norms[static_cast<std::size_t>(run)];
        result.gradient_norm = norms.gradient_norm;
        result.update_ratio = norms.update_ratio;
        result.accumulated_update = norms.accumulated_update;
        return result;
    });
}

}  // namespace ropelab
