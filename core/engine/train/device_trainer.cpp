#include "core/engine/train/device_trainer.h"

#include <ATen/ops/_fused_adamw.h>

#include "core/engine/train/schedule.h"
#include "core/plan/kernels.h"

namespace ropelab {

std::vector<std::int64_t> seeds_of(const std::vector<RunSpec>& specs) {
    std::vector<std::int64_t> seeds;
    for (const RunSpec& spec : specs) seeds.push_back(spec.seed);
    return seeds;
}

DeviceTrainer::DeviceTrainer(std::vector<RunSpec> specs, const Parameters& weights, const Optimizer& rows,
                             std::int64_t iteration, Pass pass)
    : specs_(std::move(specs)),
      weights_(weights),
      rows_(rows),
      iteration_(iteration),
      pass_(std::move(pass)),
      graphs_(graphs_on(weights.flat().device())),
      streams_(std::make_shared<DeviceStreams>(seeds_of(specs_), iteration, weights.flat().device())),
      steps_(graph_supports_step(specs_.front()) ? graphs_ : nullptr) {
    const std::int64_t runs = std::ssize(specs_);
    const RunSpec& spec = specs_.front();
    const auto tokens = torch::TensorOptions(torch::kInt64).device(weights.flat().device());
    x_ = torch::zeros({runs, spec.batch, spec.context}, tokens);
    y_ = torch::zeros({runs, spec.batch * spec.context}, tokens);
    learning_rates_ = torch::zeros({runs}, tokens.dtype(torch::kFloat32));
    report_ = torch::zeros({3, runs}, tokens.dtype(torch::kFloat32));
}

// Nothing in a step waits for the device or uses the memory of the host, so that it can be captured.
void DeviceTrainer::train() {
    const RunSpec& spec = specs_.front();
    const torch::Tensor losses = pass_(x_, y_);
    const torch::NoGradGuard no_gradients;
    const torch::Tensor norms = rows_.gradient_norms();
    const torch::Tensor divisors =
        spec.clip > 0 ? ((norms + 1e-6) / spec.clip).clamp_min(1.0) : torch::ones_like(norms);
    // A run whose loss or gradient is not finite keeps its weights.
    const torch::Tensor skipped = torch::isfinite(losses + norms).logical_not().to(torch::kFloat32);
    const torch::Tensor steps = (streams_->step() + 1).to(torch::kFloat32);  // counted from 1 for the bias correction
    const Layout& layout = weights_.layout();
    for (std::int64_t run = 0; run < std::ssize(specs_); ++run) {
        const auto update = [&](std::int64_t offset, std::int64_t size, double decay) {
            const auto part = [&](const torch::Tensor& rows) { return rows.select(0, run).narrow(0, offset, size); };
            if (size == 0) return;
            at::_fused_adamw_({part(weights_.flat())}, {part(rows_.gradient)}, {part(rows_.first_moment)},
                              {part(rows_.second_moment)}, {}, {steps}, learning_rates_[run], spec.beta1, spec.beta2,
                              decay, adamw_epsilon, false, false, divisors[run], skipped[run]);
        };
        update(0, layout.matrices, spec.weight_decay);
        update(layout.matrices, layout.vectors, 0.0);
    }
    report_.copy_(torch::stack({losses.to(torch::kFloat32), norms, divisors}));
}

std::vector<StepResult> DeviceTrainer::step(const torch::Tensor& x, const torch::Tensor& y) {
    std::vector<StepResult> results(specs_.size());
    const torch::Tensor rates = torch::empty({std::ssize(specs_)}, torch::kFloat32);
    for (std::size_t run = 0; run < results.size(); ++run) {
        results[run].learning_rate = learning_rate_at(specs_[run], iteration_);
        rates.data_ptr<float>()[run] = static_cast<float>(results[run].learning_rate);
    }
    const auto work = [&] {
        x_.copy_(x);
        y_.copy_(y);
        learning_rates_.copy_(rates);
        torch::Tensor step = streams_->step();
        step.fill_(iteration_);
        steps_([this] { train(); });
        const torch::Tensor report = report_.to(torch::kCPU);
        for (std::size_t run = 0; run < results.size(); ++run) {
            results[run].training_loss = report.data_ptr<float>()[run];
            results[run].gradient_norm = report.data_ptr<float>()[results.size() + run];
        }
    };
    graphs_ ? graphs_->on_own_stream(work) : work();
    ++iteration_;
    return results;
}

torch::Tensor DeviceTrainer::gradient(std::int64_t run) const {
    return rows_.gradient[run] * report_[2][run];
}

std::string DeviceTrainer::steps_as() const {
    if (steps_.captured()) return "a graph";
    if (steps_.failure().empty()) return "operation by operation";
    return "operation by operation, because the capture failed: " + steps_.failure();
}

}  // namespace ropelab
