#include "core/data/synthetic/local_language.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/synthetic/lexicon.h"

namespace ropelab {
namespace {

struct Successor {
    char character;
    std::uint32_t weight;
};

struct Row {
    char character;
    std::vector<Successor> successors;
};

/// Returns the Markov chain: for each character its possible successors with their weights. Row 0 is the start.
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

/// The state of the chain: the previous character.
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

}  // namespace ropelab
