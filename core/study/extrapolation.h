#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/contract/engine.h"
#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"

namespace ropelab {

// Evaluation beyond the training context with scaling methods, before and after fine-tuning there.

/// Plain RoPE, position interpolation, NTK-aware, dynamic NTK, NTK-by-parts, YaRN, Llama 3 and LongRoPE (F18–F24).
std::span<const ScalingMethod> extrapolation_methods();
/// Only `none` if no RoPE frequency can be scaled, because the run has another position encoding, rotates no pair or
/// changed its theta during training; without the methods that change theta if its frequencies are listed.
std::vector<ScalingMethod> extrapolation_methods_of(const ModelPlan& plan);
/// Learned position embeddings end with the context, and xPos' decay leaves float32; all others have one.
bool is_defined_at(const ModelPlan& plan, std::int64_t length);

/// `factor` times the run's context, with one scaling method of that factor.
struct FineTuning {
    ScalingMethod method = ScalingMethod::yarn;
    std::int64_t factor = 4;
    std::int64_t steps = 100;
    /// Constant; 0 means a tenth of the run's.
    double learning_rate = 0;
    /// Divisors for longrope beyond the context, one per rotated pair; empty: search_longrope finds them.
    std::vector<double> long_factors = {};

    bool operator==(const FineTuning&) const = default;
};
double learning_rate_of(const FineTuning& tuning, const RunSpec& spec);
/// BadInput for learned positions, a changing theta, scaling without RoPE, and `tuning` out of range.
void check_fine_tuning(const RunSpec& spec, const FineTuning& tuning);

struct ExtrapolationEvaluation {
    ScalingMethod method = ScalingMethod::none;
    std::shared_ptr<const ProbeResult> result;
    std::optional<FineTuning> fine_tuning = {};  // nullopt: before fine-tuning
    std::vector<double> long_factors = {};       // of longrope; empty for the other methods
};

struct ExtrapolationResult {
    std::int64_t factor = 4;
    std::int64_t iteration = 0;  // step of the checkpoint
    std::vector<ExtrapolationEvaluation> evaluations;
};

/// Tokens of an evaluation or of fine-tuning beyond the context.
inline constexpr std::int64_t longest_extrapolation = 1'048'576;

/// Once per scaling method, on evenly spaced sequences of the validation split and on a retrieval test (recall of
/// copied tokens). `windows` is the number of sequences (0: all non-overlapping ones); by default as many as hold
/// 16,384 tokens, but at least 4 and at most 32. The divisors of longrope are `long_factors`, or those that
/// search_longrope finds. If `cancelled` returns true, the remaining evaluations are missing in the result. Throws
/// BadInput for a factor below 1 or a length above `longest_extrapolation`, for a length without a definition
/// (is_defined_at), for a scaling method that does not apply to the run, and if the data is missing or too short.
ExtrapolationResult evaluate_extrapolation(Engine& engine, const Checkpoint& checkpoint, std::int64_t factor,
                                           std::span<const ScalingMethod> methods,
                                           const std::filesystem::path& data_dir,
                                           const std::function<bool()>& cancelled,
                                           std::optional<std::int64_t> sequences = {},
                                           std::span<const double> long_factors = {});

/// A copy after `steps` more steps; the run and its file do not change. `settings` are those of the training, of which
/// iterations, warmup and decay_iterations are replaced: the learning rate goes from learning_rate to
/// final_learning_rate. The optimizer state and the order of batches continue from the checkpoint. `should_continue`
/// gets the number of finished steps; nullopt if it returns false. The result keeps the checkpoint's spec. Throws
/// BadInput if the data is missing or has changed, and if the loss is no longer finite.
std::optional<Checkpoint> trained_further(Engine& engine, const Checkpoint& checkpoint, const RunSpec& settings,
                                          std::int64_t steps, const Scaling& scaling,
                                          const std::filesystem::path& data_dir,
                                          const std::function<bool(std::int64_t done)>& should_continue);

/// A copy in memory; the run and its file do not change. The batch size is the run's divided by `factor`, at least 1,
/// so that a batch has no more tokens than before. Otherwise like `trained_further`. The `spec` of the result has the
/// run's original context. Throws BadInput like `evaluate_extrapolation`, for settings out of range, for a trained or
/// scheduled theta, and if the loss is no longer finite.
std::optional<Checkpoint> fine_tuned(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                     const std::filesystem::path& data_dir,
                                     const std::function<bool(std::int64_t done)>& should_continue);

/// `fine_tuned`, and `evaluate_extrapolation` before and after with the method of `tuning`. If `should_continue`
/// returned false, evaluations are missing in the result.
ExtrapolationResult fine_tune_extrapolation(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                            const std::filesystem::path& data_dir,
                                            const std::function<bool(std::int64_t done)>& should_continue,
                                            std::optional<std::int64_t> sequences = {});

/// Scaling methods with which the runs of a lab are evaluated at `factor` times their context, before and after `steps`
/// steps of fine-tuning there.
struct ExtrapolationPlan {
    std::int64_t factor = 4;
    std::vector<ScalingMethod> methods;
    std::int64_t steps = 100;

    FineTuning tuning(ScalingMethod method) const { return {.method = method, .factor = factor, .steps = steps}; }
};
/// What fine-tuning with the plan trains, for an estimate of its time: one run per method.
std::vector<RunSpec> tuned_specs(const RunSpec& spec, const ExtrapolationPlan& plan);
/// From the checkpoints of the lab's runs. Stores the losses by position as later results of each run, and the means as
/// its measurements loss_inside_METHOD_STEPS and loss_beyond_METHOD_STEPS. `should_continue` gets the finished part,
/// from 0 to 1. Returns false if it returned false; the rest is then missing. Throws like `fine_tune_extrapolation`.
bool extrapolate_runs(Engine& engine, const std::filesystem::path& lab, const ExtrapolationPlan& plan,
                      const std::filesystem::path& data_dir, const std::function<bool(double done)>& should_continue);
/// Of a run, oldest first: one evaluation before and one after fine-tuning each, of which only the losses are known.
/// Throws BadInput if a stored text is damaged.
std::vector<ExtrapolationResult> stored_extrapolations(const LabFile& lab, RunId run);

/// Mean, in nats per token, inside the training context and beyond it; NaN without positions.
struct SplitLoss {
    double inside = 0;
    double beyond = 0;
};
SplitLoss split_loss(const ProbeResult& result, std::int64_t context);

/// Formula 24.
struct LongRopeSearch {
    std::vector<double> factors;  // one per rotated pair, in ascending order, from 1 to the scaling factor
    double loss = 0;              // mean loss of the model with these divisors on the sequences of the search
};

/// The evolutionary search of Ding et al. 2024, in the form of its published code, for the lowest loss: it begins with
/// position interpolation, NTK-aware and YaRN (those that apply to the run); in each round the best lists are parents,
/// of which some are mutated (each divisor, with probability 0.3, becomes a random number between its neighbours) and
/// others crossed. The divisors stay in ascending order. The search has 6 rounds of 4 lists, the paper's 40 rounds of
/// 32, and all tokens are scaled. The losses are those of 1 to 4 evenly spaced sequences of `training`, which is the
/// run's training split, so that the validation split stays unseen. The result is equal at every call. nullopt if
/// `cancelled` returned true. Throws BadInput if the text has fewer tokens than a sequence requires.
std::optional<LongRopeSearch> search_longrope(Model& model, const ModelPlan& plan, const TokenText& training,
                                              std::int64_t factor, const std::function<bool()>& cancelled);

}  // namespace ropelab
