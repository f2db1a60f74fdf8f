#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <queue>
#include <ranges>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/expression.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/text_steps.h"
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
// alone, those of Llama 3's or of Qwen 2's expression, the whole text between added tokens, or what TextSteps give.
constexpr const char* gpt2_rule = "gpt2";
constexpr const char* single_digits_rule = "single_digits";
constexpr const char* llama3_rule = "llama3";
constexpr const char* qwen2_rule = "qwen2";
constexpr const char* whole_rule = "whole";
constexpr const char* steps_rule = "steps";
constexpr int llama3_digits = 3;
constexpr int qwen2_digits = 1;

std::vector<std::string_view> pieces_by(const std::string& rule, std::string_view text) {
    if (rule == whole_rule) return text.empty() ? std::vector<std::string_view>{} : std::vector{text};
    if (rule == llama3_rule) return gpt4_pieces(text, llama3_digits);
    if (rule == qwen2_rule) return gpt4_pieces(text, qwen2_digits);
    return rule == single_digits_rule ? single_digit_pieces(text) : gpt2_pieces(text);
}

// Options of an added token.
enum AddedOption : int { single_word = 1, strips_left = 2, strips_right = 4, in_vocabulary = 8 };

// Byte-level: tokens are spelled in an alphabet of 256 visible characters, one for each byte. Else they are spelled as
// they are, with U+2581 for a space. By scores: the tokens with the largest sum (Unigram) instead of merges.
struct BytePairTable {
    std::vector<std::string> tokens;
    std::vector<TokenMerge> merges;         // in the order in which they are applied
    std::vector<std::int32_t> added;        // tokens that are spelled as they are, and found before all others
    std::vector<std::int32_t> added_later;  // likewise, but found in what `added` leaves of a text
    bool whole_words = false;               // true if a piece that is a token is not built by merges
    std::string pieces = gpt2_rule;
    json normalizer;                           // parts of a tokenizer.json; null: none
    json pre_tokenizer;                        // of steps_rule
    std::map<std::int32_t, int> options = {};  // of added tokens
    bool is_byte_level = true;
    bool has_byte_fallback = false;  // a character without token is spelled by tokens such as <0x41>
    std::int32_t unknown = -1;       // token of characters without token; −1: they are left out
    bool fuses_unknown = false;
    bool ranks_by_token = false;  // true if merges of the same token have the same rank
    std::vector<double> scores = {};
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

// Of a token such as <0x41>; −1 for others.
int fallback_byte(const std::string& token) {
    if (token.size() != 6 || !token.starts_with("<0x") || token.back() != '>') return -1;
    int value = -1;
    const auto [end, error] = std::from_chars(token.data() + 3, token.data() + 5, value, 16);
    return error == std::errc{} && end == token.data() + 5 ? value : -1;
}

class BytePairs final : public Subwords {
 public:
    BytePairs(BytePairTable table, const std::string& name)
        : table_(std::move(table)), steps_(table_.normalizer, table_.pre_tokenizer, name) {
        bytes_.fill(-1);
        std::unordered_set<std::int32_t> added(table_.added.begin(), table_.added.end());
        added.insert(table_.added_later.begin(), table_.added_later.end());
        for (std::size_t token = 0; token < table_.tokens.size(); ++token) {
            const auto id = static_cast<std::int32_t>(token);
            const std::string& spelled = table_.tokens[token];
            const bool is_added = added.contains(id);
            tokens_.push_back(is_added ? spelled : text_of(id, name));
            // A stored vocabulary of a stranger may have fewer scores than tokens.
            const bool has_no_score = !table_.scores.empty() && token >= table_.scores.size();
            if (spelled.empty() || has_no_score || (is_added && (option(id) & in_vocabulary) == 0)) continue;
            const std::string bytes = table_.is_byte_level ? spelled_bytes(spelled, name) : spelled;
            if (table_.is_byte_level && bytes.size() == 1) bytes_[static_cast<unsigned char>(bytes.front())] = id;
            if (table_.has_byte_fallback && fallback_byte(spelled) >= 0)
                bytes_[static_cast<std::size_t>(fallback_byte(spelled))] = id;
            longest_ = std::max(longest_, bytes.size());
            ids_.emplace(bytes, id);
        }
        for (const std::int32_t id : table_.added) add(0, id, table_.tokens[static_cast<std::size_t>(id)]);
        for (const std::int32_t id : table_.added_later)
            add(1, id, steps_.normalized(table_.tokens[static_cast<std::size_t>(id)]));
        for (auto& pass : added_) {
            for (auto& list : pass) {
                std::ranges::stable_sort(list, std::greater<>(),
                                         [](const AddedToken& token) { return token.text.size(); });
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
            ranks_.emplace(pair_key(merge.left, merge.right),
                           Rank{table_.ranks_by_token ? static_cast<std::size_t>(merge.merged) : rank, merge.merged});
        }
        if (!table_.scores.empty()) unknown_score_ = std::ranges::min(table_.scores) - 10;  // as the library
    }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::unordered_map<std::string, std::vector<std::int32_t>> known;
        std::vector<std::int32_t> result;
        const auto append_pieces = [&](std::string_view part, bool begins) {
            const auto append = [&](std::string_view piece) {
                const auto [found, is_new] = known.try_emplace(std::string(piece));
                if (is_new) found->second = table_.scores.empty() ? merged(piece) : best_path(piece);
                result.insert(result.end(), found->second.begin(), found->second.end());
            };
            if (table_.pieces == steps_rule) {
                std::ranges::for_each(steps_.pieces(part, begins), append);
            } else {
                std::ranges::for_each(pieces_by(table_.pieces, part), append);
            }
        };
        each_part(added_[0], text, result, [&](std::string_view part) {
            const bool begins = part.data() == text.data();
            if (!steps_.changes_text() && added_count_[1] == 0) return append_pieces(part, begins);
            const std::string normalized = steps_.normalized(part);
            each_part(added_[1], normalized, result,
                      [&](std::string_view rest) { append_pieces(rest, begins && rest.data() == normalized.data()); });
        });
        return result;
    }

