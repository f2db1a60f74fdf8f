#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/contract/named_tensor.h"
#include "core/rope/scaling.h"
#include "core/settings/run_spec.h"

namespace ropelab {

// A head has head_dim/2 pairs in the canonical pairing (core/rope/rotation.h): pair i consists of the channels i and i
// + head_dim/2 and has the i-th highest frequency. Pairs that RoPE does not rotate are included.

struct ProbeSequences {
    std::int64_t length = 0;            // tokens per sequence
    std::vector<std::int32_t> tokens;   // of shape (sequences, length)
    std::vector<std::int32_t> targets;  // next token of each token; −1 if it is unknown

    std::int64_t count() const { return length > 0 ? static_cast<std::int64_t>(tokens.size()) / length : 0; }
};

/// The last tokens of each sequence, its last target included, are a copy of the tokens `lag` positions before, so a
/// model can predict them only by retrieving those tokens.
struct RetrievalTest {
    ProbeSequences sequences;
    std::vector<std::int64_t> lags;  // one per sequence
    /// Measured targets at the end of each sequence; the first tokens of a copy only serve to recognize it.
    std::int64_t marked = 0;
};

/// A head whose every token has this query and key (head_dim numbers each, before rotation and after normalization, in
/// the canonical pairing). Its values stay those of the model.
struct ReplacedHead {
    std::int64_t layer = 0;
    std::int64_t head = 0;
    std::vector<double> query;
    std::vector<double> key;
};

struct ProbeRequest {
    /// They may be longer than the model's context, unless its positions are learned.
    ProbeSequences sequences;
    bool vectors = true;
    /// Logit contributions, logits and attention by distance, entropy and attention sinks; needs at least 2 tokens.
    bool attention = true;
    /// Tokens at the start of the first sequence for which attention maps are returned; 0: no maps.
    std::int64_t map_size = 0;
    /// Pair whose contribution to the logits is returned as a map too; −1: none.
    std::int64_t map_pair = -1;
    /// Position in the first sequence; −1: no query and key vectors are returned.
    std::int64_t vectors_at = -1;
    /// Empty: retrieval is not measured.
    RetrievalTest retrieval;

    /// In all layers and heads: their frequency is 0, so their term in the logit no longer depends on the distance.
    /// Norms and massive values are measured without this intervention.
    std::vector<std::int64_t> frozen_pairs;
    /// In all layers and heads: their term leaves the logit. Norms and massive values are not affected.
    std::vector<std::int64_t> ablated_pairs;
    /// In all layers and heads, their query and key channels before rotation are replaced by the means over all
    /// sequences and positions of `sequences`, per layer and head, in the model without any intervention. Their term in
    /// the logit at distance Δ is then its mean over all combinations of a query vector and a key vector of these
    /// sequences, placed at distance Δ: it keeps what the pair encodes by distance alone and loses what depends on the
    /// tokens. (One mean over all distances would be a constant, which softmax ignores: it would be the same as an
    /// ablation.) Norms and massive values are measured without this intervention.
    std::vector<std::int64_t> mean_ablated_pairs;
    /// Ablations of pairs do not change them. With grouped-query attention the other heads of the group keep their key.
    /// Norms and massive values are measured without this intervention.
    std::vector<ReplacedHead> replaced_heads;
    /// If true, each pair that is not rotated has its own element of the logit contribution instead of the last one.
    bool splits_unrotated = false;
    bool sequence_losses = false;
    /// Scaling::original_context = 0 means the context of the run; the current length is the length of the sequences.
    Scaling scaling;

    /// Called between batches; if it returns true, the result of the probe is empty.
    std::function<bool()> cancelled;
};

/// Row-major.
struct ProbeArray {
    std::vector<std::int64_t> shape;
    std::vector<float> values;

