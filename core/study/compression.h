#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/run/checkpoint.h"
#include "core/stats/descriptive.h"

namespace ropelab {

// Bits of the tokens of a text under a trained model: −log₂ p of each token, given tokens before it (formula 35).
//
// The first token costs log₂ of the vocabulary (all tokens are equally probable). Each later token is predicted from
// the tokens before it, up to a whole context. When the context is full, prediction begins anew with the newest tokens
// that leave half of the context free (see restart_overlap): after the first context, each token is predicted from at
// least half a context of earlier tokens, at about two evaluations per token.

/// −log₂ of the token's probability.
double bits_of_token(std::span<const float> logits, std::int32_t token);

/// Tokens evaluated again when a context is full: all but half of it; all but one for a context of one.
std::int64_t restart_overlap(std::int64_t context);

/// Receives the number of completed tokens; returns false to stop.
using TokenProgress = std::function<bool(std::int64_t)>;

struct TextBits {
    std::vector<double> bits;  // one number per token
    /// Number of tokens from which the model predicted each token.
    std::vector<std::int64_t> seen;
};

/// One evaluation per sequence of `context` tokens. If `progress` returns false, the result has only the tokens so far.
TextBits text_bits(Model& model, std::int64_t context, int vocabulary, std::span<const std::int32_t> tokens,
                   const TokenProgress& progress = {});

/// Mean and 95 % interval; a unit is a token, a character or a byte. Bits of neighbouring tokens depend on each other,
/// so the interval comes from the means of blocks of at least `block` tokens; at most 32 blocks are used, and with
/// fewer than two there is no interval. `units` has the number of units of each token. Source: the method of batch
/// means, Law and Kelton 2000. The mean is the sum of all bits over the sum of all units.
Description bits_per_unit(std::span<const double> bits, std::span<const std::int64_t> units, std::int64_t block);

// Compression of a text with a trained model and an arithmetic coder (formula 59), so that bits per character are the
// size of a file. The model runs on the CPU in float32 and processes one token after another (TokenPredictor), when a
// text is compressed and when it is decompressed, so that both compute the same probabilities, bit for bit. The tokens
// before each token are those of text_bits().
//
// Format, version 1 (numbers are in bytes, the smallest byte first; counts in groups of 7 bits, the lowest first):
//   "RopeZ", version (1), checksum of the model (8), checksum of its probabilities (8), checksum of the text (8),
//   number of tokens (1–10), number of bytes of the code (1–10), checksum of all before (4), code, its checksum (4).
// Checksums are the first bytes of SHA-256. That of the probabilities covers the frequencies after a short fixed text;
// it differs on a computer whose arithmetic differs in the last bit, where decompression could not succeed.

struct CompressionSizes {
    std::int64_t tokens = 0;
    std::optional<std::int64_t> characters;  // nullopt if the text is not UTF-8
    std::int64_t text_bytes = 0;
    std::int64_t file_bytes = 0;
    std::int64_t code_bytes = 0;  // of the file without its header and checksums
    double model_bits = 0;        // sum of −log₂ p: the size that an ideal coder would reach
    double coded_bits = 0;        // the same with the probabilities rounded to frequencies
};

struct CompressedText {
    std::string file;
    CompressionSizes sizes;
};

/// Throws BadInput if the tokenizer of the run cannot express the text. nullopt if `progress` returns false.
std::optional<CompressedText> compress(Engine& engine, const Checkpoint& checkpoint, std::string_view text,
                                       const TokenProgress& progress = {});

/// Throws BadInput if `file` is not compressed, is damaged, or was compressed with another model or on a computer with
/// another arithmetic. nullopt if `progress` returns false.
std::optional<std::string> decompress(Engine& engine, const Checkpoint& checkpoint, std::string_view file,
                                      const TokenProgress& progress = {});

/// Throws BadInput if `file` is not compressed or its header is damaged.
std::int64_t compressed_tokens(std::string_view file);

}  // namespace ropelab
