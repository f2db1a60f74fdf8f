#include <unicode/normalizer2.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <queue>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

using nlohmann::json;

struct TokenMerge {
    std::int32_t left = 0;
    std::int32_t right = 0;
    std::int32_t merged = 0;
};

// What the merges are applied to, as stored with a tokenizer: matches of GPT-2's expression, these with each number
// alone, those of Llama 3's or of Qwen 2's expression, or the whole text between added tokens.
constexpr const char* gpt2_rule = "gpt2";
constexpr const char* single_digits_rule = "single_digits";
constexpr const char* llama3_rule = "llama3";
constexpr const char* qwen2_rule = "qwen2";
constexpr const char* whole_rule = "whole";
constexpr int llama3_digits = 3;
constexpr int qwen2_digits = 1;

std::vector<std::string_view> pieces_by(const std::string& rule, std::string_view text) {
    if (rule == whole_rule) return text.empty() ? std::vector<std::string_view>{} : std::vector{text};
    if (rule == llama3_rule) return gpt4_pieces(text, llama3_digits);
    if (rule == qwen2_rule) return gpt4_pieces(text, qwen2_digits);
    return rule == single_digits_rule ? single_digit_pieces(text) : gpt2_pieces(text);
}

// Tokens are spelled in an alphabet of 256 visible characters, one for each byte.
struct BytePairTable {
    std::vector<std::string> tokens;
    std::vector<TokenMerge> merges;         // in the order in which they are applied
    std::vector<std::int32_t> added;        // tokens that are spelled as they are, and found before all others
    std::vector<std::int32_t> added_later;  // likewise, but found in what `added` leaves of a text
    bool whole_words = false;               // true if a piece that is a token is not built by merges
    std::string pieces = gpt2_rule;
    bool composed = false;  // true if texts are in the normalization form NFC
};

// Itself if the byte is visible in Latin-1, else a character from U+0100 on.
const std::array<char32_t, 256>& byte_alphabet() {
    static const auto alphabet = [] {
        std::array<char32_t, 256> table{};
        char32_t next = 256;
        for (char32_t byte = 0; byte < table.size(); ++byte) {
            const bool visible = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174;
            table[byte] = visible ? byte : next++;
        }
        return table;
    }();
    return alphabet;
}

// Throws BadInput for characters outside the alphabet.
std::string spelled_bytes(const std::string& token, const std::string& name) {
    static const auto bytes = [] {
        std::unordered_map<char32_t, char> table;
        for (std::size_t byte = 0; byte < 256; ++byte) table.emplace(byte_alphabet()[byte], static_cast<char>(byte));
        return table;
    }();
    std::string result;
    for (std::size_t offset = 0; offset < token.size();) {
        const DecodedCharacter character = decode_utf8(token, offset);
        const auto byte = bytes.find(character.code);
        if (character.length == 0 || byte == bytes.end()) {
            throw BadInput(
                "The token \"" + token + "\" of " + name +
                " is not spelled in the alphabet of byte-level BPE; use a byte-level BPE tokenizer, such as GPT-2's.");
        }
        result += byte->second;
        offset += character.length;
    }
    return result;
}

// Throws BadInput, naming the line, for a text that the normalization form NFC would change.
void require_composed(std::string_view text) {
    UErrorCode error = U_ZERO_ERROR;
    const icu::Normalizer2* nfc = icu::Normalizer2::getNFCInstance(error);
    for (std::size_t line = 1, begin = 0; begin < text.size(); ++line) {
        const std::size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const std::string_view part = text.substr(begin, end - begin);
        if (!nfc->isNormalizedUTF8({part.data(), static_cast<std::int32_t>(part.size())}, error)) {
            throw BadInput("Line " + std::to_string(line) +
                           " of the text is not in the Unicode normalization form NFC, to which the tokenizer would "
                           "change it, so it could not be restored from its tokens; normalize the text first, "
                           "for example with \"uconv -x nfc\".");
        }
        begin = end;
    }
}

