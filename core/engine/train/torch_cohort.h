#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/contract/engine.h"

namespace ropelab {

/// Also has functions for comparisons with other programs. Includes no torch header, so that tests compile fast.
class TorchCohort : public Cohort {
 public:
    /// Trains on the CPU unless the runs' device is `cuda` (TorchEngine resolves `auto`). Precision `auto` is resolved
    /// by a measurement. `device_reason` is appended to the conditions' reason.
    TorchCohort(CohortStart start, const TokenData& data, std::int64_t threads, const std::string& device_reason = {});
    ~TorchCohort() override;

    std::int64_t runs() const override;
    std::int64_t iteration() const override;
    RunConditions conditions() const override;
    std::vector<StepResult> step() override;
    void measure_next_step() override;
    std::vector<EvaluationResult> evaluate_runs(std::int64_t first, std::int64_t count,
                                                const std::function<bool()>& cancelled) override;
    void remove(std::int64_t run) override;
    std::vector<NamedTensor> state(std::int64_t run) const override;
    std::unique_ptr<Model> model(std::int64_t run) const override;
    ProbeResult probe(std::int64_t run, const ProbeRequest& request) const override;

    /// Sequences of the training tokens begin at `starts`, one list per run.
    std::vector<StepResult> step_at(const std::vector<std::vector<std::int64_t>>& starts);
    /// Gradient of one run's mean loss, by parameter name. Trains nothing.
    std::vector<NamedTensor> gradient_at(const std::vector<std::vector<std::int64_t>>& starts, std::int64_t run) const;
    /// "a graph", "operation by operation" or "operation by operation, because …".
    std::string steps_as() const;

 private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace ropelab
