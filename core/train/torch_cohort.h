#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/spec/engine.h"

namespace ropelab {

/// A cohort on LibTorch. Beside the engine's interface it offers what comparisons with other programs need. The header
/// is free of torch, so that tests include it cheaply.
class TorchCohort : public Cohort {
 public:
    /// Trains on the CPU unless the runs' device is `cuda` (TorchEngine settles `auto`). Precision `auto` is measured
    /// here. `why_here` is added to the conditions' reason: why `auto` took this device. Throws BadInput.
    TorchCohort(const CohortStart& start, const TokenData& data, std::int64_t threads,
                const std::string& why_here = {});
    ~TorchCohort() override;

    std::int64_t runs() const override;
    std::int64_t iteration() const override;
    RunConditions conditions() const override;
    std::vector<StepResult> step() override;
    std::vector<EvaluationResult> evaluate(const std::function<bool()>& cancelled) override;
    void remove(std::int64_t run) override;
    std::vector<NamedTensor> state(std::int64_t run) const override;
    std::unique_ptr<Model> model(std::int64_t run) const override;
    ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override;

    /// One step on the windows of the training tokens that start at `starts`: one list a run.
    std::vector<StepResult> step_at(const std::vector<std::vector<std::int64_t>>& starts);
    /// The gradient of the mean loss over those windows, by parameter name, of one run. Nothing is trained.
    std::vector<NamedTensor> gradient_at(const std::vector<std::vector<std::int64_t>>& starts, std::int64_t run) const;
    /// How steps are started: "a graph" or "kernel by kernel" on a device with kernels, else "operation by operation".
    std::string steps_as() const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ropelab