class BytePairs final : public Subwords {
 public:
    BytePairs(BytePairTable table, const std::string& name) : table_(std::move(table)) {
        bytes_.fill(-1);
        std::unordered_set<std::int32_t> added(table_.added.begin(), table_.added.end());
        const std::unordered_set<std::int32_t> later(table_.added_later.begin(), table_.added_later.end());
        added.insert(later.begin(), later.end());
        for (std::size_t token = 0; token < table_.tokens.size(); ++token) {
            const auto id = static_cast<std::int32_t>(token);
            const std::string& spelled = table_.tokens[token];
            tokens_.push_back(added.contains(id) ? spelled : spelled_bytes(spelled, name));
            const std::string& bytes = tokens_.back();
            if (bytes.empty()) continue;
            if (added.contains(id)) {
                added_[later.contains(id)][static_cast<unsigned char>(bytes.front())].push_back(id);
            } else {
                if (bytes.size() == 1) bytes_[static_cast<unsigned char>(bytes.front())] = id;
                ids_.emplace(bytes, id);
            }
        }
        for (auto& pass : added_) {
            for (auto& list : pass) {
                std::sort(list.begin(), list.end(), [&](std::int32_t a, std::int32_t b) {
                    return bytes_of_token(a).size() > bytes_of_token(b).size();
                });
            }
        }
        for (std::size_t rank = 0; rank < table_.merges.size(); ++rank) {
            const TokenMerge& merge = table_.merges[rank];
            if (bytes_of_token(merge.merged) != bytes_of_token(merge.left) + bytes_of_token(merge.right)) {
                throw BadInput("The merge of \"" + spelled(merge.left) + "\" and \"" + spelled(merge.right) + "\" of " +
                               name + " gives the token \"" + spelled(merge.merged) +
                               "\", which has other bytes, so texts could not be restored from their tokens; use "
                               "another tokenizer.");
            }
            ranks_.emplace(pair_key(merge.left, merge.right), rank);
        }
    }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        if (table_.composed) require_composed(text);
        std::unordered_map<std::string_view, std::vector<std::int32_t>> known;
        std::vector<std::int32_t> result;
        const auto append = [&](const auto& self, std::string_view part, std::size_t pass) -> void {
            if (pass == added_.size()) {
                for (const std::string_view piece : pieces_by(table_.pieces, part)) {
                    const auto [found, is_new] = known.try_emplace(piece);
                    if (is_new) found->second = merged(piece);
                    result.insert(result.end(), found->second.begin(), found->second.end());
                }
                return;
            }
            std::size_t begin = 0;
            std::size_t offset = 0;
            while (offset < part.size()) {
                const std::int32_t token = added_at(added_[pass], part, offset);
                if (token < 0) {
                    ++offset;
                    continue;
                }
                self(self, part.substr(begin, offset - begin), pass + 1);
                result.push_back(token);
                offset += bytes_of_token(token).size();
                begin = offset;
            }
            self(self, part.substr(begin), pass + 1);
        };
        append(append, text, 0);
        return result;
    }

    std::string to_text() const override {
        const auto parts = [](const TokenMerge& merge) -> json { return {merge.left, merge.right, merge.merged}; };
        json stored = {{"tokens", table_.tokens},
                       {"merges", json_list(table_.merges, parts)},
                       {"added", table_.added},
                       {"whole_words", table_.whole_words}};
        if (!table_.added_later.empty()) stored["added_later"] = table_.added_later;
        if (table_.composed) stored["composed"] = true;
        if (table_.pieces != gpt2_rule) stored["pieces"] = table_.pieces;
        return std::string(byte_pairs_prefix) + stored.dump();
    }

 private:
    // A token and its neighbours; a token of -1 has been merged into the one before it.
    struct Place {
        std::int32_t token = -1;
        std::ptrdiff_t before = -1;
        std::ptrdiff_t after = -1;
    };

    static std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
    }

    const std::string& bytes_of_token(std::int32_t token) const { return tokens_[static_cast<std::size_t>(token)]; }
    const std::string& spelled(std::int32_t token) const { return table_.tokens[static_cast<std::size_t>(token)]; }

    using ByFirstByte = std::array<std::vector<std::int32_t>, 256>;

    // The longest added token, or -1.
    std::int32_t added_at(const ByFirstByte& added, std::string_view text, std::size_t offset) const {
        const auto& list = added[static_cast<unsigned char>(text[offset])];
        const auto found = std::find_if(list.begin(), list.end(), [&](std::int32_t token) {
            return text.substr(offset).starts_with(bytes_of_token(token));
        });
        return found == list.end() ? -1 : *found;
    }

    // The pair with the lowest rank, and of equal ones the first, is merged until no pair has a rank.
    std::vector<std::int32_t> merged(std::string_view piece) const {
        if (table_.whole_words) {
            if (const auto whole = ids_.find(std::string(piece)); whole != ids_.end()) return {whole->second};
        }
        std::vector<Place> places;
        for (const char byte : piece) {
            const std::int32_t token = bytes_[static_cast<unsigned char>(byte)];
            if (token < 0) {
                throw BadInput("The tokenizer has no token for the byte " +
                               std::to_string(static_cast<unsigned char>(byte)) +
                               "; use another tokenizer, or omit or replace the byte.");
            }
            const std::ptrdiff_t at = std::ssize(places);
            places.push_back({token, at - 1, at + 1});
        }
        places.back().after = -1;
        const auto place = [&](std::ptrdiff_t at) -> Place& { return places[static_cast<std::size_t>(at)]; };

        using MergeCandidate = std::tuple<std::size_t, std::ptrdiff_t, std::uint64_t>;  // rank, place, pair
        std::priority_queue<MergeCandidate, std::vector<MergeCandidate>, std::greater<>> candidates;
        const auto propose = [&](std::ptrdiff_t at) {
            if (at < 0 || place(at).after < 0) return;
            const std::uint64_t pair = pair_key(place(at).token, place(place(at).after).token);
            if (const auto rank = ranks_.find(pair); rank != ranks_.end()) candidates.emplace(rank->second, at, pair);
        };
        for (std::ptrdiff_t at = 0; at < std::ssize(places); ++at) propose(at);
        while (!candidates.empty()) {
            const auto [rank, at, pair] = candidates.top();
            candidates.pop();
            Place& left = place(at);
            // Other merges may have changed the pair since it was proposed.
            if (left.token < 0 || left.after < 0 || pair_key(left.token, place(left.after).token) != pair) continue;
            Place& right = place(left.after);
            left.token = table_.merges[rank].merged;
            left.after = right.after;
            right.token = -1;
            if (left.after >= 0) place(left.after).before = at;
            propose(left.before);
            propose(at);
        }
        std::vector<std::int32_t> result;
        for (const Place& each : places) {
            if (each.token >= 0) result.push_back(each.token);
        }
        return result;
    }

    BytePairTable table_;
    std::array<std::int32_t, 256> bytes_{};                 // token of each byte; -1: none
    std::array<ByFirstByte, 2> added_;                      // by pass; the longest tokens first
    std::unordered_map<std::string, std::int32_t> ids_;     // by bytes
    std::unordered_map<std::uint64_t, std::size_t> ranks_;  // of pairs, by pair_key
};

