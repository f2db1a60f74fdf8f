#include <openssl/evp.h>
#include <sentencepiece_processor.h>
#include <sentencepiece_trainer.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

// SentencePiece represents a space by this character, so that it cannot represent the character itself.
constexpr char32_t space_mark = 0x2581;
constexpr std::string_view space_mark_text = "\xE2\x96\x81";
constexpr char32_t unknown_mark = 0x2585;  // the trainer skips sentences that contain it
constexpr std::int64_t byte_and_unknown_tokens = 257;

// Appended to a model, to replace its own fields: normalizer_spec without a character map, a space before the text and
// the removal of spaces, but with spaces as `space_mark`.
constexpr std::string_view exact_normalizer{"\x1A\x08\x12\x00\x18\x00\x20\x00\x28\x01", 10};

std::string to_base64(std::string_view bytes) {
    std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');
    const int length =
        EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
    text.resize(static_cast<std::size_t>(length));
    return text;
}

class TrainingSentences final : public sentencepiece::SentenceIterator {
 public:
    explicit TrainingSentences(std::vector<std::string> sentences) : sentences_(std::move(sentences)) {}
    bool done() const override { return at_ >= sentences_.size(); }
    void Next() override { ++at_; }
    const std::string& value() const override { return sentences_[at_]; }
    sentencepiece::util::Status status() const override { return {}; }

 private:
    std::vector<std::string> sentences_;
    std::size_t at_ = 0;
};

bool is_trainable(char32_t code) {
    return code >= U' ' && code != 0x7F && code != space_mark && code != unknown_mark;
}

// They contain only the `most` most frequent characters; others are bytes.
std::vector<std::string> sentences_of(std::string_view text, std::size_t most) {
    std::unordered_map<char32_t, std::int64_t> counts;
    for (std::size_t offset = 0; offset < text.size();) {
        const DecodedCharacter character = decode_utf8(text, offset);
        if (character.length > 0 && is_trainable(character.code)) ++counts[character.code];
        offset += std::max<std::size_t>(character.length, 1);
    }
    std::vector<std::pair<char32_t, std::int64_t>> frequent(counts.begin(), counts.end());
    std::sort(frequent.begin(), frequent.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    for (std::size_t i = most; i < frequent.size(); ++i) counts.erase(frequent[i].first);

    constexpr int longest_word = 30'000;  // SentencePiece counts them in 16 bits, and ends the program at more
    std::vector<std::string> sentences;
    std::string sentence;
    int word = 0;
    const auto end_sentence = [&] {
        if (!sentence.empty()) sentences.push_back(std::move(sentence));
        sentence.clear();
        word = 0;
    };
    for (std::size_t offset = 0; offset < text.size();) {
        const DecodedCharacter character = decode_utf8(text, offset);
        const std::size_t length = std::max<std::size_t>(character.length, 1);
        if (character.length > 0 && counts.contains(character.code)) {
            sentence += text.substr(offset, length);
            word = character.code == U' ' ? 0 : word + 1;
            if (word == longest_word) end_sentence();
        } else {
            end_sentence();
        }
        offset += length;
    }
    end_sentence();
    return sentences;
}

struct ProtocolField {
    std::uint64_t number = 0;
    std::uint64_t kind = 0;       // 0: a varint, 1: 8 bytes, 2: bytes with their length, 5: 4 bytes
    std::uint64_t value = 0;      // of a varint
    std::string_view bytes = {};  // of any other kind
    std::string_view whole = {};
};

/// Removes the first field of a protocol buffer; nullopt if it is damaged.
std::optional<ProtocolField> next_field(std::string_view& rest) {
    const auto varint = [&rest]() -> std::optional<std::uint64_t> {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && !rest.empty(); shift += 7) {
            const auto byte = static_cast<unsigned char>(rest.front());
            rest.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7FU} << shift;
            if (byte < 0x80) return value;
        }
        return std::nullopt;
    };
    const std::string_view all = rest;
    const std::optional<std::uint64_t> tag = varint();
    if (!tag) return std::nullopt;
    ProtocolField field{*tag >> 3U, *tag & 7U};
    std::optional<std::uint64_t> length = field.kind == 1 ? 8 : field.kind == 5 ? 4 : varint();
    if (!length || (field.kind != 0 && field.kind != 1 && field.kind != 2 && field.kind != 5)) return std::nullopt;
    if (field.kind == 0) field.value = *std::exchange(length, 0);
    if (*length > rest.size()) return std::nullopt;
    field.bytes = rest.substr(0, *length);
    rest.remove_prefix(*length);
    field.whole = all.substr(0, all.size() - rest.size());
    return field;
}

