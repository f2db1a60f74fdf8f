#include "core/data/synthetic/positional_language.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/synthetic/lexicon.h"

namespace ropelab {
namespace {

constexpr std::string_view kOpener = "one ";
constexpr std::string_view kMarker = "and ";
constexpr int kMaxItems = 7;
constexpr int kMaxDepth = 3;

constexpr std::string_view kOpen = "([<";
constexpr std::string_view kClose = ")]>";
/// The two possible vowels of the particles directly inside each kind of bracket; the first one is more frequent.
constexpr std::array<std::string_view, 3> kBracketVowels{"ae", "io", "ua"};

/// A list of words as a prefix tree. Node 0 is the root.
class Trie {
 public:
    struct Node {
        std::vector<std::pair<char, int>> children;
        std::uint32_t weight = 0;      // total weight of the words with this prefix
        std::uint32_t end_weight = 0;  // weight of the word that ends at this node
        int word = -1;                 // index of the word that ends at this node; -1 if none does
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
        for (const auto& [character, next] : node(at).children) {
            if (character == letter) return next;
        }
        const int added = static_cast<int>(nodes_.size());
        node(at).children.emplace_back(letter, added);
        nodes_.emplace_back();
        return added;
    }

    Node& node(int at) { return nodes_[static_cast<std::size_t>(at)]; }

    std::vector<Node> nodes_;
};

/// The part of a sentence that the next character belongs to. "node:" describes PositionalState::node in that phase.
enum class Phase : std::uint8_t {
    opener,             // the opener; node: number of its letters generated so far
    name,               // the name; node: node in the prefix tree of names
    verb,               // a verb; node: node in the prefix tree of verbs
    group_or_item,      // follows the verb and its space
    item,               // follows any other space of a clause
    noun,               // a noun; node: node in the prefix tree of nouns
    first_vowel,        // first vowel of a freely spelled word; node: first consonant
    consonant,          // second consonant; node: first consonant and vowel
    vowel,              // second vowel; node: first consonant and vowel
    third_or_end,       // third consonant or the word's end; node: first consonant and second vowel
    third_vowel,        // third vowel; node: second vowel
    word_end,           // the space after a third syllable
    marker,             // the marker; node: number of its letters generated so far
    copy,               // the copy of the name; node: number of its letters generated so far
    after_copy,         // a further clause or the end of the sentence
    sentence_end,       // the space or newline after the full stop
    particle,           // consonant of a group's first particle
    particle_vowel,     // a particle's vowel; node: the particle's consonant
    after_particle,     // the closing bracket, or a space
    particle_or_group,  // follows the space after the first particle
    last_particle,      // consonant of a group's last particle
    after_group         // the space after the outermost group
};

/// Progress within the innermost open bracket: before its inner group, after its inner group, or at its last particle.
enum class Stage : std::uint8_t { first, inner_done, last };

struct PositionalState {
    Phase phase = Phase::opener;
    int node = 0;
    int name = 0;      // index of the name that the next copy repeats
    int items = 0;     // number of items in this clause so far
    int brackets = 0;  // kinds of the open brackets as base-4 digits 1 to 3, innermost last
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

using Arcs = std::vector<SourceArc<PositionalState>>;

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

