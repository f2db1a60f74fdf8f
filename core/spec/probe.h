#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/rope/scaling.h"
#include "core/spec/named_tensor.h"
#include "core/spec/run_spec.h"

namespace ropelab {

// Request and result of a probe, which measures attention, queries and keys inside a model. Both are plain numbers, not
// tensors. A head has head_dim/2 pairs in the canonical pairing (core/rope/rotation.h): pair i consists of the channels
// i and i + head_dim/2 and has the i-th highest frequency. Pairs that RoPE does not rotate are included.

/// Token sequences of equal length with their targets, as inputs of a probe.
struct ProbeSequences {
    std::int64_t length = 0;            // tokens per sequence
    std::vector<std::int32_t> tokens;   // of shape (sequences, length)
    std::vector<std::int32_t> targets;  // next token of each token; −1 if it is unknown

    /// Returns the number of sequences.
    std::int64_t count() const { return length > 0 ? static_cast<std::int64_t>(tokens.size()) / length : 0; }
};

/// Sequences that test retrieval over a distance. The last tokens of each sequence, its last target included, are a
/// copy of the tokens `lag` positions before, so a model can predict them only by retrieving those tokens.
struct RetrievalTest {
    ProbeSequences sequences;
    std::vector<std::int64_t> lags;  // one per sequence
    /// Number of targets at the end of each sequence on which accuracy and loss are measured. The first tokens of the
    /// copy are not among them, because the model needs them to recognize the copy.
    std::int64_t marked = 0;
};

/// A head whose query and key are replaced: every token has these vectors, head_dim numbers each before rotation and
/// after normalization, in the canonical pairing. The values of the head stay those of the model.
struct ReplacedHead {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::vector<double> query;
    std::vector<double> key;
};

/// Sequences on which a model is probed, and the quantities to measure.
struct ProbeRequest {
    /// Input sequences. They may be longer than the model's context, unless its positions are learned.
    ProbeSequences sequences;
    /// If true, the norms of queries, keys and values by pair and massive values are measured.
    bool vectors = true;
    /// If true, logit contributions, logits and attention by distance, entropy and attention sinks are measured. The
    /// sequences must then have at least 2 tokens.
    bool attention = true;
    /// Number of tokens at the start of the first sequence for which attention maps are returned; 0: no maps.
    std::int64_t map_size = 0;
    /// Pair whose contribution to the logits is returned as a map too; −1: none.
    std::int64_t map_pair = -1;
    /// Position in the first sequence whose query and key vectors are returned; −1: none.
    std::int64_t vectors_at = -1;
    /// Sequences on which retrieval is measured; empty: retrieval is not measured.
    RetrievalTest retrieval;

    /// Pairs that are frozen in all layers and heads: their frequency is 0, so their term in the logit no longer
    /// depends on the distance. Norms and massive values are measured without this intervention.
    std::vector<std::int64_t> frozen_pairs;
    /// Pairs that are ablated in all layers and heads: their term is removed from the logit. Norms and massive values
    /// are measured without this intervention.
    std::vector<std::int64_t> ablated_pairs;
    /// Pairs that are mean-ablated in all layers and heads. Their query and key channels before rotation are replaced
    /// by the means over all sequences and positions of `sequences`, per layer and head, in the model without any
    /// intervention. Their term in the logit at distance Δ is then its mean over all combinations of a query vector and
    /// a key vector of these sequences, placed at distance Δ: it keeps what the pair encodes by distance alone and
    /// loses what depends on the tokens. (One mean over all distances would be a constant, which softmax ignores: it
    /// would be the same as an ablation.) Norms and massive values are measured without this intervention.
    std::vector<std::int64_t> mean_ablated_pairs;
    /// Heads whose queries and keys are replaced. Ablations of pairs do not change them. With grouped-query attention
    /// the other heads of the group keep their key. Norms and massive values are measured without this intervention.
    std::vector<ReplacedHead> replaced_heads;
    /// If true, the logit contribution of each pair that is not rotated is returned in its own element instead of in
    /// the last one.
    bool splits_unrotated = false;
    /// If true, the losses of each sequence are returned.
    bool sequence_losses = false;
    /// Scaling of the run's RoPE frequencies (core/rope/scaling.h). Scaling::original_context = 0 means the context of
    /// the run; the current length is the length of the sequences.
    Scaling scaling;

    /// Called between batches; if it returns true, the probe stops and its result is empty.
    std::function<bool()> cancelled;
};

/// Array of numbers with a shape, in row-major order.
struct ProbeArray {
    std::vector<std::int64_t> shape;
    std::vector<float> values;

