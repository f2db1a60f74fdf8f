#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/data/json_text.h"
#include "core/data/subword_kinds.h"
#include "core/data/text_pieces.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::size_t byte_values = 256;

// The 256 bytes, then words in descending order of frequency. Other words are spelled in bytes.
class WordList final : public Subwords {
 public:
    explicit WordList(const std::vector<std::string>& words) {
        for (std::size_t byte = 0; byte < byte_values; ++byte) tokens_.emplace_back(1, static_cast<char>(byte));
        tokens_.insert(tokens_.end(), words.begin(), words.end());
        for (std::size_t token = byte_values; token < tokens_.size(); ++token) {
            ids_.emplace(tokens_[token], static_cast<std::int32_t>(token));
        }
    }

    std::vector<std::int32_t> encode(std::string_view text) const override {
        std::vector<std::int32_t> result;
        for (const std::string_view piece : word_pieces(text)) {
            if (const auto known = ids_.find(piece); known != ids_.end()) {
                result.push_back(known->second);
            } else {
                for (const char byte : piece) result.push_back(static_cast<unsigned char>(byte));
            }
        }
        return result;
    }

    std::string to_text() const override {
        return std::string(words_prefix) +
               nlohmann::json(std::vector<std::string>(tokens_.begin() + byte_values, tokens_.end())).dump();
    }

 private:
    std::unordered_map<std::string_view, std::int32_t> ids_;  // of the words; the keys view tokens_
};

}  // namespace

std::shared_ptr<const Subwords> train_words(std::int64_t size, std::string_view training) {
    std::unordered_map<std::string_view, std::int64_t> counts;
    for (const std::string_view piece : word_pieces(training)) {
        if (piece.size() > 1) ++counts[piece];  // each byte already is a token
    }
    std::vector<std::pair<std::string_view, std::int64_t>> sorted(counts.begin(), counts.end());
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return a.second != b.second ? a.second > b.second : a.first < b.first;
    });
    const auto most = static_cast<std::size_t>(size) - byte_values;
    std::vector<std::string> words;
    for (std::size_t i = 0; i < std::min(most, sorted.size()); ++i) words.emplace_back(sorted[i].first);
    return std::make_shared<WordList>(words);
}

std::shared_ptr<const Subwords> words_from_text(std::string_view text) {
    const auto json = parse_bounded(text.substr(words_prefix.size()), nullptr, false);
    const bool valid = json.is_array() && std::all_of(json.begin(), json.end(), [](const auto& word) {
                           return word.is_string() && word.template get_ref<const std::string&>().size() > 1;
                       });
    if (!valid) throw BadInput("A stored vocabulary of words is a JSON list of words, but this one is not.");
    return std::make_shared<WordList>(json.get<std::vector<std::string>>());
}

}  // namespace ropelab
