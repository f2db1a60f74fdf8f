#include "core/data/generated/local_language.h"

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/data/generated/lexicon.h"

namespace ropelab {
namespace {

struct Successor {
    char symbol;
    std::uint32_t weight;
};

struct Row {
    char symbol;
    std::vector<Successor> successors;
};

/// The chain: what may follow each character. Row 0 is the start.
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
    // Each consonant has a vowel that nearly always follows it, and the two next ones in the ring as exceptions.
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

/// The state of the chain is the character before.
struct State {
    char symbol;
    std::uint64_t key() const { return static_cast<unsigned char>(symbol); }
};

}  // namespace

Source local_language() {
    const std::vector<Row> rows = chain();
    return compile_source(State{rows.front().symbol}, [&](const State& state) {
        std::vector<SourceArc<State>> ways;
        for (const Row& row : rows) {
            if (row.symbol != state.symbol) continue;
            for (const Successor& next : row.successors) ways.push_back({next.symbol, next.weight, {next.symbol}});
        }
        return ways;
    });
}

}  // namespace ropelab