    bool empty() const { return values.empty(); }
    /// Returns the numbers at the given indices of the first two dimensions, such as those of one layer and head.
    std::span<const float> row(std::int64_t first, std::int64_t second) const;
    bool operator==(const ProbeArray&) const = default;
};

/// Accuracy and loss on the copied tokens at one lag (see RetrievalTest). The members `first_…` are measured on the
/// first occurrence of the same tokens, which is no copy: they are the baseline.
struct RetrievalPoint {
    std::int64_t lag = 0;     // distance between a token and its copy, in tokens
    std::int64_t tokens = 0;  // number of tokens on which accuracy and loss are measured
    double accuracy = 0;      // fraction of tokens to which the model gives the largest logit
    double loss = 0;          // nats per token
    double first_accuracy = 0;
    double first_loss = 0;
    std::int64_t sequences = 0;  // number of sequences at this lag; 0 if the result was stored without it
    // Standard errors of the four means and of the gain over the sequences, which are the independent units: tokens of
    // one sequence are not. They are unknown, and 0 here, with fewer than 2 sequences.
    double accuracy_error = 0;
    double loss_error = 0;
    double first_accuracy_error = 0;
    double first_loss_error = 0;
    double gain_error = 0;

    /// Returns the distance at which an induction head attends, lag − 1: the token that followed the first occurrence
    /// of the current token.
    std::int64_t distance() const { return lag - 1; }
    /// Returns the retrieval gain: the accuracy on the copied tokens minus the accuracy on their first occurrence.
    double gain() const { return accuracy - first_accuracy; }
    /// Returns the standard error of the gain: over sequences, because the tokens of a sequence depend on each other;
    /// with fewer than two sequences the binomial one over tokens, √((a(1 − a) + f(1 − f))/n). NaN without tokens.
    double gain_standard_error() const;

    bool operator==(const RetrievalPoint&) const = default;
};

/// Result of a probe. Quantities that were not requested are empty. All are means over all sequences and positions
/// unless stated otherwise. A gated DeltaNet layer has no attention weights: its numbers are NaN, and arrays of a model
/// without other layers are empty. With multi-head latent attention, pairs and head_dim are those of queries and keys
/// (RunSpec::query_dim), and value_usage is empty. The members `…_error` are standard errors of these means over the
/// sequences, which are the independent units (tokens of one sequence are not), with shapes as the means. They are
/// empty with fewer than 2 sequences, and if the result was stored by a version that did not compute them.
struct ProbeResult {
    std::int64_t sequences = 0;  // number of sequences
    std::int64_t length = 0;     // tokens per sequence

    /// RoPE frequencies in radians per token, if theta is trained or follows a schedule; 0 for a pair that is not
    /// rotated.
    ProbeArray frequencies;  // layers × (1, or heads if each has its own) × pairs

    /// Norm by frequency (formula 33): mean norm of the two channels of each pair of the queries, keys and values. RoPE
    /// does not change these norms. Values are not rotated and serve as the control.
    ProbeArray query_usage;  // layers × heads × pairs
    ProbeArray key_usage;    // layers × key_value_heads × pairs
    ProbeArray value_usage;  // layers × key_value_heads × pairs
    /// Massive values (formula 34): norm of each channel over a sequence before rotation, averaged over the sequences.
    ProbeArray query_massive;  // layers × heads × head_dim
    ProbeArray key_massive;    // layers × key_value_heads × head_dim

    /// Residual stream before each layer and after the last one (formula 56): root mean square over tokens and
    /// channels, and largest magnitude of a single number (massive activations, Sun et al. 2024).
    ProbeArray stream_rms;      // layers + 1
    ProbeArray stream_largest;  // layers + 1
    /// Measurements of the training step before the probe (Cohort::measure_next_step, formula 56), for the weights of
    /// attention (column 0) and MLP (column 1) of each layer with their norms: norm of the gradient before clipping,
    /// norm of the step's change of the weights divided by the norm of the weights before it, and norm of the change
    /// since initialization divided by the norm of the initial weights. Empty before the first step.
    ProbeArray gradient_norm;       // layers × 2
    ProbeArray update_ratio;        // layers × 2
    ProbeArray accumulated_update;  // layers × 2

    /// Logit contribution of each pair as a share of the variance (formula 8), of shape layers × heads × (pairs + 1).
    /// Every key counts equally, also keys with an attention weight near 0. The last element is the contribution of all
    /// pairs that are not rotated in this layer; their own elements are 0. The contributions of a head sum to 1, or are
    /// all 0 if its logits do not vary. What the position encoding adds to the product, such as ALiBi's bias, is
    /// excluded.
    ProbeArray logit_contribution;
    /// Logit contribution with the keys weighted by their attention weights (formula 8, weighted), with the shape and
    /// the last element of logit_contribution. Empty if the result was stored by a version that did not compute it.
    ProbeArray weighted_logit_contribution;
    /// Standard error of the logit contribution. The contribution is the ratio of two sums over sequences, so its error
    /// is that of a ratio estimator (linearized).
    ProbeArray logit_contribution_error;
    /// Distances m − n, from 0 on, of the two curves below. A model with sliding-window attention has only the
    /// distances inside the sliding window.
    std::vector<std::int64_t> distances;
    ProbeArray logit_by_distance;      // layers × heads × distances
    ProbeArray attention_by_distance;  // layers × heads × distances: mean attention weight
    ProbeArray logit_by_distance_error;
    ProbeArray attention_by_distance_error;
    /// Entropy of the attention weights in nats, averaged over the queries from position 1 on (a query at position 0
    /// has only one key).
    ProbeArray entropy;        // layers × heads
    ProbeArray entropy_error;  // layers × heads
    /// Attention weight of the first token of the sequence (attention sink), averaged over the queries from position 1
    /// on.
    ProbeArray sink;        // layers × heads
    ProbeArray sink_error;  // layers × heads

