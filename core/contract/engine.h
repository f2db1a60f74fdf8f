#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contract/device_trust.h"
#include "core/contract/event.h"
#include "core/contract/named_tensor.h"
#include "core/contract/probe.h"
#include "core/contract/token_text.h"
#include "core/plan/model_plan.h"
#include "core/plan/stage_times.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// Interface between the program and LibTorch, in plain structs and spans. The library that implements Engine is loaded
// when the first run starts. At most one thread calls the engine at any time.

/// Tokenized training and validation data. The memory must stay valid as long as a cohort uses it.
struct TokenData {
    int vocabulary = 0;  // number of different tokens
    TokenText training;
    std::span<const std::int32_t> validation;
};

struct Generation {
    std::int64_t length = 200;  // number of tokens to generate
    double temperature = 1.0;   // divisor of the logits; 0: always the most probable token
    std::int64_t top_k = 0;     // number of most probable tokens from which one is sampled; 0: all tokens
    std::int64_t seed = 1337;
    /// `recompute` evaluates the last `context` tokens again for each new token, with positions counted from 0 (as
    /// nanoGPT does). `rolling` keeps the KV cache of the last `context` tokens and lets positions grow; it is faster,
    /// but gives other probabilities, because cached keys and values depend on tokens that have left the context.
    /// `rolling` needs an encoding of distances (RunSpec::has_relative_positions).
    enum class Mode { recompute, rolling } mode = Mode::recompute;
    /// Returns false to stop the generation.
    std::function<bool(std::int32_t)> on_token;
};

/// Equal tokens give equal logits, bit for bit, on the same machine.
class TokenPredictor {
 public:
    virtual ~TokenPredictor() = default;
    /// Appends a token and returns (vocabulary) logits. BadInput for an unknown token, and after `context` tokens.
    virtual std::vector<float> next(std::int32_t token) = 0;
    virtual void restart() = 0;
};

class Model {
 public:
    virtual ~Model() = default;
    /// Logits of the next token at each position: (tokens.size(), vocabulary), row-major; at most `context` tokens.
    virtual std::vector<float> logits(std::span<const std::int32_t> tokens) = 0;
    /// Returns the new tokens. The prompt has at least one token; only its last `context` tokens have an effect.
    virtual std::vector<std::int32_t> generate(std::span<const std::int32_t> prompt, const Generation& how) = 0;
    /// `count` continuations of one prompt: the k-th one, from 0, is that of generate() with the seed `how.seed` + k,
    /// bit by bit. `on_token` is called for each token of each continuation; when it returns false, all of them end.
    /// The default generates them one after another.
    virtual std::vector<std::vector<std::int32_t>> generate_streams(std::span<const std::int32_t> prompt,
                                                                    const Generation& how, std::int64_t count);
    /// KV caches of the last generate() or generate_streams(); 0 before the first call, or if the model generated
    /// without a cache.
    virtual std::int64_t cache_bytes() const { return 0; }
    /// Mean over all non-overlapping sequences of the context length, in nats per token.
    virtual double whole_loss(std::span<const std::int32_t> tokens) = 0;
    /// Throws BadInput if the request does not fit the model.
    virtual ProbeResult probe(const ProbeRequest& request) = 0;
    /// Throws BadInput if the request does not fit the model. The default throws BadInput.
    virtual StageTimes stage_times(const StageTimesRequest& request);
    /// Output of a stage for at most `context` tokens: (tokens, n), with all heads of a token side by side; a matrix
    /// per head, (heads, n, m), such as attention scores; (n, m) for numbers that do not depend on the tokens. Throws
    /// BadInput if the model has no such output. The default throws BadInput.
    virtual ProbeArray stage_output(std::span<const std::int32_t> tokens, const StagePlace& stage);
    /// The predictor is valid as long as the model. The default evaluates the whole text for each token.
    virtual std::unique_ptr<TokenPredictor> predictor();
};

struct StepResult {
    double training_loss = 0;
    double gradient_norm = 0;  // before clipping
    double learning_rate = 0;
};

/// Nats per token.
struct EvaluationResult {
    double training_loss = 0;
    double validation_loss = 0;
};

/// Runs trained as one batched program. In float32 on the CPU, results do not depend on the other runs, bit by bit.
class Cohort {
 public:
    virtual ~Cohort() = default;
    virtual std::int64_t runs() const = 0;
    virtual std::int64_t iteration() const = 0;
    virtual RunConditions conditions() const = 0;

    /// If the loss or the gradient of a run is not finite, the step does not change its weights.
    virtual std::vector<StepResult> step() = 0;
    /// The next step() also measures gradient norms and updates by layer, for a probe directly after it
    /// (ProbeResult::gradient_norm). This does not affect training. The default measures nothing.
    virtual void measure_next_step() {}
    /// Measured as RunSpec::evaluation defines. Empty if `cancelled`, called between batches, returns true.
    std::vector<EvaluationResult> evaluate(const std::function<bool()>& cancelled) {
        return evaluate_runs(0, runs(), cancelled);
    }
    /// Only `count` runs, from the run `first`.
    virtual std::vector<EvaluationResult> evaluate_runs(std::int64_t first, std::int64_t count,
                                                        const std::function<bool()>& cancelled) = 0;
    /// The other runs keep their order and give the same results, bit by bit.
    virtual void remove(std::int64_t run) = 0;