// What SentencePiece does with a text before it is split (normalizer.cc of 0.2.1), without trust in the model.
struct OwnNormalizer {
    std::string map;                // precompiled_charsmap: bytes of a trie, the trie, texts that end with '\0'
    bool adds_space = true;         // before the text
    bool space_is_suffix = false;   // after it instead
    bool removes_spaces = true;     // at both ends, and all but one between words
    std::vector<std::string> kept;  // user-defined pieces

    std::string normalized(std::string_view text) const {
        std::string result;
        const auto skip = [&] {
            const auto [replacement, length] = prefix(text);
            if (replacement != " ") return false;
            text.remove_prefix(length);
            return true;
        };
        while (removes_spaces && !text.empty() && skip()) {
        }
        if (text.empty()) return "";
        if (adds_space && !space_is_suffix) result += ' ';
        bool follows_space = removes_spaces;
        while (!text.empty()) {
            auto [replacement, length] = prefix(text);
            while (follows_space && replacement.starts_with(' ')) replacement.remove_prefix(1);
            result += replacement;
            if (!replacement.empty()) follows_space = replacement.ends_with(' ');
            follows_space = follows_space && removes_spaces;
            text.remove_prefix(length);
        }
        while (removes_spaces && (result.ends_with(' ') || result.ends_with(space_mark_text)))
            result.resize(result.size() - (result.back() == ' ' ? 1 : space_mark_text.size()));
        if (adds_space && space_is_suffix) result += ' ';
        return result;
    }

 private:
    // What replaces the begin of a text, and how many bytes it replaces.
    std::pair<std::string_view, std::size_t> prefix(std::string_view text) const {
        std::size_t longest = 0;
        for (const std::string& piece : kept) {
            if (text.starts_with(piece)) longest = std::max(longest, piece.size());
        }
        if (longest > 0) return {text.substr(0, longest), longest};
        const auto [offset, bytes] = longest_in_map(text);
        if (bytes > 0) {
            const std::string_view texts =
                std::string_view(map).substr(std::min(sizeof(std::uint32_t) + trie_bytes(), map.size()));
            const std::string_view rest = texts.substr(std::min<std::size_t>(offset, texts.size()));
            return {rest.substr(0, rest.find('\0')), bytes};
        }
        const std::size_t length = decode_utf8(text, 0).length;
        if (length == 0) return {"\xEF\xBF\xBD", 1};
        return {text.substr(0, length), length};
    }

    std::uint32_t unit(std::size_t index) const {
        std::uint32_t value = 0;
        if (index < trie_bytes() / sizeof(value) && (index + 2) * sizeof(value) <= map.size())
            std::memcpy(&value, map.data() + (index + 1) * sizeof(value), sizeof(value));
        return value;
    }
    std::size_t trie_bytes() const {
        std::uint32_t bytes = 0;
        if (map.size() >= sizeof(bytes)) std::memcpy(&bytes, map.data(), sizeof(bytes));
        return bytes;
    }

    // Value and bytes of the longest key of the double-array trie (Darts-clone) with which the text begins.
    std::pair<std::uint32_t, std::size_t> longest_in_map(std::string_view text) const {
        const auto offset_of = [](std::uint32_t unit) { return (unit >> 10U) << ((unit & 0x200U) >> 6U); };
        std::pair<std::uint32_t, std::size_t> result{0, 0};
        if (map.empty()) return result;
        std::size_t place = offset_of(unit(0));
        for (std::size_t i = 0; i < text.size(); ++i) {
            const auto byte = static_cast<unsigned char>(text[i]);
            place ^= byte;
            const std::uint32_t found = unit(place);
            if ((found & 0x800000FFU) != byte || byte == 0) break;
            place ^= offset_of(found);
            if ((found & 0x100U) != 0) result = {unit(place) & 0x7FFFFFFFU, i + 1};
        }
        return result;
    }
};

