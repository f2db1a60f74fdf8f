#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

class Subwords;
class Vocabulary;
enum class Normalization;

inline constexpr std::string_view sentencepiece_prefix = "sentencepiece:";
/// A SentencePiece model whose own normalizer changes texts.
inline constexpr std::string_view normalized_sentencepiece_prefix = "normalized-sentencepiece:";
inline constexpr std::string_view byte_pairs_prefix = "byte-level-bpe:";
inline constexpr std::string_view words_prefix = "words:";

/// bpe or unigram with byte fallback; a serialized protocol buffer.
std::string train_sentencepiece(Tokenizer kind, std::int64_t size, std::string_view training);
/// `model` is serialized; `name` is its name in messages.
std::shared_ptr<const Subwords> sentencepiece_of_model(std::string model, const std::string& name,
                                                       Normalization normalization);
/// A serialized model of BPE. Types are those of SentencePiece: 1 normal, 2 unknown, 3 control, 6 byte, …
std::string sentencepiece_model(const std::vector<std::string>& pieces, const std::vector<double>& scores,
                                const std::vector<double>& types, bool adds_space);
/// nullopt if it is not base64.
std::optional<std::string> bytes_of_base64(std::string_view text);
/// SentencePiece represents a space by U+2581.
std::string with_spaces(std::string piece);
/// Reads the form of to_text().
std::shared_ptr<const Subwords> sentencepiece_from_text(std::string_view text);

/// From the content of a tokenizer.json with BPE or Unigram; `name` is its name in messages.
std::shared_ptr<const Subwords> byte_pairs_of_json(std::string_view json, const std::string& name);
/// From a file of tiktoken, with a token in base64 and its rank in each line. The name says which expression it has.
std::shared_ptr<const Subwords> byte_pairs_of_ranks(std::string_view file, const std::string& name);
/// The part "pre_tokenizer" of a tokenizer.json that splits a text at the matches of a pattern; null: not at all.
nlohmann::json byte_level_steps(const nlohmann::json& pattern);
/// Reads the form of to_text().
std::shared_ptr<const Subwords> byte_pairs_from_text(std::string_view text);

/// Spelled in the alphabet of byte-level BPE.
std::string byte_level_spelling(std::string_view bytes);

/// The pieces of a SentencePiece model.
struct SentencePieceTable {
    struct Piece {
        std::string text;
        float score = 0;
        enum class Kind { normal = 1, unknown, control, defined_by_user, unused, byte } kind = Kind::normal;
    };
    std::vector<Piece> pieces = {};
    bool is_unigram = true;
    bool is_bpe = false;
};
/// Reads the form of Subwords::to_text().
SentencePieceTable sentencepiece_table(std::string_view text);

/// A tokenizer.json that Hugging Face tokenizers reads and that gives the same ids, from Vocabulary::to_text(). The
/// character U+2581 in a text is the only exception, by which SentencePiece represents a space. Throws BadInput, naming
/// the kind, for a tokenizer that a tokenizer.json cannot represent.
nlohmann::json tokenizer_json(std::string_view vocabulary);

/// The 256 bytes and the most frequent words, together at most `size` tokens.
std::shared_ptr<const Subwords> train_words(std::int64_t size, std::string_view training);
/// Reads the form of to_text().
std::shared_ptr<const Subwords> words_from_text(std::string_view text);

/// Matches of the regular expression of GPT-2's byte-level BPE, 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+|
/// ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+ . Letters, numbers and spaces are those of Unicode 16. Bytes that
/// are not UTF-8 count as punctuation. The pieces view `text`.
std::vector<std::string_view> gpt2_pieces(std::string_view text);

/// Each number of `text` alone, and gpt2_pieces of what is between them, as the pre-tokenizers Digits and ByteLevel of
/// Hugging Face tokenizers give them one after the other.
std::vector<std::string_view> single_digit_pieces(std::string_view text);

/// Matches of the regular expression of GPT-4, Llama 3 (at most 3 digits) and Qwen 2 (1 digit), which gpt4_expression()
/// returns. Letters, numbers and spaces are those of Unicode 16.
std::vector<std::string_view> gpt4_pieces(std::string_view text, int most_digits);
std::string gpt4_expression(int most_digits);
std::string gpt2_expression();
/// Of GPT-4o.
std::string o200k_expression();

/// Words (the longest runs of letters, marks and numbers) and single other characters, such as a space, a line end, a
/// punctuation mark or a byte that is not UTF-8. The pieces view `text`.
std::vector<std::string_view> word_pieces(std::string_view text);

/// Bytes of the text for which the tokenizer has no token, not even one for unknown characters: they have no loss, so
/// that what is measured per byte is divided by the others. `tokens` are those of the text.
std::int64_t bytes_without_token(const Vocabulary& vocabulary, std::string_view text,
                                 std::span<const std::int32_t> tokens);
/// "The vocabulary has no token for 2 bytes of the text, which are left out."; "" for 0 bytes.
std::string left_out_words(std::int64_t bytes);

}  // namespace ropelab
