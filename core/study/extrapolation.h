#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/spec/engine.h"

namespace ropelab {

// Length extrapolation of a trained run: its evaluation beyond the training context with scaling methods, before and
// after fine-tuning at the longer context.

/// Returns the scaling methods that are compared: plain RoPE, position interpolation, NTK-aware, dynamic NTK,
/// NTK-by-parts, YaRN, Llama 3 and LongRoPE (F18–F24).
std::span<const ScalingMethod> extrapolation_methods();
/// Returns those that apply to a run: only `none` if no RoPE frequency can be scaled, because the run has another
/// position encoding, rotates no pair or changed its theta during training; without the methods that change theta if
/// its frequencies are listed.
std::vector<ScalingMethod> extrapolation_methods_of(const RunSpec& spec);
/// Returns whether the position encoding of a run has a definition for sequences of `length` tokens. Learned position
/// embeddings end with the context, and the decay of xPos leaves the range of float32; all others have one.
bool is_defined_at(const RunSpec& spec, std::int64_t length);

/// The settings of fine-tuning a run at `factor` times its context, with one scaling method of that factor.
struct FineTuning {
    ScalingMethod method = ScalingMethod::yarn;
    std::int64_t factor = 4;
    std::int64_t steps = 100;
    /// Constant learning rate; 0 means a tenth of the run's.
    double learning_rate = 0;
    /// Divisors of longrope beyond the training context, one per rotated pair; empty: search_longrope finds them.
    std::vector<double> long_factors = {};

    bool operator==(const FineTuning&) const = default;
};
/// Returns the learning rate of fine-tuning a run with these settings.
double learning_rate_of(const FineTuning& tuning, const RunSpec& spec);
/// Throws BadInput if a run with these settings cannot be fine-tuned: it has learned positions, a trained or
/// scheduled theta, or a scaling method without RoPE, or `tuning` is out of range.
void check_fine_tuning(const RunSpec& spec, const FineTuning& tuning);

/// One evaluation with one scaling method, before or after fine-tuning.
struct ExtrapolationEvaluation {
    ScalingMethod method = ScalingMethod::none;
    std::shared_ptr<const ProbeResult> result;
    std::optional<FineTuning> fine_tuning = {};  // nullopt: before fine-tuning
    std::vector<double> long_factors = {};       // of longrope; empty for the other methods
};

/// Evaluations of one checkpoint at `factor` times its context.
struct ExtrapolationResult {
    std::int64_t factor = 4;
    std::int64_t iteration = 0;  // step of the checkpoint
    std::vector<ExtrapolationEvaluation> evaluations;
};

/// Longest sequence of an evaluation or of fine-tuning beyond the context, in tokens.
inline constexpr std::int64_t longest_extrapolation = 1'048'576;

/// Evaluates the checkpoint at `factor` times its context, once per scaling method, on evenly spaced sequences of the
/// validation split and on a retrieval test (recall of copied tokens). `windows` is the number of sequences (0: all
/// non-overlapping ones); by default as many as hold 16,384 tokens, but at least 4 and at most 32. The divisors of
/// longrope are `long_factors`, or those that search_longrope finds. If `cancelled` returns true, the remaining
/// evaluations are missing in the result. Throws BadInput for a factor below 1 or a length above
/// `longest_extrapolation`, for a length without a definition (is_defined_at), for a scaling method that does not apply
/// to the run, and if the data is missing or too short.
ExtrapolationResult evaluate_extrapolation(Engine& engine, const Checkpoint& checkpoint, std::int64_t factor,
                                           std::span<const ScalingMethod> methods,
                                           const std::filesystem::path& data_dir,
                                           const std::function<bool()>& cancelled,
                                           std::optional<std::int64_t> sequences = {},
                                           std::span<const double> long_factors = {});

/// Trains a copy of the checkpoint for `steps` more steps and returns it; the run and its file do not change.
/// `settings` are those of the training, of which iterations, warmup and decay_iterations are replaced: the learning
/// rate goes from learning_rate to final_learning_rate. The optimizer state and the order of batches continue from the
/// checkpoint. `should_continue` is called with the number of finished steps before each step and at the end; if it
/// returns false, the result is nullopt. The result keeps the checkpoint's spec. Throws BadInput if the data is missing
/// or has changed, and if the loss is no longer finite.
std::optional<Checkpoint> trained_further(Engine& engine, const Checkpoint& checkpoint, const RunSpec& settings,
                                          std::int64_t steps, const Scaling& scaling,
                                          const std::filesystem::path& data_dir,
                                          const std::function<bool(std::int64_t done)>& should_continue);

/// Fine-tunes a copy of the checkpoint in memory and returns it; the run and its file do not change. The optimizer
/// state and the order of batches continue from the checkpoint. The batch size is the run's divided by `factor`,
/// rounded down, but at least 1, so that a batch has no more tokens than before where possible. Precision and threads
/// are the run's, and so is the device if it is available. `should_continue` is called with the number of finished
/// steps before each step and at the end; if it returns false, the result is nullopt. The `spec` of the result has the
/// run's original context. Throws BadInput like `evaluate_extrapolation`, for settings out of range, for a trained or
/// scheduled theta, and if the loss is no longer finite.
std::optional<Checkpoint> fine_tuned(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                     const std::filesystem::path& data_dir,
                                     const std::function<bool(std::int64_t done)>& should_continue);

/// Fine-tunes a copy of the checkpoint (see `fine_tuned`) and evaluates it before and after with the method of `tuning`
/// (see `evaluate_extrapolation`). If `should_continue` returned false, evaluations are missing in the result.
ExtrapolationResult fine_tune_extrapolation(Engine& engine, const Checkpoint& checkpoint, const FineTuning& tuning,
                                            const std::filesystem::path& data_dir,
                                            const std::function<bool(std::int64_t done)>& should_continue,
                                            std::optional<std::int64_t> sequences = {});

/// Mean loss in nats per token over the positions inside the training context and over those beyond it; NaN if there
/// are none.
struct SplitLoss {
    double inside = 0;
    double beyond = 0;
};
/// Averages the loss by position of a probe result inside and beyond the first `context` positions.
SplitLoss split_loss(const ProbeResult& result, std::int64_t context);

/// Divisors of the frequencies for LongRoPE (formula 24) that a search has found.
struct LongRopeSearch {
    std::vector<double> factors;  // one per rotated pair, in ascending order, from 1 to the scaling factor
    double loss = 0;              // mean loss of the model with these divisors on the sequences of the search
};

/// Searches the divisors of LongRoPE with which a model has the lowest loss on sequences of `factor` times its context,
/// by the evolutionary search of Ding et al. 2024, in the form of its published code: the search begins with position
/// interpolation, NTK-aware and YaRN (those that apply to the run); in each round the best lists are parents, of which
/// some are mutated (each divisor, with probability 0.3, becomes a random number between its neighbours) and others
/// crossed. The divisors stay in ascending order. The search has 6 rounds of 4 lists, the paper's 40 rounds of 32, and
/// all tokens are scaled. The losses are those of 1 to 4 evenly spaced sequences of `training`, which is the run's
/// training split, so that the validation split stays unseen. The result is equal at every call. nullopt if `cancelled`
/// returned true. Throws BadInput if the text has fewer tokens than a sequence requires.
std::optional<LongRopeSearch> search_longrope(Model& model, const RunSpec& spec, const TokenText& training,
                                              std::int64_t factor, const std::function<bool()>& cancelled);

}  // namespace ropelab
