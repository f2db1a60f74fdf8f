#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

struct TextRange {
    std::size_t begin = 0;  // bytes
    std::size_t end = 0;
};

/// A regular expression of a tokenizer, computed by ICU. It is rewritten, so that its classes of characters are those
/// of Unicode 16 and its quantifiers mean what they mean for the library that reads the tokenizer.
class Expression {
 public:
    enum class Dialect {
        oniguruma,  // of Hugging Face tokenizers: {1,3}+ repeats {1,3}
        rust        // of tiktoken: {1,3}+ does not backtrack
    };
    /// `name` is the tokenizer's in messages. Throws BadInput for an expression that cannot be read.
    Expression(const std::string& pattern, Dialect dialect, const std::string& name);

    /// That are not empty, or do not follow another one directly; bytes that are not UTF-8 match as U+FFFD. Throws
    /// BadInput if the search takes too long.
    std::vector<TextRange> matches(std::string_view text) const;

 private:
    std::string name_;
    std::shared_ptr<const void> pattern_;  // icu::RegexPattern
};

/// True for letters, numbers, … ("L", "Lu", "N", …) of Unicode 15.1 and 16, which the tokenizers of others know, but
/// not ICU before version 76.
bool is_new_character(char32_t code, std::string_view category);

}  // namespace ropelab
