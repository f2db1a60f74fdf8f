#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/run/checkpoint.h"
#include "core/study/text_bits.h"
#include "core/spec/engine.h"

namespace ropelab {

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

/// Sizes of a text before and after compression.
struct CompressionSizes {
    std::int64_t tokens = 0;
    std::optional<std::int64_t> characters;  // nullopt if the text is not UTF-8
    std::int64_t text_bytes = 0;
    std::int64_t file_bytes = 0;
    std::int64_t code_bytes = 0;  // of the file without its header and checksums
    double model_bits = 0;        // sum of −log₂ p: the size that an ideal coder would reach
    double coded_bits = 0;        // the same with the probabilities rounded to frequencies
};

/// A compressed text.
struct CompressedText {
    std::string file;
    CompressionSizes sizes;
};

/// Compresses a text with the model of a checkpoint. Throws BadInput if the tokenizer of the run cannot express the
/// text. If `progress` returns false, the result is nullopt.
std::optional<CompressedText> compress(Engine& engine, const Checkpoint& checkpoint, std::string_view text,
                                       const TokenProgress& progress = {});

/// Returns the text of a compressed file. Throws BadInput if `file` is not such a file, is damaged, or was compressed
/// with another model or on a computer with another arithmetic. If `progress` returns false, the result is nullopt.
std::optional<std::string> decompress(Engine& engine, const Checkpoint& checkpoint, std::string_view file,
                                      const TokenProgress& progress = {});

/// Returns the number of tokens of a compressed file. Throws BadInput if `file` is not such a file or its header is
/// damaged.
std::int64_t compressed_tokens(std::string_view file);

}  // namespace ropelab