// SentencePiece trusts a model, so that one of a stranger could end the program. It gets the pieces, which are checked
// here, and the settings of the trainer: no self tests and no normalization. Field numbers are those of
// sentencepiece_model.proto.
class ModelCheck {
 public:
    explicit ModelCheck(const std::string& name) : name_(name) {}

    /// Throws BadInput.
    std::string checked(std::string_view model) {
        std::string result;
        each_field(model, [&](const ProtocolField& field) {
            if (field.number == 1) check_piece(field.bytes);
            if (field.number <= 2) result += field.whole;  // pieces and the type of model
            if (field.number == 2) {
                each_field(field.bytes, [&](const ProtocolField& setting) {
                    if (setting.number == 24) normalizer_.space_is_suffix = setting.value != 0;
                    if (setting.number == 3) table_.is_bpe = setting.value == 2;
                    if (setting.number == 3) table_.is_unigram = setting.value == 1;
                });
            }
            if (field.number != 3) return;
            each_field(field.bytes, [&](const ProtocolField& setting) {
                if (setting.number == 2) normalizer_.map = setting.bytes;
                if (setting.number == 3) normalizer_.adds_space = setting.value != 0;
                if (setting.number == 4) normalizer_.removes_spaces = setting.value != 0;
            });
        });
        return result + std::string(exact_normalizer);
    }

    /// Of the checked model.
    const SentencePieceTable& table() const { return table_; }
    /// The model's own normalizer.
    const OwnNormalizer& normalizer() const { return normalizer_; }

    [[noreturn]] void fail(const std::string& why) const {
        throw BadInput(name_ + " is not a SentencePiece model that can be read (" + why + ").");
    }

 private:
    static constexpr std::size_t most_bytes = 4096;  // of a piece; longer ones could be split too deeply
    static constexpr std::size_t most_pieces = 2'000'000;

    template <typename Visit>
    void each_field(std::string_view message, const Visit& visit) const {
        while (!message.empty()) {
            const auto field = next_field(message);
            if (!field) fail("it is damaged");
            visit(*field);
        }
    }

    void check_piece(std::string_view message) {
        std::string_view text;
        float score = 0;
        std::uint64_t type = 1;
        each_field(message, [&](const ProtocolField& field) {
            if (field.number == 1) text = field.bytes;
            if (field.number == 2 && field.kind == 5) std::memcpy(&score, field.bytes.data(), sizeof(score));
            if (field.number == 3) type = field.value;
        });
        const std::string piece = "its piece " + std::to_string(seen_.size());
        if (text.empty() || text.size() > most_bytes || first_invalid_utf8(text) || text.find('\0') != text.npos)
            fail(piece + " is not a text of 1 to " + std::to_string(most_bytes) + " bytes in UTF-8");
        if (!std::isfinite(score)) fail(piece + " has a score that is not finite");
        constexpr std::uint64_t user_defined_type = 4;
        constexpr std::uint64_t byte_type = 6;
        const bool is_byte = text.size() == 6 && text.starts_with("<0x") && text.ends_with('>') &&
                             text.find_first_not_of("0123456789ABCDEF", 3) == 5;
        if (type < 1 || type > byte_type || (type == byte_type && !is_byte)) fail(piece + " has no valid type");
        if (type == user_defined_type) normalizer_.kept.emplace_back(text);
        if (!seen_.insert(text).second) fail(piece + " occurs twice");
        if (seen_.size() > most_pieces) fail("it has more than " + std::to_string(most_pieces) + " pieces");
        table_.pieces.push_back({std::string(text), score, static_cast<SentencePieceTable::Piece::Kind>(type)});
    }

    const std::string& name_;
    std::unordered_set<std::string_view> seen_;
    OwnNormalizer normalizer_;
    SentencePieceTable table_;
};

