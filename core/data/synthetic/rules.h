#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/synthetic/source.h"

namespace ropelab {

/// Both strings are rings: the first letter follows the last. Hard and soft consonants alternate.
namespace spelling {

inline constexpr std::string_view kConsonants = "klpmtnsr";  // even indices are hard, odd ones soft
inline constexpr std::string_view kNounInitials = "bdfghvz";
inline constexpr std::string_view kVowels = "aeiou";

/// Possible at some position; the weight is relative to the other letters there.
struct Choice {
    int letter;
    std::uint32_t weight;
};

/// Third letter of a word: the two neighbours of the first consonant in the ring.
std::vector<Choice> second_consonants(int first_consonant);
/// Fourth letter: the vowel after the first one in the ring (before it if the first consonant is soft), or the same.
std::vector<Choice> second_vowels(int first_consonant, int first_vowel);
/// For a third syllable: they depend on the consonant four characters earlier.
std::vector<Choice> third_consonants(int first_consonant);
/// For a third syllable: they depend on the vowel two characters earlier.
std::vector<Choice> third_vowels(int second_vowel);

}  // namespace spelling

/// The weight is relative to the other words of its list.
struct Word {
    std::string letters;
    std::uint32_t weight;
};

/// The fixed vocabulary of the positional language, sampled once, independent of the seed of a text.
struct Lexicon {
    std::vector<Word> names;  // 48 words, equally likely; the words that copies repeat
    std::vector<Word> verbs;  // 24 words, distributed by Zipf's law
    std::vector<Word> nouns;  // 24 words, by Zipf's law; their first letter distinguishes them from freely spelled ones
};

const Lexicon& lexicon();

/// Language::local: a Markov chain of order 1, whose first character is distributed as after a newline.
Source local_language();

/// Language::positional, from the beginning of a sentence.
Source positional_language();

}  // namespace ropelab