bool sets_option(const json& object, const char* name) {
    if (!object.is_object()) return false;
    const auto found = object.find(name);
    return found != object.end() && !found->is_null() && *found != "" && *found != false && *found != 0;
}

std::string kind_of_part(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_object() ? found->value("type", "") : "";
}

// The rule of BytePairTable::pieces. Throws BadInput for pre-tokenizers that have none.
std::string pieces_rule(const json& file, const std::string& name) {
    const json part = file.value("pre_tokenizer", json());
    json steps = kind_of_part(file, "pre_tokenizer") == "Sequence" ? part.at("pretokenizers") : json::array({part});
    const json bytes = steps.empty() ? json() : steps.back();
    if (!bytes.is_object() || bytes.value("type", "") != "ByteLevel") steps.clear();
    if (sets_option(bytes, "add_prefix_space")) {
        throw BadInput(
            name +
            " adds a space before each text (add_prefix_space), so texts could not be restored from "
            "their tokens; set add_prefix_space to false in a copy of the file to use it without the space.");
    }
    const bool expression = bytes.is_object() && bytes.value("use_regex", true);
    if (steps.size() == 1) return expression ? gpt2_rule : whole_rule;
    if (steps.size() == 2 && expression && steps.front().value("type", "") == "Digits" &&
        steps.front().value("individual_digits", false)) {
        return single_digits_rule;
    }
    const bool is_split = steps.size() == 2 && !expression && steps.front().value("type", "") == "Split" &&
                          steps.front().value("behavior", "") == "Isolated" && !steps.front().value("invert", false);
    if (is_split) {
        const json pattern = steps.front().value("pattern", json());
        const auto is = [&](int digits) { return pattern == json{{"Regex", gpt4_expression(digits)}}; };
        if (is(llama3_digits)) return llama3_rule;
        if (is(qwen2_digits)) return qwen2_rule;
    }
    throw BadInput(
        name +
        " has a pre-tokenizer that is not supported. Supported are ByteLevel with or without GPT-2's regular "
        "expression (use_regex), Digits (individual_digits) followed by ByteLevel, and Split by the regular expression "
        "of Llama 3 or of Qwen 2, followed by ByteLevel.");
}

