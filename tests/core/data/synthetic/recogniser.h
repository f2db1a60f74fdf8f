#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// Statistics of a text in the positional language.
struct Findings {
    std::vector<std::size_t> distances;     // per copy: characters from the start of a name to the start of its copy
    std::vector<std::size_t> items;         // per clause: number of items
    std::vector<std::size_t> word_lengths;  // per freely spelled word: number of letters
    std::size_t groups = 0;                 // number of outermost groups
    std::size_t deepest = 0;                // largest nesting depth of brackets
    std::size_t nouns = 0;
    std::size_t sentences = 0;
    std::size_t second_letters = 0;        // number of second consonants of freely spelled words
    std::size_t usual_second_letters = 0;  // number of these that are the more frequent choice
};

/// Parses whole sentences of the positional language and returns their statistics. The parser is written by hand from
/// docs/synthetic-language.md, from which it reads the word lists; it shares no table and no code with the generator.
/// Throws std::runtime_error, naming the offset and the rule, if the text violates a rule.
Findings recognise(std::string_view text);

/// Returns `text` up to and including its last full stop, so that `recognise` can parse a text that ends anywhere.
std::string whole_sentences(std::string_view text);

}  // namespace ropelab