    bool empty() const { return values.empty(); }
    /// Numbers at these indices of the first two dimensions, such as those of one layer and head.
    std::span<const float> row(std::int64_t first, std::int64_t second) const;
    bool operator==(const ProbeArray&) const = default;
};

/// Copied tokens at one lag; `first_…` are measured on the first occurrence of the same tokens, the baseline.
struct RetrievalPoint {
    std::int64_t lag = 0;     // distance between a token and its copy, in tokens
    std::int64_t tokens = 0;  // number of tokens on which accuracy and loss are measured
    double accuracy = 0;      // fraction of tokens to which the model gives the largest logit
    double loss = 0;          // nats per token
    double first_accuracy = 0;
    double first_loss = 0;
    std::int64_t sequences = 0;  // number of sequences at this lag; 0 if the result was stored without it
    // Standard errors over the sequences, which are the independent units; 0 with fewer than 2 sequences.
    double accuracy_error = 0;
    double loss_error = 0;
    double first_accuracy_error = 0;
    double first_loss_error = 0;
    double gain_error = 0;

    /// At which an induction head attends: to the token that followed the first occurrence of the current one.
    std::int64_t distance() const { return lag - 1; }
    double gain() const { return accuracy - first_accuracy; }
    /// Over sequences, because the tokens of a sequence depend on each other; with fewer than two sequences the
    /// binomial one over tokens, √((a(1 − a) + f(1 − f))/n). NaN without tokens.
    double gain_standard_error() const;

    bool operator==(const RetrievalPoint&) const = default;
};

/// Quantities that were not requested are empty. All are means over all sequences and positions unless stated
/// otherwise. A gated DeltaNet layer has no attention weights: its numbers are NaN, and arrays of a model without other
/// layers are empty. With multi-head latent attention, pairs and head_dim are those of queries and keys
/// (RunSpec::query_dim), and value_usage is empty. The members `…_error` are standard errors of these means over the
/// sequences, which are the independent units (tokens of one sequence are not), with shapes as the means. They are
/// empty with fewer than 2 sequences, and if the result was stored by a version that did not compute them.
struct ProbeResult {
    std::int64_t sequences = 0;  // number of sequences
    std::int64_t length = 0;     // tokens per sequence

    /// Radians per token, if theta is trained or follows a schedule; 0 for a pair that is not rotated.
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
    /// channels, and largest magnitude of a number (massive activations, Sun et al. 2024).
    ProbeArray stream_rms;      // layers + 1
    ProbeArray stream_largest;  // layers + 1
    /// Measurements of the training step before the probe (Cohort::measure_next_step, formula 56), for the weights of
    /// attention (column 0) and MLP (column 1) of each layer with their norms: norm of the gradient before clipping,
    /// norm of the step's change of the weights divided by the norm of the weights before it, and norm of the change
    /// since initialization divided by the norm of the initial weights. Empty before the first step.
    ProbeArray gradient_norm;       // layers × 2
    ProbeArray update_ratio;        // layers × 2
    ProbeArray accumulated_update;  // layers × 2

    /// Share of the variance by pair (formula 8), layers × heads × (pairs + 1). Every key counts equally, also keys
    /// with an attention weight near 0. The last element is the contribution of all pairs that are not rotated in this
    /// layer; their own elements are 0. The contributions of a head sum to 1, or are all 0 if its logits do not vary.
    /// What the position encoding adds to the product, such as ALiBi's bias, is excluded.
    ProbeArray logit_contribution;
    /// With the keys weighted by their attention weights (formula 8, weighted); else as logit_contribution. Empty if
    /// the result was stored by a version that did not compute it.
    ProbeArray weighted_logit_contribution;
    /// Error of a ratio of two sums over sequences (linearized).
    ProbeArray logit_contribution_error;
    /// m − n, from 0 on, of the two curves below; with sliding windows only the distances inside them.
    std::vector<std::int64_t> distances;
    ProbeArray logit_by_distance;      // layers × heads × distances
    ProbeArray attention_by_distance;  // layers × heads × distances: mean attention weight
    ProbeArray logit_by_distance_error;
    ProbeArray attention_by_distance_error;
    /// In nats, averaged over the queries from position 1 on (a query at position 0 has only one key).
    ProbeArray entropy;        // layers × heads
    ProbeArray entropy_error;  // layers × heads
    /// Attention weight of the first token (attention sink), averaged over the queries from position 1 on.
    ProbeArray sink;        // layers × heads
    ProbeArray sink_error;  // layers × heads