void require_byte_level(const json& file, const std::string& name) {
    const json& model = file.at("model");
    if (kind_of_part(file, "model") != "BPE" && !(model.contains("merges") && !model.contains("type"))) {
        throw BadInput(name + " contains a tokenizer of the kind \"" + kind_of_part(file, "model") +
                       "\", but only byte-level BPE can be read from a tokenizer.json.");
    }
    const std::string normalizer = kind_of_part(file, "normalizer");
    if (!normalizer.empty() && normalizer != "NFC") {
        throw BadInput(name + " changes texts by the normalizer \"" + normalizer +
                       "\", so they could not be restored from their tokens; use a tokenizer without it.");
    }
    for (const char* option : {"dropout", "continuing_subword_prefix", "end_of_word_suffix", "byte_fallback"}) {
        if (sets_option(model, option)) {
            throw BadInput(name + " sets " + option +
                           ", which is not supported: byte-level BPE of GPT-2's kind does not use this option.");
        }
    }
    for (const json& token : file.value("added_tokens", json::array())) {
        for (const char* option : {"single_word", "lstrip", "rstrip"}) {
            if (sets_option(token, option)) {
                throw BadInput(
                    "The added token \"" + token.at("content").get<std::string>() + "\" of " + name + " sets " +
                    option + ", so texts could not be restored from their tokens; use a tokenizer without this token.");
            }
        }
    }
}