    /// Attention weights by query (row) and key (column); each row sums to 1, with
    /// attention sinks (formula 45) to less.
    ProbeArray attention;    // layers × heads × map_size × map_size
    ProbeArray pair_logits;  // same shape: contribution of pair map_pair to the logits; 0 above the diagonal
    std::vector<std::int32_t> map_tokens;  // tokens of the rows and columns of the maps
    /// Queries and keys at position `vectors_at` before rotation (with QK norm, after the normalization). They are not
    /// stored in a lab file.
    ProbeArray query_vectors;  // layers × heads × head_dim
    ProbeArray key_vectors;    // layers × key_value_heads × head_dim

    /// Loss of the target at each position in nats per token; NaN if no sequence has a target there.
    std::vector<double> loss_by_position;
    /// Standard error of the loss at each position; empty also if a token has no target.
    std::vector<double> loss_by_position_error;
    /// Losses of each sequence in nats per token, sequences × length (NaN without a target), if they were requested.
    /// They are not stored in a lab file.
    ProbeArray sequence_losses;
    /// Mean loss over all targets in nats per token; NaN if there are no targets.
    double loss = 0;
    double loss_error = 0;                  // standard error of the mean loss; 0 where loss_by_position_error is empty
    std::vector<RetrievalPoint> retrieval;  // ordered by lag

    // Mixtures of experts on the request's sequences, routed as in evaluation. Layers with a dense feed-forward network
    // have zeros. Empty for models without experts.

    /// Distinct tokens of the sequences, in ascending order.
    std::vector<std::int32_t> expert_tokens;
    /// Share of a layer's choices that route each of expert_tokens to each expert: layers × experts × tokens. The
    /// shares of a layer with experts sum to 1 (core/study/expert_load.h).
    ProbeArray expert_shares;
    /// Load-balancing loss of each layer (formula 50): 1 for an even load.
    ProbeArray expert_balance;  // layers × 1
    /// Share of each layer's choices beyond the capacity that training would allow on these sequences; 0 without a
    /// capacity.
    ProbeArray expert_dropped;  // layers × 1

    bool operator==(const ProbeResult&) const = default;
};

/// Converts a probe result to float32 tensors with names ("usage.query", …), which a lab file can store.
std::vector<NamedTensor> parts_of(const ProbeResult& result);
/// Converts the tensors that parts_of returned back to a probe result. Tensors with unknown names are ignored;
/// quantities without a tensor, and those of experts whose shapes contradict each other, stay empty. Throws BadInput if
/// other shapes contradict each other or a count is no number.
ProbeResult probe_result_of(std::span<const NamedTensor> parts);

/// Returns the result with at most `max_distances` distances in its curves by distance. The first max_distances/2
/// distances stay as they are; longer distances are grouped into ranges of growing width, and each range is replaced by
/// its mean at its middle. The standard errors are replaced by their means, which are upper bounds of the errors of the
/// grouped means.
ProbeResult compacted(ProbeResult result, std::int64_t max_distances = 256);

/// Returns whether a run is probed after `iteration` training steps: at every `probe_every`-th evaluation, at the end,
/// and after 1, 2, 4, 8, … steps before the first evaluation. More than 100 probed evaluations are thinned evenly, so
/// that the lab file stays small.
bool probes_at(const RunSpec& spec, std::int64_t iteration);
/// Returns the number of probes of a run from step `from` on, that of step `from` included.
std::int64_t number_of_probes(const RunSpec& spec, std::int64_t from);

/// Returns the first step after `iteration` at which a run is probed (see probes_at); 0 is the probe before the first
/// step, which `iteration` −1 returns. nullopt if no probe follows.
std::optional<std::int64_t> next_probe(const RunSpec& spec, std::int64_t iteration);

/// Returns whether probing has been so expensive compared with training (both in seconds) that the next probe is
/// skipped: more than 5 seconds and more than 4 %. This happens with many small runs on a fast device; usually it is
/// about 1 %.
bool probes_are_expensive(double probing, double training);

}  // namespace ropelab
