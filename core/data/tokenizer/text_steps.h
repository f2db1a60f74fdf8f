#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// Part of a text that a tokenizer has normalized.
struct TextPiece {
    std::string text;
    bool begins = false;  // true if it is the begin of the text
};

/// What a tokenizer does with a text before its model: the parts "normalizer" and "pre_tokenizer" of a tokenizer.json,
/// as Hugging Face tokenizers 0.23 computes them. The last ByteLevel, which spells bytes as characters, is left out.
class TextSteps {
 public:
    /// `name` is the tokenizer's in messages. Throws BadInput, naming it, for a part that is not supported.
    TextSteps(const nlohmann::json& normalizer, const nlohmann::json& pre_tokenizer, const std::string& name);

    std::string normalized(std::string_view text) const;
    /// Of a text that was normalized; without empty ones.
    std::vector<std::string> pieces(std::string_view text, bool begins) const;
    bool changes_text() const { return !normalizers_.empty(); }
    bool has_byte_level() const { return has_byte_level_; }

 private:
    using Split = std::function<std::vector<TextPiece>(const TextPiece&)>;

    void add_normalizer(const nlohmann::json& part, const std::string& name);
    void add_split(const nlohmann::json& part, const std::string& name);

    std::vector<std::function<std::string(std::string_view)>> normalizers_;
    std::vector<Split> splits_;
    bool has_byte_level_ = false;
};

}  // namespace ropelab
