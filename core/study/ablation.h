#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "core/run/checkpoint.h"
#include "core/spec/engine.h"
#include "core/spec/probe.h"
#include "core/stats/descriptive.h"

namespace ropelab {

// Controls of an ablation. Any ablation changes the logits in a way that training never saw, so the rise of the loss
// alone does not show that a model needs these pairs. Random other pairs that contribute as much to the logits show how
// far the loss rises anyway.

/// One ablation of random other pairs.
struct AblationControl {
    std::vector<std::int64_t> pairs;            // ascending
    double contribution = 0;                    // their total logit contribution (see pair_contributions)
    std::shared_ptr<const ProbeResult> result;  // with these pairs ablated
};

/// The controls of one ablation.
struct AblationControls {
    double contribution = 0;  // total logit contribution of the ablated pairs
    /// The controls; empty if no pairs were ablated, or if no set of other pairs has about the same contribution.
    std::vector<AblationControl> draws;
};

/// Returns the logit contribution (formula 8) of each pair, as the mean over all layers and heads. `result` must be
/// measured with ProbeRequest::splits_unrotated.
std::vector<double> pair_contributions(const ProbeResult& result);

/// Returns the sum of the contributions of these pairs.
double total_contribution(std::span<const double> contributions, std::span<const std::int64_t> pairs);

/// Returns at most `count` different sets of pairs as controls for `ablated`. The sets consist of pairs of `others`
/// that are not in `ablated`. 200 times, these pairs are put into random order (RandomStream, seed 1), and the first of
/// them, as many as bring their total contribution nearest to that of `ablated`, form a set. The `count` sets with the
/// nearest totals are returned, nearest first, except those whose total differs by more than 20 % of that of `ablated`
/// and by more than 0.01.
std::vector<std::vector<std::int64_t>> control_pairs(std::span<const double> contributions,
                                                     std::span<const std::int64_t> others,
                                                     std::span<const std::int64_t> ablated, std::int64_t count);

/// An ablation of rotary pairs in all layers and heads.
struct Ablation {
    /// `stop` freezes the pairs (frequency 0), `remove` removes their terms from the logit (zero ablation), and `mean`
    /// replaces their queries and keys by the means over the evaluated sequences (ProbeRequest::mean_ablated_pairs).
    enum class Kind { stop, remove, mean } kind = Kind::stop;
    std::vector<std::int64_t> pairs;

    bool operator==(const Ablation&) const = default;
};

/// Returns the word of a kind on the command line and in JSON: freeze, ablate or mean.
std::string_view word_of(Ablation::Kind kind);
/// Returns the kind with this word, which may be that of an earlier version. Throws BadInput, naming the setting
/// `what`, for any other word.
Ablation::Kind parse_ablation_kind(std::string_view word, std::string_view what);

/// Returns the ablation of the pairs first, …, last; of no pair if last < first.
Ablation pair_range(Ablation::Kind kind, std::int64_t first, std::int64_t last);

/// Parses a text that selects pairs of a head with `count` pairs: a selection such as "0-3+7" (core/spec/selection.h),
/// or "fast4" or "slow4" for the four fastest or slowest. Throws BadInput, naming the setting `what`, for any other
/// text.
std::vector<std::int64_t> parse_pairs(std::string_view text, std::int64_t count, std::string_view what);

/// Sets the ablation of a probe request; an earlier one is replaced.
void apply_ablation(ProbeRequest& request, const Ablation& ablation);

/// Measurements of a checkpoint without and with ablated pairs, on the same sequences.
struct AblationResult {
    Ablation ablation;
    std::int64_t iteration = 0;
    std::shared_ptr<const ProbeResult> whole;    // the unmodified model
    std::shared_ptr<const ProbeResult> without;  // with the pairs ablated
    AblationControls controls = {};              // with random other pairs of the same logit contribution ablated
};

/// Loss in nats per token and retrieval accuracy against the number of ablated pairs, 0, …, all: `fast_…` ablates the
/// fastest pairs first, `slow_…` the slowest. All members have one element per number of pairs.
struct AblationCurve {
    Ablation::Kind kind = Ablation::Kind::stop;
    std::int64_t iteration = 0;
    std::vector<double> fast_loss, slow_loss;
    /// Retrieval accuracy over all distances; NaN if the context is too short.
    std::vector<double> fast_accuracy, slow_accuracy;
    /// Loss minus the loss of the unmodified model: mean and 95 % interval over the sequences.
    std::vector<Description> fast_rise, slow_rise;
    /// 95 % interval of the retrieval accuracy over the sequences.
    std::vector<Interval> fast_accuracy_interval, slow_accuracy_interval;
    /// Ablations of random other pairs with the same logit contribution.
    std::vector<AblationControls> fast_controls, slow_controls;
    std::int64_t sequences = 0, length = 0;  // number of evaluated sequences, and their tokens
    std::int64_t retrieval_sequences = 0;

    /// Returns the number of points of each curve: pairs + 1.
    std::size_t count() const { return fast_loss.size(); }
};

// measure_ablation and measure_ablation_curve evaluate evenly spaced sequences of the validation split (as many as hold
// 4,096 tokens, but at least 4 and at most 32) and a retrieval test (recall of copied tokens). If `cancelled` returns
// true, they end early with incomplete results. They throw BadInput if the data is missing or a head does not have
// these pairs. Each ablation is compared with ablations of the same kind of random other pairs
// (core/study/ablation_control.h): `controls` of them, and fewer where fewer fit.

/// Measures the effect of one ablation on a checkpoint.
AblationResult measure_ablation(Engine& engine, const Checkpoint& checkpoint, const Ablation& ablation,
                                const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                std::int64_t controls = 5);
/// Measures loss and retrieval accuracy of a checkpoint against the number of ablated pairs.
AblationCurve measure_ablation_curve(Engine& engine, const Checkpoint& checkpoint, Ablation::Kind kind,
                                     const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                     std::int64_t controls = 3);

/// Measures at most `count` controls of an ablation of a model with the settings `spec`, on the sequences of `request`;
/// an ablation in `request` is ignored. Returns no controls if the request is cancelled.
AblationControls measure_controls(Model& model, const RunSpec& spec, const ProbeRequest& request,
                                  const Ablation& ablation, std::int64_t count);

/// Returns how far the loss of `without` is above that of `whole`, in nats per token: mean and 95 % interval of the
/// differences of the mean losses of equal sequences. Both results need ProbeResult::sequence_losses; without them all
/// numbers are NaN.
Description loss_rise(const ProbeResult& whole, const ProbeResult& without);
/// Returns a rise as JSON: its mean, the ends of its 95 % interval, and the number of sequences.
nlohmann::json rise_json(const Description& rise);

/// Returns the fraction of tested copied tokens that the model recalls, over all distances; NaN if there are none.
double retrieval_accuracy(const ProbeResult& result);
/// Returns the 95 % interval of retrieval_accuracy over the sequences, which are stratified by lag: the squared
/// standard errors of the lags add up with the squared shares of their tokens, with one degree of freedom less per lag
/// than sequences. NaN if no lag has 2 sequences.
Interval retrieval_interval(const ProbeResult& result);
/// Returns the number of sequences of the retrieval test; 0 if the result was stored without it.
std::int64_t retrieval_sequences(const ProbeResult& result);

}  // namespace ropelab