    std::string to_text() const override {
        json merges = json::array();
        for (const TokenMerge& merge : table_.merges) merges.push_back({merge.left, merge.right, merge.merged});
        json stored = {{"tokens", table_.tokens},
                       {"merges", merges},
                       {"added", table_.added},
                       {"whole_words", table_.whole_words}};
        if (!table_.added_later.empty()) stored["added_later"] = table_.added_later;
        if (table_.pieces != gpt2_rule) stored["pieces"] = table_.pieces;
        if (table_.normalizer == json{{"type", "NFC"}}) {
            stored["composed"] = true;
        } else if (!table_.normalizer.is_null()) {
            stored["normalizer"] = table_.normalizer;
        }
        if (!table_.pre_tokenizer.is_null()) stored["pre_tokenizer"] = table_.pre_tokenizer;
        for (const auto& [id, options] : table_.options) stored["options"].push_back({id, options});
        if (!table_.is_byte_level) stored["byte_level"] = false;
        if (table_.has_byte_fallback) stored["byte_fallback"] = true;
        if (table_.unknown >= 0) stored["unknown"] = table_.unknown;
        if (table_.fuses_unknown) stored["fuse_unknown"] = true;
        if (table_.ranks_by_token) stored["ranks_by_token"] = true;
        if (!table_.scores.empty()) stored["scores"] = table_.scores;
        return std::string(byte_pairs_prefix) + stored.dump();
    }

 private:
    struct Place {
        std::int32_t token = -1;  // -1: merged into the place before
        std::ptrdiff_t before = -1;
        std::ptrdiff_t after = -1;
    };
    struct Rank {
        std::size_t rank;
        std::int32_t merged;
    };
    struct AddedToken {
        std::string text;
        std::int32_t id;
        int options;
    };
    using ByFirstByte = std::array<std::vector<AddedToken>, 256>;

    static std::uint64_t pair_key(std::int32_t left, std::int32_t right) {
        return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32) | static_cast<std::uint32_t>(right);
    }

