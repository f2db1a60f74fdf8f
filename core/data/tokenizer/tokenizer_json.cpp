// Vocabularies as files tokenizer.json of Hugging Face tokenizers.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/tokenizer/subword_kinds.h"
#include "core/data/tokenizer/vocabulary.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr const char* space_piece = "\xE2\x96\x81";
// Of which word_pieces() are the matches.
constexpr const char* words_expression = R"([\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}])";

json whole_file(json model, json decoder) {
    json file = parse_bounded(R"({"version": "1.0", "truncation": null, "padding": null, "added_tokens": [],
        "normalizer": null, "pre_tokenizer": null, "post_processor": null})");
    file["decoder"] = std::move(decoder);
    file["model"] = std::move(model);
    return file;
}

json bpe_model(json vocabulary, json merges) {
    json model = parse_bounded(R"({"type": "BPE", "dropout": null, "unk_token": null, "fuse_unk": false,
        "continuing_subword_prefix": null, "end_of_word_suffix": null, "byte_fallback": false,
        "ignore_merges": false})");
    model["vocab"] = std::move(vocabulary);
    model["merges"] = std::move(merges);
    return model;
}

// By a rule of pieces as stored with byte-level BPE, or by words.
json pre_tokenizer_of(std::string_view rule) {
    if (rule == "whole") return byte_level_steps(nullptr);
    if (rule == "words") return byte_level_steps({{"Regex", words_expression}});
    if (rule == "llama3" || rule == "qwen2")
        return byte_level_steps({{"Regex", gpt4_expression(rule == "qwen2" ? 1 : 3)}});
    const json bytes = byte_level_steps({{"Regex", gpt2_expression()}});
    if (rule == "gpt2") return bytes;
    const json digits = {{"type", "Digits"}, {"individual_digits", true}};
    return {{"type", "Sequence"}, {"pretokenizers", {digits, bytes}}};
}

json byte_level_file(json vocabulary, json merges, std::string_view rule) {
    json file = whole_file(bpe_model(std::move(vocabulary), std::move(merges)),
                           {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}});
    file["pre_tokenizer"] = pre_tokenizer_of(rule);
    return file;
}

// Characters, bytes and words, which no merges join. Characters beyond ASCII are not those of the alphabet of bytes.
json single_tokens_file(const Vocabulary& vocabulary) {
    const bool is_byte_level = vocabulary.subwords() || vocabulary.fixed_bytes_per_token();
    json tokens = json::object();
    for (std::int32_t id = 0; id < vocabulary.size(); ++id) {
        const std::string token = vocabulary.bytes_of(id);
        tokens[is_byte_level ? byte_level_spelling(token) : token] = id;
    }
    if (!is_byte_level) return whole_file(bpe_model(std::move(tokens), json::array()), {{"type", "Fuse"}});
    json file = byte_level_file(std::move(tokens), json::array(), vocabulary.subwords() ? "words" : "whole");
    file["model"]["ignore_merges"] = vocabulary.subwords();  // words that are tokens are not spelled in bytes
    return file;
}

json byte_pairs_file(std::string_view text) {
    const json stored = parse_bounded(text.substr(byte_pairs_prefix.size()));
    for (const char* part : {"options", "byte_level", "scores", "ranks_by_token", "unknown"}) {
        if (stored.contains(part)) {
            throw BadInput(
                "The tokenizer of this run cannot be written as a tokenizer.json, because it is not byte-level BPE "
                "with plain added tokens; copy the file from which it was read.");
        }
    }
    const auto tokens = stored.at("tokens").get<std::vector<std::string>>();
    json vocabulary = json::object();
    for (std::size_t id = 0; id < tokens.size(); ++id) {
        if (!tokens[id].empty()) vocabulary[tokens[id]] = id;
    }
    json merges = json::array();
    for (const json& merge : stored.at("merges"))
        merges.push_back(tokens.at(merge.at(0)) + " " + tokens.at(merge.at(1)));
    json file = byte_level_file(std::move(vocabulary), std::move(merges), stored.value("pieces", std::string("gpt2")));
    if (stored.contains("pre_tokenizer")) file["pre_tokenizer"] = stored["pre_tokenizer"];
    if (stored.contains("normalizer")) file["normalizer"] = stored["normalizer"];
    file["model"]["ignore_merges"] = stored.at("whole_words");
    if (stored.value("composed", false)) file["normalizer"] = {{"type", "NFC"}};
    for (const bool is_later : {false, true}) {
        for (const json& id : stored.value(is_later ? "added_later" : "added", json::array())) {
            const std::string& token = tokens.at(id);
            file["model"]["vocab"].erase(token);
            json added = parse_bounded(R"({"single_word": false, "lstrip": false, "rstrip": false})");
            added.update({{"id", id}, {"content", token}, {"normalized", is_later}, {"special", !is_later}});
            file["added_tokens"].push_back(std::move(added));
        }
    }
    json& added = file["added_tokens"];
    std::sort(added.begin(), added.end(), [](const json& a, const json& b) { return a.at("id") < b.at("id"); });
    return file;
}

