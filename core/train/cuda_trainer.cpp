#include "core/train/cuda_trainer.h"

#include <algorithm>

#include "core/model/operations.h"
#include "core/spec/error.h"
#include "core/train/batches.h"
#include "core/train/schedule.h"

namespace ropelab {

namespace {

// Returns the batch size of evaluations, as core/model/torch_model.cpp computes it: the order of the sums must not
// depend on the cohort.
std::int64_t sequences_per_batch(std::int64_t context) {
    return std::clamp<std::int64_t>(8192 / context, 1, 256);
}

torch::Tensor on_host(const std::vector<std::vector<std::int64_t>>& starts, std::int64_t offset) {
    const torch::Tensor result = torch::empty({std::ssize(starts), std::ssize(starts.front())}, torch::kInt64);
    auto* to = result.data_ptr<std::int64_t>();
    for (const auto& run : starts) {
        for (std::int64_t start : run) *to++ = start + offset;
    }
    return result;
}

// Returns the tokens that are in memory; mapped files are too large for a device.
torch::Tensor all_tokens(const TokenData& data) {
    const auto training = data.training.in_memory();
    std::vector<std::int32_t> tokens(training.begin(), training.end());
    tokens.insert(tokens.end(), data.validation.begin(), data.validation.end());
    return torch::tensor(c10::ArrayRef<std::int32_t>(tokens), torch::kInt32);
}

std::vector<std::int64_t> seeds_of(const std::vector<RunSpec>& specs) {
    std::vector<std::int64_t> seeds;
    for (const RunSpec& spec : specs) seeds.push_back(spec.seed);
    return seeds;
}

}  // namespace

void refuse_for_memory(const RunSpec& spec, std::int64_t runs, bool on_device) {
    throw BadInput(std::string(on_device ? "The device" : "This machine") + " does not have enough memory for " +
                   std::to_string(runs) + (runs == 1 ? " run" : " runs") + " with a batch size of " +
                   std::to_string(spec.batch) + " and a context of " + std::to_string(spec.context) +
                   " tokens; use a smaller batch size or micro_batch" + (on_device ? ", or device=cpu." : "."));
}

CudaTrainer::CudaTrainer(DeviceCohort cohort, std::int64_t iteration, const CudaGraphs* graphs)
    : cohort_(std::move(cohort)),
      runs_(std::ssize(cohort_.specs)),
      iteration_(iteration),
      graphs_(graphs),
      streams_(std::make_shared<DeviceStreams>(seeds_of(cohort_.specs), iteration, cohort_.weights.device())),
      steps_(divides_steps() ? nullptr : graphs),
      evaluations_(graphs) {
    const torch::Device device = cohort_.weights.device();
    const RunSpec& spec = cohort_.specs.front();
    tokens_ = all_tokens(cohort_.data).to(device);
    keys_ = streams_->keys("batches");
    learning_rates_ = torch::zeros({runs_, 1}, torch::kFloat64).to(device);
    squares_ = torch::zeros({runs_, cuda::square_parts(cohort_.weights.size(1))}, torch::kFloat64).to(device);
    settings_ = torch::zeros({runs_, 4}, torch::kFloat32).to(device);
    report_ = torch::zeros({2, runs_}, torch::kFloat32).to(device);
    totals_ = torch::zeros({runs_}, torch::kFloat64).to(device);
    training_ = sequences(spec.batch);
    evaluation_ = sequences(sequences_per_batch(spec.context));
    for (const torch::Tensor& rows : {cohort_.weights, cohort_.gradient, cohort_.first_moment, cohort_.second_moment}) {
        TORCH_CHECK(rows.is_contiguous() && rows.scalar_type() == torch::kFloat32 && rows.device() == device &&
                        rows.sizes() == cohort_.weights.sizes(),
                    "A cohort's rows must be float32, contiguous, of one shape and on one device.");
    }
    TORCH_CHECK(!cohort_.working.defined() ||
                    (cohort_.working.is_contiguous() && cohort_.working.scalar_type() == torch::kBFloat16 &&
                     cohort_.working.sizes() == cohort_.weights.sizes()),
                "The working copy of a cohort's rows must be bfloat16, contiguous and of their shape.");
}

CudaTrainer::Sequences CudaTrainer::sequences(std::int64_t count) const {
    const std::int64_t context = cohort_.specs.front().context;
    const auto options = torch::TensorOptions(torch::kInt64).device(cohort_.weights.device());
    return {torch::zeros({runs_, count}, options), torch::zeros({runs_, count, context}, options),
            torch::zeros({runs_, count * context}, options)};
}

template <typename Args>
void CudaTrainer::start(int (*cuda::Kernels::*kernel)(const Args&, cuda::Stream), const Args& args,
                        const char* name) const {
    ROPELAB_OWN_PASS(name);
    const DeviceKernels& kernels = device_kernels(cohort_.weights.device());
    check_launch(kernels, (kernels.table->*kernel)(args, kernels.stream()), name);
}

void CudaTrainer::run(const std::function<void()>& work) const {
    try {
        if (graphs_) return graphs_->on_own_stream(work);
        work();
    } catch (const c10::OutOfMemoryError&) {
        refuse_for_memory(cohort_.specs.front(), runs_, true);
    }
}

// Copies sequences of tokens to a batch: those that begin at `windows.starts`, or with `sampled` those of the current
// step.
void CudaTrainer::gather(const Sequences& sequences, bool sampled) {
    const RunSpec& spec = cohort_.specs.front();
    start<cuda::GatherBatch>(&cuda::Kernels::gather_batch,
                             {.runs = runs_,
                              .batch = sequences.starts.size(1),
                              .context = spec.context,
                              .tokens = tokens_.data_ptr<std::int32_t>(),
                              .token_count = std::ssize(cohort_.data.training),
                              .starts = sampled ? nullptr : sequences.starts.data_ptr<std::int64_t>(),
                              .sequential = spec.batches == BatchOrder::sequential,
                              .keys = static_cast<const cuda::StreamKey*>(keys_.data_ptr()),
                              .step = streams_->step().data_ptr<std::int64_t>(),
                              .x = sequences.x.data_ptr<std::int64_t>(),
                              .y = sequences.y.data_ptr<std::int64_t>()},
                             "gather_batch");
}

// Copies the sequences of mapped training text that begin at starts[run][first … first + count − 1] to the device,
// where count is the number of `sequences`.
void CudaTrainer::copy_from_host(const Sequences& sequences, const std::vector<std::vector<std::int64_t>>& starts,
                                 std::int64_t first) const {
    const std::int64_t context = cohort_.specs.front().context;
    const torch::Tensor x = torch::empty(sequences.x.sizes(), torch::kInt64);
    const torch::Tensor y = torch::empty(sequences.y.sizes(), torch::kInt64);
    auto* inputs = x.data_ptr<std::int64_t>();
    auto* targets = y.data_ptr<std::int64_t>();
    for (const auto& run : starts) {
        for (std::int64_t i = first; i < first + sequences.starts.size(1); ++i) {
            const std::int64_t start = run[static_cast<std::size_t>(i)];
            cohort_.data.training.copy_sequence(start, context, inputs, targets);
        }
    }
    sequences.x.copy_(x);
    sequences.y.copy_(y);
}

void CudaTrainer::train(BatchSource source) {
    const RunSpec& spec = cohort_.specs.front();
    const std::int64_t total = cohort_.weights.size(1);
    const cuda::Betas betas{spec.beta1, spec.beta2, 1e-8, spec.weight_decay};
    if (source != BatchSource::host) gather(training_, source == BatchSource::sampled);
    torch::Tensor losses = report_.select(0, 0);
    losses.copy_(cohort_.train(training_.x, training_.y));
    start<cuda::SquareSums>(&cuda::Kernels::square_sums,
                            {.runs = runs_,
                             .count = total,
                             .gradient = cohort_.gradient.data_ptr<float>(),
                             .parts = squares_.data_ptr<double>()},
                            "square_sums");
    static_assert(sizeof(cuda::UpdateSettings) == 4 * sizeof(float));
    auto* settings = reinterpret_cast<cuda::UpdateSettings*>(settings_.data_ptr<float>());
    start<cuda::PrepareUpdate>(&cuda::Kernels::prepare_update,
                               {.runs = runs_,
                                .count = total,
                                .parts = squares_.data_ptr<double>(),
                                .losses = losses.data_ptr<float>(),
                                .rates = learning_rates_.data_ptr<double>(),
                                .step = streams_->step().data_ptr<std::int64_t>(),
                                .clip = spec.clip,
                                .betas = betas,
                                .norms = report_.select(0, 1).data_ptr<float>(),
                                .settings = settings},
                               "prepare_update");
    auto* working = cohort_.working.defined() ? static_cast<cuda::Bfloat16*>(cohort_.working.data_ptr()) : nullptr;
    start<cuda::AdamW>(&cuda::Kernels::adamw,
                       {.runs = runs_,
                        .count = total,
                        .decayed = cohort_.decayed,
                        .weights = cohort_.weights.data_ptr<float>(),
                        .working = working,
                        .gradient = cohort_.gradient.data_ptr<float>(),
                        .first_moment = cohort_.first_moment.data_ptr<float>(),
                        .second_moment = cohort_.second_moment.data_ptr<float>(),
                        .settings = settings,
                        .betas = betas},
                       "adamw");
    const DeviceKernels& kernels = device_kernels(cohort_.weights.device());
    check_launch(kernels, kernels.table->advance_step(streams_->step().data_ptr<std::int64_t>(), kernels.stream()),
                 "advance_step");
}

std::vector<StepResult> CudaTrainer::step(const std::vector<std::vector<std::int64_t>>& starts) {
    std::vector<StepResult> results(cohort_.specs.size());
    const torch::Tensor rates = torch::empty({runs_, 1}, torch::kFloat64);
    for (std::size_t run = 0; run < results.size(); ++run) {
        results[run].learning_rate = learning_rate_at(cohort_.specs[run], iteration_);
        rates.data_ptr<double>()[run] = results[run].learning_rate;
    }
    run([&] {
        learning_rates_.copy_(rates);
        if (cohort_.data.training.in_files()) {
            copy_from_host(training_, starts.empty() ? sampled_batch() : starts, 0);
            steps_([this] { train(BatchSource::host); });
        } else if (starts.empty()) {
            steps_([this] { train(BatchSource::sampled); });
        } else {
            training_.starts.copy_(on_host(starts, 0));
            train(BatchSource::starts);
        }
        const torch::Tensor report = report_.to(torch::kCPU);
        for (std::size_t run = 0; run < results.size(); ++run) {
            results[run].training_loss = report.data_ptr<float>()[run];
            results[run].gradient_norm = report.data_ptr<float>()[results.size() + run];
        }
    });
    ++iteration_;
    return results;
}

// Returns the starts of the sequences of the current step, as core/train/batches.h defines them.
std::vector<std::vector<std::int64_t>> CudaTrainer::sampled_batch() const {
    std::vector<std::vector<std::int64_t>> starts;
    for (const RunSpec& spec : cohort_.specs) {
        starts.push_back(batch_starts(spec, cohort_.data.training.size(), iteration_));
    }
    return starts;
}

void CudaTrainer::add_losses(const Sequences& sequences, BatchSource source) {
    if (source != BatchSource::host) gather(sequences, false);
    const torch::Tensor losses = cohort_.losses(sequences.x, sequences.y);
    start<cuda::AddRows>(&cuda::Kernels::add_rows,
                         {.runs = runs_,
                          .rows = losses.size(1),
                          .losses = losses.data_ptr<float>(),
                          .totals = totals_.data_ptr<double>()},
                         "add_rows");
}

std::vector<double> CudaTrainer::mean_losses(Text text, const std::vector<std::vector<std::int64_t>>& starts,
                                             const std::function<bool()>& cancelled) {
    const torch::NoGradGuard no_gradients;
    const std::int64_t context = cohort_.specs.front().context;
    const std::int64_t count = std::ssize(starts.front());
    const std::int64_t offset = text == Text::training ? 0 : std::ssize(cohort_.data.training.in_memory());
    const bool from_host = text == Text::training && cohort_.data.training.in_files();
    std::vector<double> means;
    run([&] {
        const torch::Tensor all = on_host(starts, offset).to(totals_.device());
        const std::int64_t batch_size = evaluation_.starts.size(1);
        totals_.zero_();
        for (std::int64_t first = 0; first < count; first += batch_size) {
            if (cancelled && cancelled()) return;
            if (from_host) {
                const Sequences part = sequences(std::min(batch_size, count - first));
                copy_from_host(part, starts, first);
                add_losses(part, BatchSource::host);
            } else if (first + batch_size <= count) {
                evaluation_.starts.copy_(all.narrow(1, first, batch_size));
                evaluations_([this] { add_losses(evaluation_, BatchSource::starts); });
            } else {
                Sequences rest = sequences(count - first);
                rest.starts.copy_(all.narrow(1, first, count - first));
                add_losses(rest, BatchSource::starts);
            }
        }
        const torch::Tensor totals = totals_.to(torch::kCPU);
        for (std::int64_t run = 0; run < runs_; ++run) {
            means.push_back(totals.data_ptr<double>()[run] / static_cast<double>(count * context));
        }
    });
    return means;
}

std::string CudaTrainer::steps_as() const {
    if (steps_.captured()) return "a graph";
    if (steps_.failure().empty()) return "kernel by kernel";
    return "kernel by kernel, because the capture failed: " + steps_.failure();
}

}  // namespace ropelab