    /// Rows are queries, columns keys; each row sums to 1, with attention sinks (formula 45) to less.
    ProbeArray attention;    // layers × heads × map_size × map_size
    ProbeArray pair_logits;  // same shape: contribution of pair map_pair to the logits; 0 above the diagonal
    std::vector<std::int32_t> map_tokens;  // tokens of the rows and columns of the maps
    /// At `vectors_at`, before rotation (with QK norm, after the normalization). Not stored in a lab file.
    ProbeArray query_vectors;  // layers × heads × head_dim
    ProbeArray key_vectors;    // layers × key_value_heads × head_dim

    /// Nats per token; NaN if no sequence has a target there.
    std::vector<double> loss_by_position;
    /// Empty also if a token has no target.
    std::vector<double> loss_by_position_error;
    /// Nats per token, sequences × length (NaN without a target), if they were requested. Not stored in a lab file.
    ProbeArray sequence_losses;
    /// With sequence_losses: 1 where the target has the largest logit, else 0.
    ProbeArray sequence_correct;
    /// Mean over all targets in nats per token; NaN if there are none.
    double loss = 0;
    double loss_error = 0;                  // standard error of the mean loss; 0 where loss_by_position_error is empty
    std::vector<RetrievalPoint> retrieval;  // ordered by lag

    // Mixtures of experts, routed as in evaluation; zeros for dense layers. Empty for models without experts.

    /// Distinct tokens of the sequences, in ascending order.
    std::vector<std::int32_t> expert_tokens;
    /// Share of a layer's choices that route each token to each expert: layers × experts × tokens. A layer's sum to 1.
    ProbeArray expert_shares;
    /// Load-balancing loss (formula 50): 1 for an even load.
    ProbeArray expert_balance;  // layers × 1
    /// Share of choices beyond the capacity that training would allow on these sequences; 0 without a capacity.
    ProbeArray expert_dropped;  // layers × 1

    bool operator==(const ProbeResult&) const = default;
};

/// Float32 tensors with names ("usage.query", …), for a lab file.
std::vector<NamedTensor> parts_of(const ProbeResult& result);
/// Tensors with unknown names are ignored; quantities without a tensor, and those of experts whose shapes contradict
/// each other, stay empty. Throws BadInput if other shapes contradict each other or a count is no number.
ProbeResult probe_result_of(std::span<const NamedTensor> parts);

/// The first max_distances/2 distances stay as they are; longer distances are grouped into ranges of growing width, and
/// each range is replaced by its mean at its middle. Their standard errors are means, which are upper bounds.
ProbeResult compacted(ProbeResult result, std::int64_t max_distances = 256);

/// At every `probe_every`-th evaluation, at the end, and after 1, 2, 4, 8, … steps before the first evaluation. More
/// than 100 probed evaluations are thinned evenly, so that the lab file stays small.
bool probes_at(const RunSpec& spec, std::int64_t iteration);
/// Includes that of step `from`.
std::int64_t number_of_probes(const RunSpec& spec, std::int64_t from);

/// First probed step after `iteration`; −1 returns the probe before the first step, 0. nullopt if none follows.
std::optional<std::int64_t> next_probe(const RunSpec& spec, std::int64_t iteration);

/// In seconds. More than 5 s and 4 % of training: the next probe is skipped, as with many small runs on a fast device.
bool probes_are_expensive(double probing, double training);

}  // namespace ropelab