    const std::string& bytes_of_token(std::int32_t token) const { return tokens_[static_cast<std::size_t>(token)]; }
    const std::string& spelled(std::int32_t token) const { return table_.tokens[static_cast<std::size_t>(token)]; }

    int option(std::int32_t id) const {
        const auto found = table_.options.find(id);
        return found == table_.options.end() ? 0 : found->second;
    }

    // What a token adds to a text.
    std::string text_of(std::int32_t id, const std::string& name) const {
        const std::string& spelled = table_.tokens[static_cast<std::size_t>(id)];
        if (table_.is_byte_level) return spelled_bytes(spelled, name);
        if (id == table_.unknown) return "";
        if (table_.has_byte_fallback && fallback_byte(spelled) >= 0)
            return std::string(1, static_cast<char>(fallback_byte(spelled)));
        return with_spaces(spelled);
    }

    void add(std::size_t pass, std::int32_t id, const std::string& text) {
        if (text.empty()) return;
        added_[pass][static_cast<unsigned char>(text.front())].push_back({text, id, option(id)});
        ++added_count_[pass];
    }

    // Appends the added tokens of a text, the longest first, and calls `visit` for what is between them.
    template <typename Visit>
    void each_part(const ByFirstByte& added, std::string_view text, std::vector<std::int32_t>& result,
                   const Visit& visit) const {
        std::size_t begin = 0;
        for (std::size_t at = 0; at < text.size();) {
            const auto& list = added[static_cast<unsigned char>(text[at])];
            const auto found = std::ranges::find_if(
                list, [&](const AddedToken& token) { return text.substr(at).starts_with(token.text); });
            if (found == list.end()) {
                ++at;
                continue;
            }
            std::size_t end = at + found->text.size();
            const bool is_part_of_word =
                (found->options & single_word) != 0 &&
                (ends_with(text.substr(0, at), word()) || begins_with(text.substr(end), word()));
            if (!is_part_of_word) {
                std::size_t first = at;
                if (found->options & strips_left) first = std::max(begin, first - space_at_end(text.substr(0, at)));
                if (found->options & strips_right) end += space_at_begin(text.substr(end));
                if (first > begin) visit(text.substr(begin, first - begin));
                result.push_back(found->id);
                begin = end;
            }
            at = end;
        }
        if (begin < text.size()) visit(text.substr(begin));
    }

