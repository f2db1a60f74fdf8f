#include "core/data/synthetic/lexicon.h"

#include <algorithm>

#include "core/data/synthetic/random.h"

namespace ropelab {
namespace spelling {
namespace {

int on_ring(int index, int steps, std::string_view ring) {
    const int size = static_cast<int>(ring.size());
    return (index + steps + size) % size;
}

}  // namespace

std::vector<Choice> second_consonants(int first_consonant) {
    return {{on_ring(first_consonant, 1, kConsonants), 3}, {on_ring(first_consonant, -1, kConsonants), 1}};
}

std::vector<Choice> second_vowels(int first_consonant, int first_vowel) {
    const int step = first_consonant % 2 == 0 ? 1 : -1;
    return {{on_ring(first_vowel, step, kVowels), 3}, {first_vowel, 1}};
}

std::vector<Choice> third_consonants(int first_consonant) {
    return {{first_consonant, 3}, {on_ring(first_consonant, 4, kConsonants), 1}};
}

std::vector<Choice> third_vowels(int second_vowel) {
    return {{second_vowel, 3}, {on_ring(second_vowel, 1, kVowels), 1}};
}

}  // namespace spelling

namespace {

using spelling::Choice;

int pick(const std::vector<Choice>& choices, CounterRandom& random) {
    std::uint32_t total = 0;
    for (const Choice& choice : choices) total += choice.weight;
    std::uint32_t rest = random.below(total);
    std::size_t at = 0;
    while (rest >= choices[at].weight) rest -= choices[at++].weight;
    return choices[at].letter;
}

char any_of(std::string_view letters, CounterRandom& random) {
    return letters[random.below(static_cast<std::uint32_t>(letters.size()))];
}

/// Samples a word of two or three syllables according to the spelling rules.
std::string spell(bool third_syllable, CounterRandom& random) {
    const int consonant = static_cast<int>(random.below(static_cast<std::uint32_t>(spelling::kConsonants.size())));
    const int vowel = static_cast<int>(random.below(static_cast<std::uint32_t>(spelling::kVowels.size())));
    const int next_consonant = pick(spelling::second_consonants(consonant), random);
    const int next_vowel = pick(spelling::second_vowels(consonant, vowel), random);
    std::string word{spelling::kConsonants[consonant], spelling::kVowels[vowel], spelling::kConsonants[next_consonant],
                     spelling::kVowels[next_vowel]};
    if (third_syllable) {
        word += spelling::kConsonants[pick(spelling::third_consonants(consonant), random)];
        word += spelling::kVowels[pick(spelling::third_vowels(next_vowel), random)];
    }
    return word;
}

/// Samples `count` distinct words. `spell_one(index)` samples the letters of one word.
template <class Spell>
std::vector<Word> sample_words(std::size_t count, Spell spell_one) {
    std::vector<Word> words;
    while (words.size() < count) {
        const std::string letters = spell_one(words.size());
        const bool known = std::any_of(words.begin(), words.end(), [&](const Word& w) { return w.letters == letters; });
        if (!known) words.push_back({letters, 1});
    }
    return words;
}

/// Sets the weights of the words in proportion to 1/rank (Zipf's law).
void weigh_by_rank(std::vector<Word>& words) {
    for (std::size_t rank = 1; rank <= words.size(); ++rank) {
        words[rank - 1].weight = static_cast<std::uint32_t>(720 / rank);
    }
}

Lexicon sample_lexicon() {
    CounterRandom random(mix64(1));
    Lexicon result;
    result.names = sample_words(48, [&](std::size_t index) { return spell(index % 2 == 1, random); });
    result.verbs = sample_words(24, [&](std::size_t) { return spell(false, random) + any_of("dt", random); });
    result.nouns = sample_words(24, [&](std::size_t index) {
        std::string word = spell(false, random);
        word.front() = spelling::kNounInitials[index % spelling::kNounInitials.size()];
        if (index % 2 == 1) word += any_of("lnrs", random);
        return word;
    });
    weigh_by_rank(result.verbs);
    weigh_by_rank(result.nouns);
    return result;
}

}  // namespace

const Lexicon& lexicon() {
    static const Lexicon sampled = sample_lexicon();
    return sampled;
}

}  // namespace ropelab
