#include "core/data/generated/positional_language.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/generated/lexicon.h"

namespace ropelab {
namespace {

constexpr std::string_view kOpener = "one ";
constexpr std::string_view kMarker = "and ";
constexpr int kMostItems = 7;
constexpr int kDeepest = 3;

constexpr std::string_view kOpen = "([<";
constexpr std::string_view kClose = ")]>";
/// The vowels of the particles directly inside a bracket of each kind: the usual one first.
constexpr std::array<std::string_view, 3> kBracketVowels{"ae", "io", "ua"};

/// A list of words as a tree of letters. Node 0 is the root.
class Trie {
 public:
    struct Node {
        std::vector<std::pair<char, int>> children;
        std::uint32_t weight = 0;  // of all words through this node
        std::uint32_t end_weight = 0;
        int word = -1;  // that ends here
    };

    explicit Trie(const std::vector<Word>& words) : nodes_(1) {
        for (std::size_t i = 0; i < words.size(); ++i) add(words[i], static_cast<int>(i));
    }

    const Node& operator[](int node) const { return nodes_[static_cast<std::size_t>(node)]; }

 private:
    void add(const Word& word, int number) {
        int at = 0;
        node(at).weight += word.weight;
        for (const char letter : word.letters) {
            at = child(at, letter);
            node(at).weight += word.weight;
        }
        node(at).end_weight = word.weight;
        node(at).word = number;
    }

    int child(int at, char letter) {
        for (const auto& [symbol, next] : node(at).children) {
            if (symbol == letter) return next;
        }
        const int made = static_cast<int>(nodes_.size());
        node(at).children.emplace_back(letter, made);
        nodes_.emplace_back();
        return made;
    }

    Node& node(int at) { return nodes_[static_cast<std::size_t>(at)]; }

    std::vector<Node> nodes_;
};

/// What the next character belongs to.
enum class Phase : std::uint8_t {
    opener,             // node: letters of the opener written
    name,               // node: in the names' trie; the name is not known yet
    verb,               // node: in the verbs' trie
    group_or_item,      // after the verb and its space
    item,               // after any other space of a clause
    noun,               // node: in the nouns' trie
    first_vowel,        // of a freely spelt word; node: first consonant
    consonant,          // node: first consonant and vowel
    vowel,              // node: first consonant and vowel
    third_or_end,       // node: first consonant and second vowel
    third_vowel,        // node: second vowel
    word_end,           // after a third syllable
    marker,             // node: letters of the marker written
    copy,               // node: letters of the name written again
    after_copy,         // another clause, or the end of the sentence
    sentence_end,       // after the full stop
    particle,           // its consonant, as the first one of a group
    particle_vowel,     // node: the particle's consonant
    after_particle,     // close, or go on
    particle_or_group,  // after the space that follows the first particle
    last_particle,      // its consonant, as the last one of a group
    after_group         // the space after the outermost group
};

/// Where the innermost open bracket stands: before its inner group, after it, or at its last particle.
enum class Stage : std::uint8_t { first, inner_done, last };

struct State {
    Phase phase = Phase::opener;
    int node = 0;
    int name = 0;      // the name that the next copy repeats
    int items = 0;     // of this clause so far
    int brackets = 0;  // open kinds, innermost last, as digits 1 to 3 to the base 4
    Stage stage = Stage::first;

    std::uint64_t key() const {
        std::uint64_t packed = static_cast<std::uint64_t>(phase);
        for (const auto& [value, bits] : {std::pair{node, 12}, {name, 6}, {items, 4}, {brackets, 6}}) {
            packed = packed << bits | static_cast<std::uint64_t>(value);
        }
        return packed << 2 | static_cast<std::uint64_t>(stage);
    }
};

int depth(int brackets) {
    return brackets == 0 ? 0 : 1 + depth(brackets / 4);
}
int innermost(int brackets) {
    return brackets % 4 - 1;
}

using Ways = std::vector<SourceArc<State>>;

int vowel_pair(int consonant, int vowel) {
    return consonant * static_cast<int>(spelling::kVowels.size()) + vowel;
}
int consonant_of(int pair) {
    return pair / static_cast<int>(spelling::kVowels.size());
}
int vowel_of(int pair) {
    return pair % static_cast<int>(spelling::kVowels.size());
}

class Grammar {
 public:
    Grammar() : names_(lexicon().names), verbs_(lexicon().verbs), nouns_(lexicon().nouns) {}

