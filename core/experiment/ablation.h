#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "core/experiment/checkpoint.h"
#include "core/spec/engine.h"

namespace ropelab {

/// An ablation of rotary pairs in all layers and heads: `stop` freezes them (frequency 0), `remove` removes their terms
/// from the logit.
struct Ablation {
    /// `stop` freezes the pairs (frequency 0); `remove` removes their terms from the logit.
    enum class Kind { stop, remove } kind = Kind::stop;
    std::vector<std::int64_t> pairs;

    bool operator==(const Ablation&) const = default;
};

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
};

/// Loss in nats per token and retrieval accuracy against the number of ablated pairs, 0, …, all: `fast_…` ablates the
/// fastest pairs first, `slow_…` the slowest.
struct AblationCurve {
    Ablation::Kind kind = Ablation::Kind::stop;
    std::int64_t iteration = 0;
    std::vector<double> fast_loss, slow_loss;
    std::vector<double> fast_accuracy,
        slow_accuracy;  // retrieval accuracy over all distances; NaN if the context is too short

    /// Returns the number of points of each curve: pairs + 1.
    std::size_t count() const { return fast_loss.size(); }
};

// measure_ablation and measure_ablation_curve evaluate evenly spaced sequences of the validation split (as many as hold
// 4,096 tokens, but at least 4 and at most 32) and a retrieval test (recall of copied tokens). If `cancelled` returns
// true, they end early with incomplete results. They throw BadInput if the data is missing or a head does not have
// these pairs.

/// Measures the effect of one ablation on a checkpoint.
AblationResult measure_ablation(Engine& engine, const Checkpoint& checkpoint, const Ablation& ablation,
                                const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);
/// Measures loss and retrieval accuracy of a checkpoint against the number of ablated pairs.
AblationCurve measure_ablation_curve(Engine& engine, const Checkpoint& checkpoint, Ablation::Kind kind,
                                     const std::filesystem::path& data_dir, const std::function<bool()>& cancelled);

/// Returns the fraction of tested copied tokens that the model recalls, over all distances; NaN if there are none.
double retrieval_accuracy(const ProbeResult& result);

}  // namespace ropelab
