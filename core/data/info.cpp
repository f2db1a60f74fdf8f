#include "core/data/info.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <unordered_map>

#include "core/base/error.h"
#include "core/data/utf8.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

/// −Σ c log₂(c/n) with the sum n of the counts: n times the entropy, in bits.
template <typename Counts>
double total_bits(const Counts& counts) {
    double sum = 0;
    double weighted = 0;
    for (const std::int64_t count : counts) {
        if (count == 0) continue;
        const auto c = static_cast<double>(count);
        sum += c;
        weighted += c * std::log2(c);
    }
    return sum == 0 ? 0 : sum * std::log2(sum) - weighted;
}

double order0(const std::vector<std::int32_t>& tokens, int distinct) {
    std::vector<std::int64_t> counts(static_cast<std::size_t>(distinct));
    for (const std::int32_t token : tokens) ++counts[static_cast<std::size_t>(token)];
    return total_bits(counts) / static_cast<double>(tokens.size());
}

double order1(const std::vector<std::int32_t>& tokens, int distinct) {
    if (tokens.size() < 2) return 0;
    std::vector<std::int64_t> before(static_cast<std::size_t>(distinct));
    // A hash map, because a table of distinct² counts would not fit into memory for a text with a large alphabet.
    std::unordered_map<std::int64_t, std::int64_t> pairs;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
        ++before[static_cast<std::size_t>(tokens[i - 1])];
        ++pairs[std::int64_t{tokens[i - 1]} * distinct + tokens[i]];
    }
    // The conditional entropy is H(b | a) = H(a, b) − H(a).
    std::vector<std::int64_t> pair_counts;
    pair_counts.reserve(pairs.size());
    for (const auto& [pair, count] : pairs) pair_counts.push_back(count);
    const double bits = total_bits(pair_counts) - total_bits(before);
    return std::max(0.0, bits / static_cast<double>(tokens.size() - 1));
}

std::string printable_byte(unsigned char byte) {
    if (byte < 0x80) {
        std::string text = printable_character(byte);
        if (!text.starts_with("U+")) return text;
    }
    std::array<char, 8> text{};
    std::snprintf(text.data(), text.size(), "0x%02X", static_cast<unsigned>(byte));
    return text.data();
}

// A byte that is not UTF-8 is a character of its own.
std::vector<std::string> printable_parts(std::string_view bytes) {
    std::vector<std::string> parts;
    for (std::size_t offset = 0; offset < bytes.size();) {
        const DecodedCharacter character = decode_utf8(bytes, offset);
        parts.push_back(character.length == 0 ? printable_byte(static_cast<unsigned char>(bytes[offset]))
                                              : printable_character(character.code));
        offset += std::max<std::size_t>(character.length, 1);
    }
    return parts;
}

void count_tokens(TextInfo& info, const Vocabulary& vocabulary, const std::vector<std::int32_t>& tokens) {
    info.tokens = std::ssize(tokens);
    info.distinct = vocabulary.size();
    for (std::int32_t token = 0; token < vocabulary.size(); ++token) {
        info.alphabet.push_back(printable_token(vocabulary, token));
    }
    info.order0_entropy = order0(tokens, info.distinct);
    info.order1_entropy = order1(tokens, info.distinct);
}

// Counted without loading the folder as a whole.
TextInfo info_of_folder(const TextSource& source, Tokenizer tokenizer) {
    if (tokenizer == Tokenizer::characters) refuse_characters_of_folder(source.file);
    const TextFolder folder(source.file);
    if (tokenizer != Tokenizer::bytes) folder.require_texts();
    constexpr std::size_t values = 256;
    std::vector<std::int64_t> single(values);
    std::vector<std::int64_t> before(values);          // counts of bytes that another byte follows
    std::vector<std::int64_t> pairs(values * values);  // by first byte, then by second byte
    std::optional<unsigned char> last;
    std::vector<unsigned char> buffer(std::size_t{1} << 20);
    for (const TokenText::Piece& piece : folder.pieces()) {
        for (std::int64_t from = 0; from < piece.bytes; from += std::ssize(buffer)) {
            const auto bytes =
                std::span(buffer).first(std::min(buffer.size(), static_cast<std::size_t>(piece.bytes - from)));
            TokenText::read_piece(piece, from, bytes);
            for (const unsigned char byte : bytes) {
                ++single[byte];
                if (last) {
                    ++before[*last];
                    ++pairs[*last * values + byte];
                }
                last = byte;
            }
        }
    }
    TextInfo info;
    info.name = source.name;
    info.bytes = info.tokens = folder.bytes();
    info.as_bytes = true;
    for (std::size_t byte = 0; byte < values; ++byte) {
        if (single[byte] > 0) info.alphabet.push_back(printable_byte(static_cast<unsigned char>(byte)));
    }
    info.distinct = static_cast<int>(info.alphabet.size());
    const auto tokens = static_cast<double>(info.tokens);
    info.order0_entropy = total_bits(single) / tokens;
    if (info.tokens > 1) {
        info.order1_entropy = std::max(0.0, (total_bits(pairs) - total_bits(before)) / (tokens - 1));
    }
    info.ninety_ten = split_sizes(info.tokens, Split::ninety_ten);
    info.ninety_five_five = split_sizes(info.tokens, Split::ninety_five_five);
    return info;
}

