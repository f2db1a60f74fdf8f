#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/rope/rotary_setup.h"

namespace ropelab {

/// A short text whose tokens have random vectors.
inline constexpr const char* standard_sentence = "Enhanced Transformer with Rotary Position Embedding";

/// Query, key or value of a token before rotation: `head_dim` normal numbers of mean 0 and variance 1, sampled from the
/// token and the seed, so that equal tokens have equal vectors. `what` is "query", "key" or "value".
std::vector<double> token_vector(const char* what, const std::string& token, std::int64_t seed, int head_dim);

/// Causal attention of one head over the tokens of a sentence.
struct SentenceAttention {
    std::size_t tokens = 0;
    std::size_t head_dim = 0;
    std::vector<double> logits;   // (tokens, tokens), row-major, rows are queries; 0 above the diagonal
    std::vector<double> weights;  // (tokens, tokens), row-major; each row sums to 1
    std::vector<double> outputs;  // (tokens, head_dim), row-major: weighted sums of the values
};

/// The first token is at position `first`. Queries and keys are rotated by their positions and multiplied, in double,
/// as a model does it, so that a shift shows the rounding. If `rotates_values` is true, each value is rotated by its
/// position, as queries and keys are; RoPE does not rotate values. Throws BadInput without tokens.
SentenceAttention sentence_attention(std::span<const std::string> tokens, std::int64_t first, std::int64_t seed,
                                     const RotarySetup& setup, bool rotates_values = false);

/// The largest absolute difference of two lists of equal length.
double largest_change(std::span<const double> before, std::span<const double> after);
/// ‖after − before‖/‖before‖ over all numbers; NaN if all numbers of `before` are 0.
double relative_change(std::span<const double> before, std::span<const double> after);

}  // namespace ropelab
