#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ropelab {

/// The letters of the generated languages and how they follow each other within a word. Consonants and vowels are
/// numbered by their place in these strings; the consonants stand in a ring in which hard and soft ones alternate.
namespace spelling {

inline constexpr std::string_view kConsonants = "klpmtnsr";  // even places hard, odd places soft
inline constexpr std::string_view kNounInitials = "bdfghvz";
inline constexpr std::string_view kVowels = "aeiou";

/// One letter that may stand at a place, and its weight against the others of that place.
struct Choice {
    int letter;
    std::uint32_t weight;
};

/// After a consonant, two characters on: its neighbours in the ring.
std::vector<Choice> second_consonants(int first_consonant);
/// After a vowel, two characters on. It depends on the consonant three characters before as well: the vowels' ring is
/// walked forwards after a hard one, backwards after a soft one.
std::vector<Choice> second_vowels(int first_consonant, int first_vowel);
/// Of a third syllable: it depends on the consonant four characters before.
std::vector<Choice> third_consonants(int first_consonant);
/// Of a third syllable: it depends on the vowel two characters before.
std::vector<Choice> third_vowels(int second_vowel);

}  // namespace spelling

/// A word and how often it is taken against the others of its list.
struct Word {
    std::string letters;
    std::uint32_t weight;
};

/// The words that recur. They are drawn once, by a fixed stream, and belong to the language: no seed changes them.
struct Lexicon {
    std::vector<Word> names;  // 48, all equally likely: what copies repeat
    std::vector<Word> verbs;  // 24, by Zipf's law
    std::vector<Word> nouns;  // 24, by Zipf's law; told from freely spelt words by their first letter
};

const Lexicon& lexicon();

}  // namespace ropelab
