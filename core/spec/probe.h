#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/rope/scaling.h"
#include "core/spec/named_tensor.h"

namespace ropelab {

// What is asked of a model's inside, and what comes back: plain numbers, no tensors. The pairs of a head are those of
// the canonical pairing (core/rope/rotation.h): pair i is channels i and i + head_dim/2, fastest first, whether it
// turns or not; there are head_dim/2.

/// Windows of equal length, one after another.
struct ProbeWindows {
    std::int64_t length = 0;
    std::vector<std::int32_t> tokens;   // windows × length
    std::vector<std::int32_t> targets;  // what follows each of them; −1 where nothing is known to follow

    std::int64_t count() const { return length > 0 ? static_cast<std::int64_t>(tokens.size()) / length : 0; }
};

/// A text that only looking back can tell: the last symbols of each window, its last target included, repeat what
/// stood `lag` symbols before.
struct RetrievalText {
    ProbeWindows windows;
    std::vector<std::int64_t> lags;  // one a window
    /// How many targets at the end of a window are judged: the copy without the symbols by which it is recognised.
    std::int64_t marked = 0;
};

struct ProbeRequest {
    /// May be longer than the model's context, except for learned positions.
    ProbeWindows windows;
    /// Usage and massive values.
    bool vectors = true;
    /// Logit shares, curves by distance, entropy and sinks; wants windows of 2 symbols or more.
    bool attention = true;
    /// Attention maps of the first `map_size` symbols of the first window; 0: none.
    std::int64_t map_size = 0;
    /// The pair whose part of the logit is mapped too; −1: none.
    std::int64_t map_pair = -1;
    /// The position of the first window whose query and key vectors are returned; −1: none.
    std::int64_t vectors_at = -1;
    RetrievalText retrieval;

    // Knock-outs, in all layers and heads. A stopped pair has frequency 0: its content stays in the logit, its position
    // goes. A removed pair's term leaves the logit. Usage and massive values are those of the vectors before that.
    std::vector<std::int64_t> stopped_pairs;
    std::vector<std::int64_t> removed_pairs;
    /// Of the run's frequencies, as `frequencies` (core/rope/frequencies.h) has it: original_context 0 means the run's
    /// context, the current length is that of the windows.
    Scaling scaling;

    /// Asked between batches; true ends the probe with an empty result.
    std::function<bool()> cancelled;
};

/// Numbers in row-major order.
struct ProbeArray {
    std::vector<std::int64_t> shape;
    std::vector<float> values;

    bool empty() const { return values.empty(); }
    /// The numbers at the first indices, as those of one layer and head.
    std::span<const float> row(std::int64_t first, std::int64_t second) const;
    bool operator==(const ProbeArray&) const = default;
};

/// How well the copies at one lag are told. `first` is where the same symbols stood first, which nothing tells: the
/// level that retrieval must beat.
struct RetrievalPoint {
    std::int64_t lag = 0;
    std::int64_t symbols = 0;  // judged
    double accuracy = 0;       // share of symbols whose logit was the largest
    double loss = 0;           // nats a symbol
    double first_accuracy = 0;
    double first_loss = 0;

    bool operator==(const RetrievalPoint&) const = default;
};

/// What was measured; what was not asked for is empty. Means over all windows and positions unless stated.
struct ProbeResult {
    std::int64_t windows = 0;
    std::int64_t length = 0;

    /// The frequencies where theta moves while the model trains, in radians per token; 0 for a pair that does not turn.
    ProbeArray frequencies;  // layers × (1, or heads where each has its own) × pairs

    /// F33: the mean norm of each pair's two numbers. Rotation keeps it.
    ProbeArray query_usage;  // layers × heads × pairs
    ProbeArray key_usage;    // layers × key_value_heads × pairs
    ProbeArray value_usage;  // layers × key_value_heads × pairs, where pairs mean nothing: the control
    /// F34: the norm of each channel over a window before rotation, the mean over windows.
    ProbeArray query_massive;  // layers × heads × head_dim
    ProbeArray key_massive;    // layers × key_value_heads × head_dim

    /// F8 over all windows, of the products of queries and keys (ALiBi's bias left out): layers × heads × (pairs + 1).
    /// The last is the unrotated part, in which every pair counts that does not turn in this layer (and shows 0
    /// itself). Sums to 1; all 0 where the logits do not vary.
    ProbeArray logit_share;
    /// The distances m − n, from 0, of the curves below; those within the sliding window where the model has one.
    std::vector<std::int64_t> distances;
    ProbeArray logit_by_distance;      // layers × heads × distances
    ProbeArray attention_by_distance;  // layers × heads × distances: the mean share of a query's attention
    /// Over queries that have a choice, those from position 1 on; entropy in nats.
    ProbeArray entropy;  // layers × heads
    /// The share that goes to the window's first symbol.
    ProbeArray sink;  // layers × heads

    /// Shares of query (row) and key (column); rows sum to 1.
    ProbeArray attention;    // layers × heads × map_size × map_size
    ProbeArray pair_logits;  // the same, the part of map_pair; 0 above the diagonal
    std::vector<std::int32_t> map_tokens;
    /// At `vectors_at`, before rotation, queries and keys normalized where the model does that. Not stored in a lab.
    ProbeArray query_vectors;  // layers × heads × head_dim
    ProbeArray key_vectors;    // layers × key_value_heads × head_dim

    /// Of the target at each position, nats; NaN where no window has one.
    std::vector<double> loss_by_position;
    /// Over all targets; NaN without any.
    double loss = 0;
    std::vector<RetrievalPoint> retrieval;  // by lag

    bool operator==(const ProbeResult&) const = default;
};

/// The result as named parts ("usage.query", …, float32), and back; unknown parts are left out, missing ones empty.
std::vector<NamedTensor> parts_of(const ProbeResult& result);
ProbeResult probe_result_of(std::span<const NamedTensor> parts);

/// The same with at most `most` distances: beyond the first half of them, means over ever longer stretches, named by
/// their middle.
ProbeResult compacted(ProbeResult result, std::int64_t most = 256);

}  // namespace ropelab
