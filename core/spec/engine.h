#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/spec/device_trust.h"
#include "core/spec/event.h"
#include "core/spec/named_tensor.h"
#include "core/spec/probe.h"
#include "core/spec/run_spec.h"

namespace ropelab {

// The border between the program and LibTorch: plain structs and spans, no tensors. core/experiment opens the library
// that implements Engine by name, when the first run starts. All calls come from one thread at a time.

/// The tokens that runs train on; they outlive the cohort.
struct TokenData {
    int vocabulary = 0;
    std::span<const std::int32_t> training;
    std::span<const std::int32_t> validation;
};

/// How the next symbol is drawn, and where the text goes.
struct Generation {
    std::int64_t length = 200;
    double temperature = 1.0;
    std::int64_t top_k = 0;  // 0: all symbols
    std::int64_t seed = 1337;
    /// Past the context length: `recompute` crops to the last window and counts positions from 0 again (nanoGPT's way,
    /// exact); `rolling` keeps the cache of the last window and lets positions grow (RoPE without learned positions
    /// only; faster, not the same model of the text).
    enum class Mode { recompute, rolling } mode = Mode::recompute;
    /// Given each token as it is drawn; false stops the generation.
    std::function<bool(std::int32_t)> on_token;
};

/// One trained model.
class Model {
 public:
    virtual ~Model() = default;
    /// Logits after each of the tokens: tokens.size() × vocabulary, row-major. At most `context` tokens.
    virtual std::vector<float> logits(std::span<const std::int32_t> tokens) = 0;
    /// Continues the prompt (at least one token; only its last `context` are read). Returns the new tokens.
    virtual std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const Generation& how) = 0;
    /// Mean loss in nats over every non-overlapping window of the context, in order.
    virtual double whole_loss(std::span<const std::int32_t> tokens) = 0;
    /// Looks inside while the model reads. Throws BadInput for what the request and the model do not allow together.
    virtual ProbeResult probe(const ProbeRequest& request) = 0;
};

/// One run's numbers of one training step.
struct StepResult {
    double training_loss = 0;
    double gradient_norm = 0;  // before clipping
    double learning_rate = 0;
};

/// One run's losses at an evaluation.
struct EvaluationResult {
    double training_loss = 0;
    double validation_loss = 0;
};

/// Runs of equal shape that train together. In float32 on the processor a run's bits do not depend on its mates.
class Cohort {
 public:
    virtual ~Cohort() = default;
    virtual std::int64_t runs() const = 0;
    /// Steps trained so far.
    virtual std::int64_t iteration() const = 0;
    /// What it trains with; settled when the cohort was made.
    virtual RunConditions conditions() const = 0;

    /// Trains one step; one result a run. A run whose loss or gradient is not finite keeps the weights it had.
    virtual std::vector<StepResult> step() = 0;
    /// Losses as the runs' `evaluation` says. `cancelled` is asked between batches; true ends it with an empty vector.
    virtual std::vector<EvaluationResult> evaluate(const std::function<bool()>& cancelled) = 0;
    /// Takes a run out; the others keep their bits and their order.
    virtual void remove(std::int64_t run) = 0;

    /// Weights ("model.…") and optimizer state ("optimizer.first.…", "optimizer.second.…") of one run, sorted by name.
    virtual std::vector<NamedTensor> state(std::int64_t run) const = 0;
    /// A copy of one run's model as it stands.
    virtual std::unique_ptr<Model> model(std::int64_t run) const = 0;
    /// As Model::probe, of one run as it stands; its weights are not copied, and training goes on as without it.
    virtual ProbeResult probe(std::int64_t run, const ProbeRequest& request) const = 0;
};

/// What a cohort starts from. `states` is empty for a fresh start, else one state a run, each taken after `iteration`
/// steps; then `conditions` are those of the first start.
struct CohortStart {
    std::vector<RunSpec> runs;
    std::int64_t iteration = 0;
    std::vector<std::vector<NamedTensor>> states;
    std::optional<RunConditions> conditions;
    /// What the runs' frequencies are scaled by while they train, as ProbeRequest::scaling has it; models and probes of
    /// the cohort do not take it over. Throws BadInput where theta moves.
    Scaling scaling = {};
};

/// What the engine finds on this machine.
struct EngineInfo {
    std::string version;    // LibTorch's
    std::string processor;  // "AVX512" and the like, as LibTorch sees it
    bool bfloat16 = false;  // the processor multiplies bfloat16 natively
    std::int64_t threads = 0;
    bool cuda = false;
    /// Devices' names and memory, or one sentence on why CUDA is not available.
    std::string cuda_detail;
    /// Bytes of the CUDA device that can be taken now; 0 where there is none, or it does not tell.
    std::int64_t cuda_memory = 0;
    /// What a check of the device holds for: its name, compute capability, driver, LibTorch and this build, one line.
    /// Empty without a CUDA device.
    std::string cuda_identity = {};
};

class Engine {
 public:
    virtual ~Engine() = default;
    virtual EngineInfo info() = 0;
    /// Throws BadInput where the runs' shapes differ, a setting cannot be met here, or a state does not fit.
    virtual std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) = 0;
    /// From the "model.…" tensors of a state. Throws BadInput where one is missing or has another shape.
    virtual std::unique_ptr<Model> create_model(const RunSpec& spec, int vocabulary,
                                                std::span<const NamedTensor> tensors) = 0;
    /// Compares the CUDA device with the processor, and the project's kernels with LibTorch's operations there, check
    /// by check; `publish` is given each check before it starts (outcome `started`) and when it ended. Throws BadInput
    /// without a CUDA device. It may hang or crash where the device or its driver is broken: call it in a process that
    /// can be killed.
    virtual void check_device(const std::function<void(const DeviceCheck&)>& publish);
    /// Cohorts and models made from now on use what `trust` trusts on a CUDA device. Until the first call: LibTorch's
    /// operations alone.
    virtual void trust_device(const DeviceTrust& trust);
    /// Does `work` and counts the operations that it starts: LibTorch's that calculate or copy numbers (neither views
    /// nor memory), and the engine's own passes and kernels. What a graph replays was started when it was captured.
    /// nullopt from an engine that does not count.
    virtual std::optional<std::int64_t> count_operations(const std::function<void()>& work) {
        work();
        return std::nullopt;
    }
};

}  // namespace ropelab