    Arcs arcs_of(const PositionalState& state) const {
        switch (state.phase) {
            case Phase::opener:
                return spelled(state, kOpener, at(state, Phase::name));
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
                return spelled(state, kMarker, at(state, Phase::copy));
            case Phase::copy:
                return spelled(state, lexicon().names[static_cast<std::size_t>(state.name)].letters,
                               at(state, Phase::after_copy));
            case Phase::after_copy:
                return {{' ', 1, at(state, Phase::verb)}, {'.', 1, PositionalState{Phase::sentence_end}}};
            case Phase::sentence_end:
                return {{' ', 3, PositionalState{}}, {'\n', 1, PositionalState{}}};
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
    static PositionalState at(PositionalState state, Phase phase, int node = 0) {
        state.phase = phase;
        state.node = node;
        return state;
    }

    static PositionalState after_item(PositionalState state) {
        ++state.items;
        return at(state, Phase::item);
    }

    /// Returns the arc for the next letter of `letters`, of which state.node have been generated.
    static Arcs spelled(const PositionalState& state, std::string_view letters, const PositionalState& after) {
        const bool last = state.node + 1 == static_cast<int>(letters.size());
        return {
            {letters[static_cast<std::size_t>(state.node)], 1, last ? after : at(state, state.phase, state.node + 1)}};
    }

    static Arcs in_trie(const PositionalState& state, const Trie& trie, const PositionalState& after) {
        Arcs arcs;
        const Trie::Node& node = trie[state.node];
        for (const auto& [letter, child] : node.children) {
            arcs.push_back({letter, trie[child].weight, at(state, state.phase, child)});
        }
        if (node.word >= 0) arcs.push_back({' ', node.end_weight, after});
        return arcs;
    }

    Arcs name(const PositionalState& state) const {
        PositionalState after = at(state, Phase::verb);
        after.name = std::max(0, names_[state.node].word);
        return in_trie(state, names_, after);
    }

    /// Returns the arcs after a verb: with probability 1/2 a group of any kind, else an item or the marker.
    Arcs group_or_item(const PositionalState& state) const {
        Arcs arcs = item(state);
        std::uint32_t total = 0;
        for (const auto& arc : arcs) total += arc.weight;
        for (int kind = 0; kind < 3; ++kind) arcs.push_back(opening(state, kind, total / 3));
        return arcs;
    }

    /// Returns the arcs for the marker and for an item, which is a freely spelled word (2/3) or a noun (1/3). The
    /// marker's weight is 12 * nouns and that of all items 12 * nouns * (number of items still possible), so that every
    /// number of items from 0 to kMaxItems is equally likely.
    Arcs item(const PositionalState& state) const {
        const auto left = static_cast<std::uint32_t>(kMaxItems - state.items);
        const std::uint32_t nouns = nouns_[0].weight;
        PositionalState marker = at(state, Phase::marker, 1);
        marker.items = 0;
        Arcs arcs{{kMarker.front(), 12 * nouns, marker}};
        if (left == 0) return arcs;
        for (int i = 0; i < static_cast<int>(spelling::kConsonants.size()); ++i) {
            arcs.push_back(
                {spelling::kConsonants[static_cast<std::size_t>(i)], nouns * left, at(state, Phase::first_vowel, i)});
        }
        for (const auto& [letter, child] : nouns_[0].children) {
            arcs.push_back({letter, 4 * nouns_[child].weight * left, at(state, Phase::noun, child)});
        }
        return arcs;
    }

    static Arcs free_word(const PositionalState& state) {
        using namespace spelling;
        Arcs arcs;
        const auto letters = [&](std::string_view alphabet, const std::vector<Choice>& choices, auto next) {
            for (const Choice& choice : choices) {
                arcs.push_back({alphabet[static_cast<std::size_t>(choice.letter)], choice.weight, next(choice.letter)});
            }
        };
        const int first = consonant_of(state.node);
        switch (state.phase) {
            case Phase::first_vowel:
                for (int v = 0; v < static_cast<int>(kVowels.size()); ++v) {
                    arcs.push_back({kVowels[static_cast<std::size_t>(v)], 1,
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
                arcs.push_back({' ', 4, after_item(state)});
                letters(kConsonants, third_consonants(first),
                        [&](int) { return at(state, Phase::third_vowel, vowel_of(state.node)); });
                break;
            case Phase::third_vowel:
                letters(kVowels, third_vowels(state.node), [&](int) { return at(state, Phase::word_end); });
                break;
            default:
                arcs.push_back({' ', 1, after_item(state)});
        }
        return arcs;
    }

    static SourceArc<PositionalState> opening(PositionalState state, int kind, std::uint32_t weight) {
        state.brackets = state.brackets * 4 + kind + 1;
        state.stage = Stage::first;
        return {kOpen[static_cast<std::size_t>(kind)], weight, at(state, Phase::particle)};
    }

    static SourceArc<PositionalState> closing(PositionalState state, std::uint32_t weight) {
        const char character = kClose[static_cast<std::size_t>(innermost(state.brackets))];
        state.brackets /= 4;
        state.stage = state.brackets == 0 ? Stage::first : Stage::inner_done;
        return {character, weight, at(state, state.brackets == 0 ? Phase::after_group : Phase::after_particle)};
    }

    static Arcs particle(const PositionalState& state) {
        PositionalState after = state;
        if (state.phase != Phase::particle) after.stage = Stage::last;
        Arcs arcs;
        for (int i = 0; i < static_cast<int>(spelling::kConsonants.size()); ++i) {
            arcs.push_back({spelling::kConsonants[static_cast<std::size_t>(i)], 1, at(after, Phase::particle_vowel)});
        }
        return arcs;
    }

    static Arcs particle_vowel(const PositionalState& state) {
        const std::string_view vowels = kBracketVowels[static_cast<std::size_t>(innermost(state.brackets))];
        const PositionalState after = at(state, Phase::after_particle);
        return {{vowels[0], 3, after}, {vowels[1], 1, after}};
    }

    static Arcs after_particle(const PositionalState& state) {
        switch (state.stage) {
            case Stage::first:
                return {closing(state, 2), {' ', 3, at(state, Phase::particle_or_group)}};
            case Stage::inner_done:
                return {closing(state, 1), {' ', 1, at(state, Phase::last_particle)}};
            default:
                return {closing(state, 1)};
        }
    }

    static Arcs particle_or_group(const PositionalState& state) {
        Arcs arcs = particle(state);
        if (depth(state.brackets) < kMaxDepth) {
            for (int kind = 0; kind < 3; ++kind) arcs.push_back(opening(state, kind, 4));
        }
        return arcs;
    }

    Trie names_;
    Trie verbs_;
    Trie nouns_;
};

}  // namespace

Source positional_language() {
    const Grammar grammar;
    return compile_source(PositionalState{}, [&](const PositionalState& state) { return grammar.arcs_of(state); });
}

}  // namespace ropelab