class SentencePieces final : public Subwords {
 public:
    SentencePieces(std::string model, const std::string& name, Normalization normalization) : model_(std::move(model)) {
        bytes_.fill(-1);
        ModelCheck check(name);
        const auto status = processor_.LoadFromSerializedProto(check.checked(model_));
        if (!status.ok()) check.fail(std::string(status.message()));
        for (int id = 0; id < processor_.GetPieceSize(); ++id) {
            const std::string& piece = processor_.IdToPiece(id);
            if (processor_.IsUnknown(id) || processor_.IsControl(id)) {
                tokens_.emplace_back();
            } else if (processor_.IsByte(id)) {
                unsigned value = 0;  // the piece is <0x41>
                std::from_chars(piece.data() + 3, piece.data() + piece.size() - 1, value, 16);
                tokens_.emplace_back(1, static_cast<char>(value));
                bytes_[value & 0xFF] = id;
            } else {
                tokens_.push_back(with_spaces(piece));
            }
        }
        if (normalization == Normalization::own) {
            own_ = check.normalizer();
            return;
        }
        by_line_ =
            std::ranges::none_of(tokens_, [](const std::string& token) { return token.find('\n') != token.npos; });
        space_before_line_ = by_line_ && check.normalizer().adds_space;
    }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> result;
        if (own_) {
            append(result, own_->normalized(text));
            return result;
        }
        // A text without line ends is encoded as it is.
        const bool lines = by_line_ && text.find('\n') != text.npos;
        while (lines && !text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            if (!line.empty()) append(result, space_before_line_ ? " " + std::string(line) : line);
        }
        append(result, text);
        return result;
    }

    std::string to_text() const override {
        return std::string(own_ ? normalized_sentencepiece_prefix : sentencepiece_prefix) + to_base64(model_);
    }
    bool by_line() const override { return by_line_; }

 private:
    void append(std::vector<std::int32_t>& result, std::string_view text) const {
        std::size_t begin = 0;
        std::size_t offset = 0;
        while (offset < text.size()) {
            const DecodedCharacter character = decode_utf8(text, offset);
            const std::size_t length = std::max<std::size_t>(character.length, 1);
            if (!own_ && (character.length == 0 || character.code == space_mark)) {
                append_run(result, text.substr(begin, offset - begin));
                for (const char byte : text.substr(offset, length)) append_byte(result, byte);
                begin = offset + length;
            } else if (offset - begin >= run_bytes && is_cut(text, offset)) {
                append_run(result, text.substr(begin, offset - begin));
                begin = offset;
            }
            offset += length;
        }
        append_run(result, text.substr(begin));
    }

    // Encoding a line of BPE takes more than linear time, so that long runs of text are cut.
    static constexpr std::size_t run_bytes = 4096;

    // Subwords begin with the space before a word.
    static bool is_cut(std::string_view text, std::size_t offset) {
        const auto is_space = [&](std::size_t at) { return text[at] == ' ' || text[at] == '\n'; };
        return is_space(offset) && !is_space(offset - 1);
    }

    // UTF-8 without `space_mark`.
    void append_run(std::vector<std::int32_t>& result, std::string_view run) const {
        if (run.empty()) return;
        std::vector<int> ids;
        const auto status = processor_.Encode(run, &ids);
        if (!status.ok()) throw std::runtime_error("SentencePiece failed: " + std::string(status.message()));
        std::size_t offset = 0;
        for (const int id : ids) {
            const std::string& token = tokens_[static_cast<std::size_t>(id)];
            if (token.empty() && !own_) {
                throw BadInput("The tokenizer has no token for the character '" +
                               printable_character(decode_utf8(run, offset).code) +
                               "'; use a tokenizer with byte fallback, or omit or replace the character.");
            }
            offset += token.size();
            result.push_back(id);
        }
    }

    void append_byte(std::vector<std::int32_t>& result, char byte) const {
        const auto value = static_cast<unsigned char>(byte);
        if (bytes_[value] < 0) {
            throw BadInput("The tokenizer has no token for the byte " + std::to_string(value) +
                           "; use a tokenizer with byte fallback, or omit or replace the byte.");
        }
        result.push_back(bytes_[value]);
    }

    std::string model_;
    sentencepiece::SentencePieceProcessor processor_;
    std::array<std::int32_t, 256> bytes_{};  // token of each byte; -1: none
    std::optional<OwnNormalizer> own_;
    bool by_line_ = false;
    bool space_before_line_ = false;
};

}  // namespace

std::string with_spaces(std::string piece) {
    for (std::size_t at = piece.find(space_mark_text); at != std::string::npos;
         at = piece.find(space_mark_text, at + 1))
        piece.replace(at, space_mark_text.size(), " ");
    return piece;
}

