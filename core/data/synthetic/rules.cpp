#include "core/data/synthetic/rules.h"

#include <algorithm>
#include <array>

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

/// Distinct words. `spell_one(index)` samples the letters of one.
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

namespace {

struct Successor {
    char character;
    std::uint32_t weight;
};

struct Row {
    char character;
    std::vector<Successor> successors;
};

/// For each character its possible successors with their weights. Row 0 is the start.
std::vector<Row> chain() {
    std::vector<Row> rows{
        {'\n', {{'t', 2}, {'s', 1}, {'h', 1}}},
        {' ', {{'k', 8}, {'t', 8}, {'n', 4}, {'b', 4}, {'s', 2}, {'d', 2}, {'g', 1}, {'(', 1}, {'[', 1}, {'<', 1}}},
        {'.', {{' ', 3}, {'\n', 1}}},
        {'(', {{'a', 3}, {'e', 1}}},
        {'[', {{'i', 3}, {'o', 1}}},
        {'<', {{'u', 3}, {'a', 1}}},
        {')', {{' ', 7}, {'.', 1}}},
        {']', {{' ', 7}, {'.', 1}}},
        {'>', {{' ', 7}, {'.', 1}}},
        {'a', {{'m', 27}, {' ', 3}, {'l', 1}, {')', 1}}},
        {'e', {{' ', 27}, {'r', 3}, {'.', 1}, {']', 1}}},
        {'i', {{'l', 27}, {' ', 3}, {'v', 1}, {')', 1}}},
        {'o', {{' ', 27}, {'p', 3}, {'z', 1}, {'>', 1}}},
        {'u', {{'r', 27}, {' ', 3}, {'f', 1}, {'.', 1}}},
    };
    // Each consonant is nearly always followed by one particular vowel, and rarely by one of the next two in the ring.
    std::size_t vowel = 0;
    const auto vowel_after = [&](std::size_t step) {
        return spelling::kVowels[(vowel + step) % spelling::kVowels.size()];
    };
    for (const std::string_view consonants : {spelling::kConsonants, spelling::kNounInitials}) {
        for (const char consonant : consonants) {
            rows.push_back({consonant, {{vowel_after(0), 30}, {vowel_after(1), 1}, {vowel_after(2), 1}}});
            ++vowel;
        }
    }
    return rows;
}

struct LocalState {
    char character;
    std::uint64_t key() const { return static_cast<unsigned char>(character); }
};

}  // namespace

Source local_language() {
    const std::vector<Row> rows = chain();
    return compile_source(LocalState{rows.front().character}, [&](const LocalState& state) {
        std::vector<SourceArc<LocalState>> arcs;
        for (const Row& row : rows) {
            if (row.character != state.character) continue;
            for (const Successor& next : row.successors)
                arcs.push_back({next.character, next.weight, {next.character}});
        }
        return arcs;
    });
}

namespace {

constexpr std::string_view kOpener = "one ";
constexpr std::string_view kMarker = "and ";
constexpr int kMaxItems = 7;
constexpr int kMaxDepth = 3;

constexpr std::string_view kOpen = "([<";
constexpr std::string_view kClose = ")]>";
/// For particles directly inside each kind of bracket; the first one is more frequent.
constexpr std::array<std::string_view, 3> kBracketVowels{"ae", "io", "ua"};

/// Prefix tree. Node 0 is the root.
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

/// The next character's part of a sentence. "node:" describes PositionalState::node in that phase.
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

/// Within the innermost open bracket: before or after its inner group, or at its last particle.
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

    /// For the next letter of `letters`, of which state.node have been generated.
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

    /// After a verb: with probability 1/2 a group of any kind, else an item or the marker.
    Arcs group_or_item(const PositionalState& state) const {
        Arcs arcs = item(state);
        std::uint32_t total = 0;
        for (const auto& arc : arcs) total += arc.weight;
        for (int kind = 0; kind < 3; ++kind) arcs.push_back(opening(state, kind, total / 3));
        return arcs;
    }

    /// An item is a freely spelled word (2/3) or a noun (1/3). The marker's weight is 12 * nouns and that of all items
    /// 12 * nouns * (number of items still possible): all numbers of items are equally likely.
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