    static const Expression& word() {
        static const Expression expression("\\w", Expression::Dialect::rust, "an added token");
        return expression;
    }
    static bool begins_with(std::string_view text, const Expression& what) {
        return !text.empty() && !what.matches(text.substr(0, length_at(text, 0))).empty();
    }
    static bool ends_with(std::string_view text, const Expression& what) {
        return !text.empty() && !what.matches(text.substr(last_character(text))).empty();
    }
    static std::size_t length_at(std::string_view text, std::size_t at) {
        return std::max<std::size_t>(decode_utf8(text, at).length, 1);
    }
    static std::size_t last_character(std::string_view text) {
        std::size_t at = text.size() - 1;
        while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) --at;
        return at;
    }
    static bool is_space_at(std::string_view text, std::size_t at) {
        const DecodedCharacter character = decode_utf8(text, at);
        return character.length > 0 && u_isUWhiteSpace(static_cast<UChar32>(character.code));
    }
    static std::size_t space_at_begin(std::string_view text) {
        std::size_t at = 0;
        while (at < text.size() && is_space_at(text, at)) at += length_at(text, at);
        return at;
    }
    static std::size_t space_at_end(std::string_view text) {
        const std::size_t size = text.size();
        while (!text.empty() && is_space_at(text, last_character(text))) text = text.substr(0, last_character(text));
        return size - text.size();
    }

    // Tokens of the bytes or characters of a piece, before merges. Without a token and unknown(), they are left out, as
    // Hugging Face tokenizers does it.
    std::vector<std::int32_t> unmerged(std::string_view piece) const {
        std::vector<std::int32_t> result;
        bool follows_unknown = false;
        for (std::size_t at = 0; at < piece.size();) {
            const std::string_view unit = piece.substr(at, table_.is_byte_level ? 1 : length_at(piece, at));
            at += unit.size();
            const auto found = ids_.find(std::string(unit));
            if (found != ids_.end()) {
                result.push_back(found->second);
            } else if (spell_in_bytes(unit, result)) {
                continue;
            } else if (table_.unknown >= 0 && !(follows_unknown && table_.fuses_unknown)) {
                result.push_back(table_.unknown);
            }
            follows_unknown = found == ids_.end();
        }
        return result;
    }

    bool spell_in_bytes(std::string_view unit, std::vector<std::int32_t>& result) const {
        const auto token = [&](char byte) { return bytes_[static_cast<unsigned char>(byte)]; };
        if (!table_.has_byte_fallback || std::ranges::any_of(unit, [&](char byte) { return token(byte) < 0; }))
            return false;
        for (const char byte : unit) result.push_back(token(byte));
        return true;
    }

    // The tokens with the largest sum of scores (Viterbi), as Unigram of Hugging Face tokenizers.
    std::vector<std::int32_t> best_path(std::string_view piece) const {
        struct Node {
            double score = 0;
            std::ptrdiff_t begin = -1;
            std::int32_t token = -1;
        };
        std::vector<Node> ends(piece.size() + 1);
        std::size_t length = 0;
        for (std::size_t at = 0; at < piece.size(); at += length) {
            length = length_at(piece, at);
            bool has_single = false;
            const auto propose = [&](std::size_t end, double score, std::int32_t token) {
                if (ends[end].begin < 0 || ends[at].score + score > ends[end].score)
                    ends[end] = {ends[at].score + score, static_cast<std::ptrdiff_t>(at), token};
            };
            const std::size_t most = std::min(longest_, piece.size() - at);
            for (std::size_t bytes = 1; bytes <= most; ++bytes) {
                const auto found = ids_.find(std::string(piece.substr(at, bytes)));
                if (found == ids_.end()) continue;
                propose(at + bytes, table_.scores[static_cast<std::size_t>(found->second)], found->second);
                has_single = has_single || bytes == length;
            }
            if (!has_single) propose(at + length, unknown_score_, -1);
        }
        std::vector<std::pair<std::string_view, std::int32_t>> parts;  // from the last one
        for (std::size_t end = piece.size(); end > 0; end = static_cast<std::size_t>(ends[end].begin)) {
            const auto begin = static_cast<std::size_t>(ends[end].begin);
            const std::string_view part = piece.substr(begin, end - begin);
            if (ends[end].token < 0 && !parts.empty() && parts.back().second < 0) {
                parts.back().first = {part.data(), part.size() + parts.back().first.size()};
            } else {
                parts.emplace_back(part, ends[end].token);
            }
        }
        std::vector<std::int32_t> result;
        for (const auto& [part, token] : std::views::reverse(parts)) {
            if (token >= 0) {
                result.push_back(token);
            } else if (!spell_in_bytes(part, result) && table_.unknown >= 0) {
                result.push_back(table_.unknown);
            }
        }
        return result;
    }

    // The pair with the lowest rank, and of equal ones the first, is merged until no pair has a rank.
    std::vector<std::int32_t> merged(std::string_view piece) const {
        if (table_.whole_words) {
            if (const auto whole = ids_.find(std::string(piece)); whole != ids_.end()) return {whole->second};
        }
        std::vector<Place> places;
        for (const std::int32_t token : unmerged(piece)) {
            const std::ptrdiff_t at = std::ssize(places);
            places.push_back({token, at - 1, at + 1});
        }
        if (places.empty()) return {};
        places.back().after = -1;
        const auto place = [&](std::ptrdiff_t at) -> Place& { return places[static_cast<std::size_t>(at)]; };

        using MergeCandidate = std::tuple<std::size_t, std::ptrdiff_t, std::uint64_t>;  // rank, place, pair
        std::priority_queue<MergeCandidate, std::vector<MergeCandidate>, std::greater<>> candidates;
        const auto propose = [&](std::ptrdiff_t at) {
            if (at < 0 || place(at).after < 0) return;
            const std::uint64_t pair = pair_key(place(at).token, place(place(at).after).token);
            if (const auto rank = ranks_.find(pair); rank != ranks_.end())
                candidates.emplace(rank->second.rank, at, pair);
        };
        for (std::ptrdiff_t at = 0; at < std::ssize(places); ++at) propose(at);
        while (!candidates.empty()) {
            const auto [rank, at, pair] = candidates.top();
            candidates.pop();
            Place& left = place(at);
            // Other merges may have changed the pair since it was proposed.
            if (left.token < 0 || left.after < 0 || pair_key(left.token, place(left.after).token) != pair) continue;
            Place& right = place(left.after);
            left.token = ranks_.at(pair).merged;
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
    TextSteps steps_;
    std::array<std::int32_t, 256> bytes_{};  // token of each byte; −1: none
    std::array<ByFirstByte, 2> added_;       // by pass; the longest tokens first
    std::array<std::int64_t, 2> added_count_{};
    std::unordered_map<std::string, std::int32_t> ids_;  // by bytes, or as they are spelled
    std::unordered_map<std::uint64_t, Rank> ranks_;      // of pairs, by pair_key
    std::size_t longest_ = 0;                            // bytes of a token of ids_
    double unknown_score_ = 0;
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

// The rule of BytePairTable::pieces.
std::string pieces_rule(const json& part) {
    if (!part.is_object()) return steps_rule;
    json steps = part.value("type", "") == "Sequence" ? part.at("pretokenizers") : json::array({part});
    const json bytes = steps.empty() ? json() : steps.back();
    if (!bytes.is_object() || bytes.value("type", "") != "ByteLevel" || sets_option(bytes, "add_prefix_space"))
        return steps_rule;
    const bool expression = bytes.value("use_regex", true);
    if (steps.size() == 1) return expression ? gpt2_rule : whole_rule;
    if (steps.size() != 2) return steps_rule;
    const json& first = steps.front();
    const bool is_digits = first.value("type", "") == "Digits" && first.value("individual_digits", false);
    if (is_digits && expression) return single_digits_rule;
    const bool is_split = first.value("type", "") == "Split" && first.value("behavior", "") == "Isolated" &&
                          !first.value("invert", false) && !expression;
    const auto is = [&](int digits) {
        return first.value("pattern", json()) == json{{"Regex", gpt4_expression(digits)}};
    };
    if (is_split && is(llama3_digits)) return llama3_rule;
    return is_split && is(qwen2_digits) ? qwen2_rule : steps_rule;
}

bool has_byte_level(const json& pre_tokenizer) {
    if (!pre_tokenizer.is_object()) return false;
    if (pre_tokenizer.value("type", "") == "ByteLevel") return true;
    const json steps = pre_tokenizer.value("pretokenizers", json::array());
    return std::ranges::any_of(steps, [](const json& step) { return has_byte_level(step); });
}

void require_known_model(const json& file, const std::string& name) {
    const json& model = file.at("model");
    const std::string kind = kind_of_part(file, "model");
    const bool is_known = kind == "BPE" || kind == "Unigram" || (model.contains("merges") && !model.contains("type"));
    if (!is_known) {
        throw BadInput(name + " contains a tokenizer of the kind \"" + kind +
                       "\", but only BPE and Unigram are read from a tokenizer.json.");
    }
    for (const char* option : {"dropout", "continuing_subword_prefix", "end_of_word_suffix"}) {
        if (sets_option(model, option))
            throw BadInput(name + " sets " + option + " of its tokenizer of the kind BPE, which is not supported.");
    }
}

BytePairTable table_of_json(const json& file, const std::string& name) {
    require_known_model(file, name);
    const auto part = [&](const char* key) { return file.value(key, json()); };
    BytePairTable table;
    table.normalizer = part("normalizer");
    table.is_byte_level = has_byte_level(part("pre_tokenizer"));
    table.pieces = pieces_rule(part("pre_tokenizer"));
    if (table.pieces == steps_rule) table.pre_tokenizer = part("pre_tokenizer");
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
    if (kind_of_part(file, "model") == "Unigram") {
        for (const json& row : model.at("vocab")) {
            put(row.at(0).get<std::string>(), std::ssize(table.scores));
            table.scores.push_back(row.at(1).get<double>());
        }
        if (sets_option(model, "unk_id") || model.value("unk_id", json()) == 0) table.unknown = model.at("unk_id");
        if (table.unknown >= std::ssize(table.scores) || table.scores.empty())
            throw BadInput(name + " must have tokens, and its unknown token must be one of them.");
    } else {
        for (const auto& [token, id] : model.at("vocab").items()) put(token, id.get<std::int64_t>());
    }
    const auto id_of = [&](const std::string& token, const char* part_name) {
        const auto found = ids.find(token);
        if (found == ids.end()) {
            throw BadInput(std::string(part_name) + name + " contain \"" + token +
                           "\", which must also be in the vocabulary of the tokenizer but is not.");
        }
        return found->second;
    };
    const auto merge_id = [&](const std::string& token) { return id_of(token, "The merges of "); };
    for (const json& merge : model.value("merges", json::array())) {
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
        table.merges.push_back({merge_id(left), merge_id(right), merge_id(left + right)});
    }
    if (sets_option(model, "unk_token"))
        table.unknown = id_of(model.at("unk_token").get<std::string>(), "The unknown tokens of ");
    table.fuses_unknown = model.value("fuse_unk", false);
    table.has_byte_fallback = model.value("byte_fallback", false) && !table.is_byte_level;
    const bool was_changed = !table.normalizer.is_null() && table.normalizer != json{{"type", "NFC"}};
    for (const json& token : file.value("added_tokens", json::array())) {
        const auto content = token.at("content").get<std::string>();
        const bool is_known = ids.contains(content);
        put(content, token.at("id").get<std::int64_t>());
        const std::int32_t id = ids.at(content);
        int options = 0;
        for (const auto& [option, bit] :
             {std::pair("single_word", single_word), {"lstrip", strips_left}, {"rstrip", strips_right}})
            options |= sets_option(token, option) ? bit : 0;
        // Then a text may have it that is not the added token.
        if (is_known && (options != 0 || was_changed || !table.is_byte_level)) options |= in_vocabulary;
        if (options != 0) table.options[id] = options;
        // Hugging Face tokenizers finds tokens with `normalized` in what the others leave, in its normalization form.
        const bool later = token.value("normalized", !token.value("special", false));
        (later ? table.added_later : table.added).push_back(id);
    }
    if (table.added.empty() && table.normalizer.is_null()) table.added.swap(table.added_later);
    table.whole_words = model.value("ignore_merges", false);
    return table;
}

// In the order in which the names are compared. Each is an expression of openai_public.py of tiktoken 0.14, or of the
// model's own code.
const std::vector<std::pair<std::string, std::string>>& tiktoken_expressions() {
    static const std::vector<std::pair<std::string, std::string>> rows = {
        {"o200k", o200k_expression()}, {"gpt4o", o200k_expression()}, {"cl100k", gpt4_expression(3)},
        {"gpt4", gpt4_expression(3)},  {"r50k", gpt2_expression()},   {"p50k", gpt2_expression()},
        {"gpt2", gpt2_expression()},   {"qwen", gpt4_expression(1)},  {"tokenizer.model", gpt4_expression(3)}};
    return rows;
}

// Throws BadInput if a stored table names tokens that it does not have.
void require_consistent(const BytePairTable& table) {
    const auto is_token = [&](std::int32_t token) { return token >= 0 && token < std::ssize(table.tokens); };
    const bool valid = std::all_of(table.merges.begin(), table.merges.end(),
                                   [&](const TokenMerge& each) {
                                       return is_token(each.left) && is_token(each.right) && is_token(each.merged);
                                   }) &&
                       std::all_of(table.added.begin(), table.added.end(), is_token) &&
                       std::all_of(table.added_later.begin(), table.added_later.end(), is_token) &&
                       table.unknown < std::ssize(table.tokens) &&
                       (table.scores.empty() || table.scores.size() <= table.tokens.size());
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

std::string byte_level_spelling(std::string_view bytes) {
    std::string result;
    for (const char byte : bytes) append_utf8(result, byte_alphabet()[static_cast<unsigned char>(byte)]);
    return result;
}

json byte_level_steps(const json& pattern) {
    json bytes = {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}, {"use_regex", true}};
    if (pattern == json{{"Regex", gpt2_expression()}}) return bytes;
    bytes["use_regex"] = false;
    if (pattern.is_null()) return bytes;
    const json split = {{"type", "Split"}, {"pattern", pattern}, {"behavior", "Isolated"}, {"invert", false}};
    return {{"type", "Sequence"}, {"pretokenizers", {split, bytes}}};
}

std::shared_ptr<const Subwords> byte_pairs_of_ranks(std::string_view file, const std::string& name) {
    const std::size_t folder = name.find_last_of('/') == std::string::npos ? 0 : name.find_last_of('/');
    json pattern;
    for (const auto& [word, expression] : tiktoken_expressions()) {
        if (pattern.is_null() && name.find(word, folder) != std::string::npos)
            pattern = byte_level_steps({{"Regex", expression}});
    }
    if (pattern.is_null()) {
        throw BadInput(name +
                       " is a file of tiktoken, whose regular expression follows from its name: it must contain " +
                       joined(tiktoken_expressions(), ", ", [](const auto& row) { return row.first; }) + ".");
    }
    BytePairTable table;
    std::unordered_map<std::string, std::int32_t> ids;
    for (std::size_t line = 1; !file.empty(); ++line) {
        const std::string_view row = file.substr(0, file.find('\n'));
        file.remove_prefix(std::min(row.size() + 1, file.size()));
        if (row.empty()) continue;
        const std::size_t space = std::min(row.find(' '), row.size() - 1);
        const std::optional<std::string> bytes = bytes_of_base64(row.substr(0, space));
        std::int32_t rank = -1;
        std::from_chars(row.data() + space + 1, row.data() + row.size(), rank);
        constexpr std::int32_t most = 1 << 20;
        if (!bytes || bytes->empty() || rank < std::ssize(table.tokens) || rank >= most ||
            !ids.emplace(*bytes, rank).second) {
            throw BadInput("Line " + std::to_string(line) + " of " + name +
                           " must have another token in base64 and a rank above those before it, as files of tiktoken "
                           "have them.");
        }
        table.tokens.resize(static_cast<std::size_t>(rank) + 1);
        table.tokens.back() = byte_level_spelling(*bytes);
    }
    for (const auto& [bytes, id] : ids) {
        for (std::size_t cut = 1; cut < bytes.size(); ++cut) {
            const auto left = ids.find(bytes.substr(0, cut));
            const auto right = left == ids.end() ? ids.end() : ids.find(bytes.substr(cut));
            if (right != ids.end()) table.merges.push_back({left->second, right->second, id});
        }
    }
    std::ranges::sort(table.merges, {}, [](const TokenMerge& merge) { return std::pair(merge.merged, merge.left); });
    table.ranks_by_token = true;
    table.whole_words = true;
    table.pieces = pieces_rule(pattern);
    if (table.pieces == steps_rule) table.pre_tokenizer = pattern;
    return std::make_shared<BytePairs>(std::move(table), name);
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
        table.normalizer = stored.value("composed", false) ? json{{"type", "NFC"}} : stored.value("normalizer", json());
        table.pre_tokenizer = stored.value("pre_tokenizer", json());
        for (const json& option : stored.value("options", json::array())) table.options[option.at(0)] = option.at(1);
        table.is_byte_level = stored.value("byte_level", true);
        table.has_byte_fallback = stored.value("byte_fallback", false);
        table.unknown = stored.value("unknown", -1);
        table.fuses_unknown = stored.value("fuse_unknown", false);
        table.ranks_by_token = stored.value("ranks_by_token", false);
        table.scores = stored.value("scores", std::vector<double>());
        table.pieces = stored.value("pieces", gpt2_rule);
        require_consistent(table);
        return std::make_shared<BytePairs>(std::move(table), "the stored vocabulary");
    } catch (const json::exception&) {
        throw BadInput("The stored vocabulary of byte-level BPE is not JSON with tokens and merges, as it must be.");
    }
}

}  // namespace ropelab