std::optional<std::string> bytes_of_base64(std::string_view text) {
    if (text.empty() || text.size() % 4 != 0) return std::nullopt;
    std::string bytes(text.size() / 4 * 3, '\0');
    const int length =
        EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
    if (length < 0) return std::nullopt;
    const auto padding = static_cast<std::size_t>(std::count(text.end() - 2, text.end(), '='));
    bytes.resize(static_cast<std::size_t>(length) - padding);
    return bytes;
}

std::string sentencepiece_model(const std::vector<std::string>& pieces, const std::vector<double>& scores,
                                const std::vector<double>& types, bool adds_space) {
    const auto varint = [](std::size_t value) {
        std::string bytes;
        for (; value >= 128; value /= 128) bytes += static_cast<char>(value % 128 + 128);
        return bytes + static_cast<char>(value);
    };
    const auto field = [&](char tag, const std::string& bytes) { return tag + varint(bytes.size()) + bytes; };
    std::string model;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        const auto score = static_cast<float>(scores[i]);
        std::string number(sizeof score, '\0');
        std::memcpy(number.data(), &score, sizeof score);
        const auto type = static_cast<std::size_t>(types[i] >= 0 && types[i] < 128 ? types[i] : 0);
        model += field('\x0A', field('\x0A', pieces[i]) + '\x15' + number + '\x18' + varint(type));
    }
    model += field('\x12', std::string("\x18\x02\x98\x02\x01", 5));  // BPE with byte fallback
    return model + field('\x1A', std::string("\x18") + (adds_space ? '\x01' : '\0') + std::string("\x20\0", 2));
}

std::string train_sentencepiece(Tokenizer kind, std::int64_t size, std::string_view training) {
    // Half of the tokens are left for subwords of several characters.
    const auto most = static_cast<std::size_t>((size - byte_and_unknown_tokens) / 2);
    TrainingSentences sentences(sentences_of(training, most));
    if (sentences.done()) {
        throw BadInput(
            "The training text has no characters in UTF-8 from which subwords can be found; set tokenizer = bytes.");
    }
    const std::unordered_map<std::string, std::string> options = {
        {"model_type", std::string(facts_of(kind).choice.word)},
        {"vocab_size", std::to_string(size)},
        {"hard_vocab_limit", "false"},
        {"byte_fallback", "true"},
        {"character_coverage", "1.0"},
        {"normalization_rule_name", "identity"},
        {"add_dummy_prefix", "false"},
        {"remove_extra_whitespaces", "false"},
        {"max_sentence_length", std::to_string(largest_tokenizer_text)},
        {"bos_id", "-1"},
        {"eos_id", "-1"},
        {"pad_id", "-1"},
        {"num_threads", "1"},
        {"minloglevel", "2"}};
    std::string model;
    const auto status = sentencepiece::SentencePieceTrainer::Train(options, &sentences, &model);
    if (!status.ok()) {
        throw BadInput("SentencePiece cannot train a tokenizer with " + std::to_string(size) +
                       " tokens on this text (" + std::string(status.message()) + ").");
    }
    return model;
}

std::shared_ptr<const Subwords> sentencepiece_of_model(std::string model, const std::string& name,
                                                       Normalization normalization) {
    return std::make_shared<SentencePieces>(std::move(model), name, normalization);
}

SentencePieceTable sentencepiece_table(std::string_view text) {
    const std::optional<std::string> model = bytes_of_base64(text.substr(sentencepiece_prefix.size()));
    const std::string name = "The stored vocabulary";
    ModelCheck check(name);
    if (!model) check.fail("it is not base64");
    (void)check.checked(*model);
    return check.table();
}

std::shared_ptr<const Subwords> sentencepiece_from_text(std::string_view text) {
    const bool is_own = text.starts_with(normalized_sentencepiece_prefix);
    auto model = bytes_of_base64(text.substr((is_own ? normalized_sentencepiece_prefix : sentencepiece_prefix).size()));
    if (!model) throw BadInput("The stored SentencePiece model is not base64, as it must be.");
    return sentencepiece_of_model(std::move(*model), "The stored vocabulary",
                                  is_own ? Normalization::own : Normalization::left_out);
}

}  // namespace ropelab
