#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// What a text in the positional language is made of, counted.
struct Findings {
    std::vector<std::size_t> distances;     // of every copy: from the first letter of a name to that of its copy
    std::vector<std::size_t> items;         // of every clause
    std::vector<std::size_t> word_lengths;  // of every freely spelt word
    std::size_t groups = 0;                 // outermost ones
    std::size_t deepest = 0;
    std::size_t nouns = 0;
    std::size_t sentences = 0;
    std::size_t second_letters = 0;        // of freely spelt words: the second consonants
    std::size_t usual_second_letters = 0;  // of these, the usual ones
};

/// Reads whole sentences of the positional language. Written by hand from docs/generated-language.md (from which it
/// takes the words), it shares no table and no code with the generator. Throws std::runtime_error, naming the offset
/// and the rule, for a text that breaks one.
Findings recognise(std::string_view text);

/// `text` up to and with its last full stop: what `recognise` can read of a text that ends anywhere.
std::string whole_sentences(std::string_view text);

}  // namespace ropelab
