#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/contract/probe.h"
#include "core/run/checkpoint.h"
#include "core/stats/descriptive.h"

namespace ropelab {

// Any ablation changes the logits in a way that training never saw, so the rise of the loss alone does not show that a
// model needs these pairs. Random other pairs that contribute as much to the logits show how far the loss rises anyway.

struct AblationControl {
    std::vector<std::int64_t> pairs;            // ascending
    double contribution = 0;                    // their total logit contribution (see pair_contributions)
    std::shared_ptr<const ProbeResult> result;  // with these pairs ablated
};

struct AblationControls {
    double contribution = 0;  // total logit contribution of the ablated pairs
    /// Empty if no pairs were ablated, or if no set of other pairs has about the same contribution.
    std::vector<AblationControl> draws;
};

/// Formula 8, mean over all layers and heads. `result` must be measured with ProbeRequest::splits_unrotated.
std::vector<double> pair_contributions(const ProbeResult& result);

double total_contribution(std::span<const double> contributions, std::span<const std::int64_t> pairs);

/// At most `count` different sets, which consist of pairs of `others` that are not in `ablated`. 200 times, these pairs
/// are put into random order (RandomStream, seed 1), and the first of them, as many as bring their total contribution
/// nearest to that of `ablated`, form a set. The `count` sets with the nearest totals are returned, nearest first,
/// except those whose total differs by more than 20 % of that of `ablated` and by more than 0.01.
std::vector<std::vector<std::int64_t>> control_pairs(std::span<const double> contributions,
                                                     std::span<const std::int64_t> others,
                                                     std::span<const std::int64_t> ablated, std::int64_t count);

struct Ablation {
    /// `stop` freezes the pairs (frequency 0), `remove` removes their terms from the logit (zero ablation), and `mean`
    /// replaces their queries and keys by the means over the evaluated sequences (ProbeRequest::mean_ablated_pairs).
    enum class Kind { stop, remove, mean } kind = Kind::stop;
    std::vector<std::int64_t> pairs;

    bool operator==(const Ablation&) const = default;
};

/// freeze, ablate or mean.
std::string_view word_of(Ablation::Kind kind);
/// Also words of earlier versions. Throws BadInput, naming the setting `what`, for any other.
Ablation::Kind parse_ablation_kind(std::string_view word, std::string_view what);

/// first, …, last; no pair if last < first.
Ablation pair_range(Ablation::Kind kind, std::int64_t first, std::int64_t last);

/// `count`: pairs of a head. A selection such as "0-3+7" (core/base/selection.h), or "fast4" or "slow4" for the four
/// fastest or slowest. Throws BadInput, naming the setting `what`, for any other text.
std::vector<std::int64_t> parse_pairs(std::string_view text, std::int64_t count, std::string_view what);

/// Replaces an earlier ablation.
void apply_ablation(ProbeRequest& request, const Ablation& ablation);

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
    /// Over all distances; NaN if the context is too short.
    std::vector<double> fast_accuracy, slow_accuracy;
    /// Loss minus that of the unmodified model: mean and 95 % interval over the sequences.
    std::vector<Description> fast_rise, slow_rise;
    std::vector<Interval> fast_accuracy_interval, slow_accuracy_interval;
    std::vector<AblationControls> fast_controls, slow_controls;
    std::int64_t sequences = 0, length = 0;  // number of evaluated sequences, and their tokens
    std::int64_t retrieval_sequences = 0;

    std::size_t count() const { return fast_loss.size(); }
};

// The two functions below evaluate evenly spaced sequences of the validation split (as many as hold 4,096 tokens, but
// at least 4 and at most 32) and a retrieval test (recall of copied tokens). If `cancelled` returns true, they end
// early with incomplete results. They throw BadInput if the data is missing or a head does not have these pairs. Each
// ablation is compared with ablations of the same kind of random other pairs (core/study/ablation_control.h):
// `controls` of them, and fewer where fewer fit.

AblationResult measure_ablation(Engine& engine, const Checkpoint& checkpoint, const Ablation& ablation,
                                const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                std::int64_t controls = 5);
AblationCurve measure_ablation_curve(Engine& engine, const Checkpoint& checkpoint, Ablation::Kind kind,
                                     const std::filesystem::path& data_dir, const std::function<bool()>& cancelled,
                                     std::int64_t controls = 3);

/// At most `count`, on the sequences of `request`, whose own ablation is ignored. None if cancelled.
AblationControls measure_controls(Model& model, const ModelPlan& plan, const ProbeRequest& request,
                                  const Ablation& ablation, std::int64_t count);

/// Nats per token: mean and 95 % interval of the differences of mean losses of equal sequences. Needs
/// ProbeResult::sequence_losses; without them all numbers are NaN.
Description loss_rise(const ProbeResult& whole, const ProbeResult& without);
/// Mean, ends of the 95 % interval, and number of sequences.
nlohmann::json rise_json(const Description& rise);

/// Fraction of tested copied tokens that are recalled, over all distances; NaN if there are none.
double retrieval_accuracy(const ProbeResult& result);
/// 95 %, over sequences that are stratified by lag: the squared standard errors of the lags add up with the squared
/// shares of their tokens, with one degree of freedom less per lag than sequences. NaN if no lag has 2 sequences.
Interval retrieval_interval(const ProbeResult& result);
/// 0 if the result was stored without the retrieval test.
std::int64_t retrieval_sequences(const ProbeResult& result);

}  // namespace ropelab