    Ways ways_on(const State& state) const {
        switch (state.phase) {
            case Phase::opener:
                return spelt(state, kOpener, at(state, Phase::name));
            case Phase::name:
                return name(state);
            case Phase::verb:
                return in_trie(state, verbs_, at(state, Phase::group_or_item));
            case Phase::group_or_item:
                return group_or_item(state);
            case Phase::item:
                return item(state);
            case Phase::noun:
                return in_trie(state, nouns_, after_item(state));
            case Phase::first_vowel:
            case Phase::consonant:
            case Phase::vowel:
            case Phase::third_or_end:
            case Phase::third_vowel:
            case Phase::word_end:
                return free_word(state);
            case Phase::marker:
                return spelt(state, kMarker, at(state, Phase::copy));
            case Phase::copy:
                return spelt(state, lexicon().names[static_cast<std::size_t>(state.name)].letters,
                             at(state, Phase::after_copy));
            case Phase::after_copy:
                return {{' ', 1, at(state, Phase::verb)}, {'.', 1, State{Phase::sentence_end}}};
            case Phase::sentence_end:
                return {{' ', 3, State{}}, {'\n', 1, State{}}};
            case Phase::particle:
            case Phase::last_particle:
                return particle(state);
            case Phase::particle_vowel:
                return particle_vowel(state);
            case Phase::after_particle:
                return after_particle(state);
            case Phase::particle_or_group:
                return particle_or_group(state);
            case Phase::after_group:
                return {{' ', 1, at(state, Phase::item)}};
        }
        return {};
    }

 private:
    static State at(State state, Phase phase, int node = 0) {
        state.phase = phase;
        state.node = node;
        return state;
    }

    static State after_item(State state) {
        ++state.items;
        return at(state, Phase::item);
    }

    /// The next letter of `letters`, of which `node` are written.
    static Ways spelt(const State& state, std::string_view letters, const State& after) {
        const bool last = state.node + 1 == static_cast<int>(letters.size());
        return {
            {letters[static_cast<std::size_t>(state.node)], 1, last ? after : at(state, state.phase, state.node + 1)}};
    }

    static Ways in_trie(const State& state, const Trie& trie, const State& after) {
        Ways ways;
        const Trie::Node& node = trie[state.node];
        for (const auto& [letter, child] : node.children) {
            ways.push_back({letter, trie[child].weight, at(state, state.phase, child)});
        }
        if (node.word >= 0) ways.push_back({' ', node.end_weight, after});
        return ways;
    }

    Ways name(const State& state) const {
        State after = at(state, Phase::verb);
        after.name = std::max(0, names_[state.node].word);
        return in_trie(state, names_, after);
    }

    /// A group of any kind as often as none.
    Ways group_or_item(const State& state) const {
        Ways ways = item(state);
        std::uint32_t total = 0;
        for (const auto& way : ways) total += way.weight;
        for (int kind = 0; kind < 3; ++kind) ways.push_back(opening(state, kind, total / 3));
        return ways;
    }

    /// The marker, so that every number of items up to kMostItems is equally likely, or else an item: a freely spelt
    /// word (2 of 3) or a noun. An item weighs 12 * nouns in all, for each item that may still come.
    Ways item(const State& state) const {
        const auto left = static_cast<std::uint32_t>(kMostItems - state.items);
        const std::uint32_t nouns = nouns_[0].weight;
        State marker = at(state, Phase::marker, 1);
        marker.items = 0;
        Ways ways{{kMarker.front(), 12 * nouns, marker}};
        if (left == 0) return ways;
        for (int i = 0; i < static_cast<int>(spelling::kConsonants.size()); ++i) {
            ways.push_back(
                {spelling::kConsonants[static_cast<std::size_t>(i)], nouns * left, at(state, Phase::first_vowel, i)});
        }
        for (const auto& [letter, child] : nouns_[0].children) {
            ways.push_back({letter, 4 * nouns_[child].weight * left, at(state, Phase::noun, child)});
        }
        return ways;
    }

