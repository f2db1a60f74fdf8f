#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/spec/engine.h"
#include "core/stats/descriptive.h"

namespace ropelab {

// Bits of the tokens of a text under a trained model: −log₂ p of each token, given tokens before it (formula 35).
//
// The first token costs log₂ of the vocabulary (all tokens are equally probable). Each later token is predicted from
// the tokens before it, up to a whole context. When the context is full, prediction begins anew with the newest tokens
// that leave half of the context free (see restart_overlap): after the first context, each token is predicted from at
// least half a context of earlier tokens, at about two evaluations per token.

/// Returns −log₂ of the probability that these logits give a token.
double bits_of_token(std::span<const float> logits, std::int32_t token);

/// Returns the number of tokens that are evaluated again when a context of this length is full: all but half of the
/// context, and all but one for a context of one token.
std::int64_t restart_overlap(std::int64_t context);

/// Receives the number of completed tokens; returns false to stop.
using TokenProgress = std::function<bool(std::int64_t)>;

/// Bits of the tokens of a text.
struct TextBits {
    std::vector<double> bits;  // one number per token
    /// Number of tokens before each token from which the model predicted it.
    std::vector<std::int64_t> seen;
};

/// Computes the bits of each token, with one evaluation per sequence of `context` tokens. If `progress` returns false,
/// the result has only the tokens so far.
TextBits text_bits(Model& model, std::int64_t context, int vocabulary, std::span<const std::int32_t> tokens,
                   const TokenProgress& progress = {});

/// Returns mean and 95 % interval of the bits per unit (a token, a character or a byte). Bits of neighbouring tokens
/// depend on each other, so the interval comes from the means of blocks of at least `block` tokens; at most 32 blocks
/// are used, and with fewer than two there is no interval. `units` has the number of units of each token. Source: the
/// method of batch means, Law and Kelton 2000. The mean is the sum of all bits over the sum of all units.
Description bits_per_unit(std::span<const double> bits, std::span<const std::int64_t> units, std::int64_t block);

}  // namespace ropelab