    /// Weights ("model.…") and optimizer's moments ("optimizer.first.…", "optimizer.second.…"), sorted by name.
    virtual std::vector<NamedTensor> state(std::int64_t run) const = 0;
    virtual std::unique_ptr<Model> model(std::int64_t run) const = 0;
    /// Model::probe without a copy of the weights. It does not affect training.
    virtual ProbeResult probe(std::int64_t run, const ProbeRequest& request) const = 0;
};

/// For a new start, `states` is empty and `iteration` is 0. To resume, `states` has one state per run, saved after
/// `iteration` steps, and `conditions` are those of the first start.
struct CohortStart {
    std::vector<RunSpec> runs;
    std::int64_t iteration = 0;
    std::vector<std::vector<NamedTensor>> states;
    std::optional<RunConditions> conditions;
    /// What trains, one per run, such as with other frequencies (ModelPlan::changed); empty: the plan of each run.
    std::vector<ModelPlan> plans = {};
    /// Sentence on why the runs have their precision, for RunConditions::reason; empty if the user requested it.
    std::string precision_reason = {};
};

struct EngineInfo {
    std::string version;       // version of LibTorch
    std::string processor;     // CPU capability that LibTorch detects, such as "AVX512"
    bool bfloat16 = false;     // true if the CPU has instructions for products of bfloat16
    std::int64_t threads = 0;  // number of CPU threads that LibTorch uses by default
    bool cuda = false;         // true if a CUDA device is available
    /// Names and memory of the CUDA devices, or one sentence on why CUDA is not available.
    std::string cuda_detail;
    /// Free memory of the CUDA device in bytes; 0 if there is no device or it does not report its memory.
    std::int64_t cuda_memory = 0;
    /// Identifies the device and the software for which a device check is valid; empty without a CUDA device.
    std::string cuda_identity = {};
};

/// By the number of the precision.
inline constexpr std::array<const char*, 4> precision_names = {"auto", "float32", "bfloat16", "int8"};

/// How a model computes its plan. With int8, matrices have one scale per row and are in memory as bytes only, cached
/// keys and values are bfloat16, and everything else is float32: on the CPU, for plans with token_kernels_support
/// (core/plan/kernels.h), else BadInput.
struct Computing {
    Device device = Device::automatic;
    Precision precision = Precision::automatic;  // automatic: float32
};

/// The faster of ways that give equal bits, as measured, by the work, whose first word is its kind.
using KernelChoices = std::map<std::string, std::string>;

struct Parameter;
/// Writes the numbers of a parameter (core/plan/layout.h), row by row: as many as its shape has.
using WeightReader = std::function<void(const Parameter& parameter, std::span<float> to)>;

/// The library in core/engine implements this interface with LibTorch.
class Engine {
 public:
    virtual ~Engine() = default;
    virtual EngineInfo info() = 0;
    /// Throws BadInput for runs of different shapes, settings that this machine lacks (CUDA), or unsuitable states.
    virtual std::unique_ptr<Cohort> create_cohort(const CohortStart& start, const TokenData& data) = 0;
    /// Throws BadInput if a tensor is missing or has a wrong shape.
    virtual std::unique_ptr<Model> create_model(const ModelPlan& plan, std::span<const NamedTensor> tensors,
                                                const Computing& computing) = 0;
    /// With weights that are read tensor by tensor, so that memory contains them once. Throws BadInput as create_model
    /// does for the plan, and what `read` throws. The default throws BadInput.
    virtual std::unique_ptr<Model> load_model(const ModelPlan& plan, const WeightReader& read,
                                              const Computing& computing);
    /// With the weights that a run with this seed has before its first step. The default throws BadInput.
    virtual std::unique_ptr<Model> create_untrained_model(const ModelPlan& plan, std::int64_t seed,
                                                          const Computing& computing);
    /// Compares LibTorch's results on the CUDA device with those on the CPU, and CUDA graphs with single operations.
    /// Calls `publish` before each check (outcome `started`) and after it. Throws BadInput without a CUDA device. A
    /// broken device or driver can make this function hang or crash; call it in a child process.
    virtual void check_device(const std::function<void(const DeviceCheck&)>& publish);
    /// For cohorts and models that are created later. Before the first call they use the CUDA device without graphs.
    virtual void trust_device(const DeviceTrust& trust);
    /// Which kernels are faster: all that were measured or given since the engine was loaded. The default has none.
    virtual KernelChoices kernel_choices() { return {}; }
    /// They replace measurements of time. Bits are compared as without them, so a wrong choice changes no result.
    virtual void use_kernel_choices(const KernelChoices& /*choices*/) {}
    /// LibTorch's that compute or copy numbers (not views or allocations), and the engine's own passes, but not those
    /// that a CUDA graph replays. nullopt if the engine cannot count.
    virtual std::optional<std::int64_t> count_operations(const std::function<void()>& work) {
        work();
        return std::nullopt;
    }
};

/// Engine::create_model of a run's plan.
std::unique_ptr<Model> create_model(Engine& engine, const RunSpec& spec, int vocabulary,
                                    std::span<const NamedTensor> tensors);
std::unique_ptr<Model> create_untrained_model(Engine& engine, const RunSpec& spec, int vocabulary);

}  // namespace ropelab