    static Ways free_word(const State& state) {
        using namespace spelling;
        Ways ways;
        const auto letters = [&](std::string_view alphabet, const std::vector<Choice>& choices, auto next) {
            for (const Choice& choice : choices) {
                ways.push_back({alphabet[static_cast<std::size_t>(choice.letter)], choice.weight, next(choice.letter)});
            }
        };
        const int first = consonant_of(state.node);
        switch (state.phase) {
            case Phase::first_vowel:
                for (int v = 0; v < static_cast<int>(kVowels.size()); ++v) {
                    ways.push_back({kVowels[static_cast<std::size_t>(v)], 1,
                                    at(state, Phase::consonant, vowel_pair(state.node, v))});
                }
                break;
            case Phase::consonant:
                letters(kConsonants, second_consonants(first),
                        [&](int) { return at(state, Phase::vowel, state.node); });
                break;
            case Phase::vowel:
                letters(kVowels, second_vowels(first, vowel_of(state.node)),
                        [&](int v) { return at(state, Phase::third_or_end, vowel_pair(first, v)); });
                break;
            case Phase::third_or_end:
                ways.push_back({' ', 4, after_item(state)});
                letters(kConsonants, third_consonants(first),
                        [&](int) { return at(state, Phase::third_vowel, vowel_of(state.node)); });
                break;
            case Phase::third_vowel:
                letters(kVowels, third_vowels(state.node), [&](int) { return at(state, Phase::word_end); });
                break;
            default:
                ways.push_back({' ', 1, after_item(state)});
        }
        return ways;
    }

    static SourceArc<State> opening(State state, int kind, std::uint32_t weight) {
        state.brackets = state.brackets * 4 + kind + 1;
        state.stage = Stage::first;
        return {kOpen[static_cast<std::size_t>(kind)], weight, at(state, Phase::particle)};
    }

    static SourceArc<State> closing(State state, std::uint32_t weight) {
        const char symbol = kClose[static_cast<std::size_t>(innermost(state.brackets))];
        state.brackets /= 4;
        state.stage = state.brackets == 0 ? Stage::first : Stage::inner_done;
        return {symbol, weight, at(state, state.brackets == 0 ? Phase::after_group : Phase::after_particle)};
    }

    static Ways particle(const State& state) {
        State after = state;
        if (state.phase != Phase::particle) after.stage = Stage::last;
        Ways ways;
        for (int i = 0; i < static_cast<int>(spelling::kConsonants.size()); ++i) {
            ways.push_back({spelling::kConsonants[static_cast<std::size_t>(i)], 1, at(after, Phase::particle_vowel)});
        }
        return ways;
    }

    static Ways particle_vowel(const State& state) {
        const std::string_view vowels = kBracketVowels[static_cast<std::size_t>(innermost(state.brackets))];
        const State after = at(state, Phase::after_particle);
        return {{vowels[0], 3, after}, {vowels[1], 1, after}};
    }

    static Ways after_particle(const State& state) {
        switch (state.stage) {
            case Stage::first:
                return {closing(state, 2), {' ', 3, at(state, Phase::particle_or_group)}};
            case Stage::inner_done:
                return {closing(state, 1), {' ', 1, at(state, Phase::last_particle)}};
            default:
                return {closing(state, 1)};
        }
    }

    static Ways particle_or_group(const State& state) {
        Ways ways = particle(state);
        if (depth(state.brackets) < kDeepest) {
            for (int kind = 0; kind < 3; ++kind) ways.push_back(opening(state, kind, 4));
        }
        return ways;
    }

    Trie names_;
    Trie verbs_;
    Trie nouns_;
};

}  // namespace

Source positional_language() {
    const Grammar grammar;
    return compile_source(State{}, [&](const State& state) { return grammar.ways_on(state); });
}

}  // namespace ropelab