BytePairTable table_of_json(const json& file, const std::string& name) {
    require_byte_level(file, name);
    BytePairTable table;
    std::unordered_map<std::string, std::int32_t> ids;
    const auto put = [&](const std::string& token, std::int64_t id) {
        constexpr std::int64_t most = 1 << 20;
        if (id < 0 || id >= most) {
            throw BadInput("The token \"" + token + "\" of " + name + " has the id " + std::to_string(id) +
                           ", but it must be between 0 and " + std::to_string(most - 1) + ".");
        }
        if (std::ssize(table.tokens) <= id) table.tokens.resize(static_cast<std::size_t>(id) + 1);
        std::string& place = table.tokens[static_cast<std::size_t>(id)];
        if (!place.empty() && place != token) {
            throw BadInput("The tokens \"" + place + "\" and \"" + token + "\" of " + name + " have the same id, " +
                           std::to_string(id) + "; each token needs an id of its own.");
        }
        place = token;
        ids[token] = static_cast<std::int32_t>(id);
    };
    const json& model = file.at("model");
    for (const auto& [token, id] : model.at("vocab").items()) put(token, id.get<std::int64_t>());
    const auto id_of = [&](const std::string& token) {
        const auto found = ids.find(token);
        if (found == ids.end()) {
            throw BadInput("The merges of " + name + " contain \"" + token +
                           "\", which must also be in the vocabulary of the tokenizer but is not.");
        }
        return found->second;
    };
    for (const json& merge : model.at("merges")) {
        std::string left, right;
        if (merge.is_array()) {
            left = merge.at(0).get<std::string>();
            right = merge.at(1).get<std::string>();
        } else {
            const std::string both = merge.get<std::string>();
            const std::size_t space = both.find(' ');
            if (space == std::string::npos)
                throw BadInput("The merge \"" + both + "\" of " + name +
                               " must have a space between its two tokens but has none.");
            left = both.substr(0, space);
            right = both.substr(space + 1);
        }
        table.merges.push_back({id_of(left), id_of(right), id_of(left + right)});
    }
    table.pieces = pieces_rule(file, name);
    table.composed = kind_of_part(file, "normalizer") == "NFC";
    for (const json& token : file.value("added_tokens", json::array())) {
        const auto content = token.at("content").get<std::string>();
        put(content, token.at("id").get<std::int64_t>());
        // Hugging Face tokenizers finds tokens with `normalized` in what the others leave, in its normalization form.
        const bool later = token.value("normalized", !token.value("special", false));
        if (later && table.composed) require_composed(content);
        (later ? table.added_later : table.added).push_back(token.at("id").get<std::int32_t>());
    }
    if (table.added.empty()) table.added.swap(table.added_later);
    table.whole_words = model.value("ignore_merges", false);
    return table;
}

// Throws BadInput if a stored table names tokens that it does not have.
void require_consistent(const BytePairTable& table) {
    const auto is_token = [&](std::int32_t token) { return token >= 0 && token < std::ssize(table.tokens); };
    const bool valid = std::all_of(table.merges.begin(), table.merges.end(),
                                   [&](const TokenMerge& each) {
                                       return is_token(each.left) && is_token(each.right) && is_token(each.merged);
                                   }) &&
                       std::all_of(table.added.begin(), table.added.end(), is_token) &&
                       std::all_of(table.added_later.begin(), table.added_later.end(), is_token);
    if (!valid)
        throw BadInput(
            "The stored vocabulary of byte-level BPE has a merge or an added token with a token that the vocabulary "
            "does not contain.");
}

}  // namespace

std::shared_ptr<const Subwords> byte_pairs_of_json(std::string_view text, const std::string& name) {
    try {
        return std::make_shared<BytePairs>(table_of_json(parse_bounded(text), name), name);
    } catch (const json::exception&) {
        throw BadInput(name + " is not a tokenizer.json as Hugging Face tokenizers writes it.");
    }
}

std::shared_ptr<const Subwords> byte_pairs_from_text(std::string_view text) {
    try {
        const json stored = parse_bounded(text.substr(byte_pairs_prefix.size()));
        BytePairTable table;
        table.tokens = stored.at("tokens").get<std::vector<std::string>>();
        for (const json& merge : stored.at("merges")) table.merges.push_back({merge.at(0), merge.at(1), merge.at(2)});
        table.added = stored.at("added").get<std::vector<std::int32_t>>();
        table.added_later = stored.value("added_later", std::vector<std::int32_t>());
        table.whole_words = stored.at("whole_words").get<bool>();
        table.composed = stored.value("composed", false);
        table.pieces = stored.value("pieces", gpt2_rule);
        require_consistent(table);
        return std::make_shared<BytePairs>(std::move(table), "the stored vocabulary");
    } catch (const json::exception&) {
        throw BadInput("The stored vocabulary of byte-level BPE is not JSON with tokens and merges, as it must be.");
    }
}

}  // namespace ropelab
