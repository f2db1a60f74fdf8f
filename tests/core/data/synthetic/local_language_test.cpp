#include "core/data/synthetic/rules.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/data/synthetic/language.h"
#include "tests/core/data/synthetic/documentation.h"

namespace ropelab {
namespace {

using Chain = std::map<char, std::map<char, double>>;

/// Reads the documented table. Each line contains a character and its successors with their weights; "_" denotes the
/// space and "/" the newline.
Chain documented_chain() {
    const auto character = [](char code) { return code == '_' ? ' ' : code == '/' ? '\n' : code; };
    Chain chain;
    for (const std::string& line : documentation::block_under("### Chain")) {
        const auto words = documentation::words_of(line);
        double total = 0;
        for (std::size_t i = 1; i < words.size(); ++i) total += std::stod(words[i].substr(1));
        for (std::size_t i = 1; i < words.size(); ++i) {
            chain[character(words[0][0])][character(words[i][0])] = std::stod(words[i].substr(1)) / total;
        }
    }
    return chain;
}

TEST(LocalLanguage, DependsOnThePreviousCharacterOnly) {
    const Source source = local_language();
    std::map<char, std::set<std::int32_t>> states_after;
    for (std::int32_t state = 0; state < source.size(); ++state) {
        for (const Source::Arc& arc : source.arcs(state)) states_after[arc.character].insert(arc.next);
    }
    EXPECT_EQ(states_after.size(), 29U);
    for (const auto& [character, states] : states_after) EXPECT_EQ(states.size(), 1U) << character;
}

TEST(LocalLanguage, MatchesTheDocumentedChain) {
    const Source source = local_language();
    const Chain chain = documented_chain();
    ASSERT_EQ(chain.size(), 29U);
    EXPECT_EQ(source.size(), 29);
    for (std::int32_t state = 0; state < source.size(); ++state) {
        for (const Source::Arc& arc : source.arcs(state)) {
            const auto& row = chain.at(arc.character);
            ASSERT_EQ(source.arcs(arc.next).size(), row.size()) << arc.character;
            for (const Source::Arc& next : source.arcs(arc.next)) {
                EXPECT_NEAR(source.probability(arc.next, next), row.at(next.character), 1e-15) << arc.character;
            }
        }
    }
}

TEST(LocalLanguage, HasTheEntropyRateOfAMarkovChain) {
    // The entropy rate is the mean entropy of the rows over the stationary distribution, which is computed here by
    // repeated averaging.
    const Chain chain = documented_chain();
    std::map<char, double> stationary;
    for (const auto& [character, row] : chain) stationary[character] = 1.0 / 29;
    for (int round = 0; round < 5000; ++round) {
        std::map<char, double> image;
        for (const auto& [character, row] : chain) {
            for (const auto& [next, probability] : row) image[next] += stationary[character] * probability;
        }
        for (auto& [character, probability] : stationary) probability = (probability + image[character]) / 2;
    }
    double rate = 0;
    for (const auto& [character, row] : chain) {
        for (const auto& [next, probability] : row) rate -= stationary[character] * probability * std::log(probability);
    }
    EXPECT_NEAR(entropy_rate(Language::local), rate, 1e-12);
}

TEST(LocalLanguage, HasTheSameLossAtEveryPosition) {
    // The previous character contains all information, so the floor equals the chain's loss at every position.
    const Chain chain = documented_chain();
    const std::string text = generate_text(Language::local, 9, 6401);
    const EntropyFloor floor = language_floor(Language::local, text, 32, {});
    for (std::size_t t = 0; t < 32; ++t) {
        double loss = 0;
        for (std::size_t begin = 0; begin < 6400; begin += 32) {
            loss -= std::log(chain.at(text[begin + t]).at(text[begin + t + 1]));
        }
        EXPECT_NEAR(floor.loss_by_position[t], loss / 200, 1e-12) << t;
    }
}

}  // namespace
}  // namespace ropelab