std::optional<std::int64_t> count_characters(std::string_view text) {
    std::int64_t count = 0;
    for (std::size_t offset = 0; offset < text.size(); ++count) {
        const std::size_t length = decode_utf8(text, offset).length;
        if (length == 0) return std::nullopt;
        offset += length;
    }
    return count;
}

SplitSizes sizes_in_tokens(const Vocabulary& vocabulary, const TextParts& parts) {
    return {std::ssize(vocabulary.encode(parts.training)), std::ssize(vocabulary.encode(parts.validation)),
            std::ssize(vocabulary.encode(parts.test))};
}

}  // namespace

std::string printable_token(const Vocabulary& vocabulary, std::int32_t token) {
    const std::string bytes = vocabulary.bytes_of(token);
    if (vocabulary.bytes()) return printable_byte(static_cast<unsigned char>(bytes.front()));
    const std::vector<std::string> parts = printable_parts(bytes);
    if (parts.size() == 1) return parts.front();
    std::string text;
    for (const std::string& part : parts) text += part == "space" ? "␣" : part;
    return text;
}

TextInfo info_of_text(std::string_view text, Tokenizer tokenizer) {
    if (text.empty()) throw BadInput("The text is empty, so it has no statistics.");
    TextInfo info;
    info.bytes = std::ssize(text);
    info.characters = count_characters(text);
    info.as_bytes = tokenizer == Tokenizer::bytes || (tokenizer == Tokenizer::automatic && !info.characters);
    const Vocabulary vocabulary = info.as_bytes ? Vocabulary::of_bytes(text) : Vocabulary::of_characters(text);
    const std::vector<std::int32_t> tokens = vocabulary.encode(text);
    count_tokens(info, vocabulary, tokens);
    info.ninety_ten = split_sizes(info.tokens, Split::ninety_ten);
    info.ninety_five_five = split_sizes(info.tokens, Split::ninety_five_five);
    return info;
}

TextInfo info_of(std::string_view data, Tokenizer tokenizer, const std::filesystem::path& data_dir,
                 std::int64_t data_seed) {
    const TextSource source = locate(data, data_dir);
    if (source.is_folder) return info_of_folder(source, tokenizer);
    const std::string text = read_text(source, data_seed, RunSpec{}.data_length);
    if (tokenizer != Tokenizer::bytes && !source.language) require_text(source.file, text);
    const bool bytes = tokenizer == Tokenizer::automatic && source.as_bytes;
    TextInfo info = info_of_text(text, bytes ? Tokenizer::bytes : tokenizer);
    info.name = source.name;
    return info;
}

TextInfo info_of(const RunSpec& spec, const std::filesystem::path& data_dir) {
    if (!spec.has_subwords()) return info_of(spec.data, spec.tokenizer, data_dir, spec.data_seed);
    check(spec);
    const TextSource source = locate(spec.data, data_dir);
    if (source.is_folder) refuse_characters_of_folder(source.file);
    const std::string text = read_text(source, spec.data_seed, spec.data_length);
    if (!source.language) require_text(source.file, text);
    const Vocabulary vocabulary = subword_vocabulary(spec, parts_of_text(text, spec.split, source.as_bytes));
    TextInfo info;
    info.name = source.name;
    info.bytes = std::ssize(text);
    info.characters = count_characters(text);
    info.subwords = true;
    count_tokens(info, vocabulary, vocabulary.encode(text));
    info.ninety_ten = sizes_in_tokens(vocabulary, parts_of_text(text, Split::ninety_ten, source.as_bytes));
    info.ninety_five_five = sizes_in_tokens(vocabulary, parts_of_text(text, Split::ninety_five_five, source.as_bytes));
    return info;
}

std::vector<TokenizerRow> compare_tokenizers(const std::vector<RunSpec>& specs, const std::filesystem::path& data_dir) {
    std::vector<TokenizerRow> rows;
    for (RunSpec spec : specs) {
        check(spec);
        spec.context = 2;  // a text may be shorter than the context of a run
        const std::shared_ptr<const Corpus> corpus = open_corpus(spec, data_dir);
        const std::string name = spec.tokenizer == Tokenizer::automatic ? corpus->vocabulary.unit() + std::string("s")
                                                                        : to_text(key("tokenizer").get(spec));
        rows.push_back({name, corpus->vocabulary.size(), std::ssize(corpus->validation), corpus->validation_bytes,
                        static_cast<std::int64_t>(corpus->training_text().size()), corpus->vocabulary.by_line()});
    }
    return rows;
}

}  // namespace ropelab