[[noreturn]] void refuse_sentencepiece(const std::string& why) {
    throw BadInput("The SentencePiece tokenizer of this run cannot be written as a tokenizer.json, because " + why +
                   ".");
}

// All pairs of pieces that are a piece together; the piece that comes first is joined first.
json merges_of(const std::vector<std::string>& pieces) {
    std::unordered_map<std::string_view, std::size_t> ranks;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
        if (!pieces[i].empty()) ranks.emplace(pieces[i], i);
    }
    json merges = json::array();
    for (const std::string_view piece : pieces) {
        std::vector<std::pair<std::size_t, std::size_t>> pairs;
        for (std::size_t cut = 1; cut < piece.size(); ++cut) {
            const auto left = ranks.find(piece.substr(0, cut));
            const auto right = ranks.find(piece.substr(cut));
            if (left != ranks.end() && right != ranks.end()) pairs.emplace_back(left->second, right->second);
        }
        std::ranges::sort(pairs);
        for (const auto& [left, right] : pairs) merges.push_back(pieces[left] + " " + pieces[right]);
    }
    return merges;
}

json sentencepiece_file(std::string_view text) {
    using Kind = SentencePieceTable::Piece::Kind;
    const SentencePieceTable table = sentencepiece_table(text);
    if (!table.is_unigram && !table.is_bpe) refuse_sentencepiece("its model is neither unigram nor BPE");
    const auto has = [&](Kind kind) { return std::ranges::find(table.pieces, kind, &SentencePieceTable::Piece::kind); };
    if (has(Kind::byte) == table.pieces.end())
        refuse_sentencepiece("it has no byte fallback, so that each line is encoded alone");
    if (has(Kind::defined_by_user) != table.pieces.end() || has(Kind::unused) != table.pieces.end())
        refuse_sentencepiece("it has pieces that its user defined, or unused ones");
    const auto unknown = has(Kind::unknown);
    if (unknown == table.pieces.end()) refuse_sentencepiece("it has no unknown token");
    // SentencePiece never finds other pieces than normal ones in a text.
    constexpr double never = -1e6;
    json scores = json::array();
    json ids = json::object();
    std::vector<std::string> normal;
    for (std::size_t id = 0; id < table.pieces.size(); ++id) {
        const auto& [piece, score, kind] = table.pieces[id];
        scores.push_back({piece, kind == Kind::normal ? static_cast<double>(score) : never});
        ids[piece] = id;
        normal.push_back(kind == Kind::normal ? piece : "");
    }
    json model = {{"type", "Unigram"},
                  {"unk_id", unknown - table.pieces.begin()},
                  {"vocab", std::move(scores)},
                  {"byte_fallback", true}};
    if (table.is_bpe) {
        model = bpe_model(std::move(ids), merges_of(normal));
        model["unk_token"] = unknown->text;
        model["fuse_unk"] = true;
        model["byte_fallback"] = true;
    }
    const auto replace = [](const char* what, const char* with) {
        return json{{"type", "Replace"}, {"pattern", {{"String", what}}}, {"content", with}};
    };
    json file = whole_file(std::move(model),
                           {{"type", "Sequence"},
                            {"decoders", {replace(space_piece, " "), {{"type", "ByteFallback"}}, {{"type", "Fuse"}}}}});
    file["normalizer"] = replace(" ", space_piece);
    return file;
}

}  // namespace

json tokenizer_json(std::string_view vocabulary) {
    if (vocabulary.starts_with(byte_pairs_prefix)) return byte_pairs_file(vocabulary);
    if (vocabulary.starts_with(sentencepiece_prefix)) return sentencepiece_file(vocabulary);
    if (vocabulary.starts_with(normalized_sentencepiece_prefix))
        refuse_sentencepiece("its own normalizer changes texts");
    return single_tokens_file(Vocabulary::from_text(vocabulary));
}

}  // namespace ropelab
