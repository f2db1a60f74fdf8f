#include "core/data/generated/local_language.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>
#include <string>

#include "core/data/generated/language.h"
#include "tests/core/data/generated/documentation.h"

namespace ropelab {
namespace {

using Chain = std::map<char, std::map<char, double>>;

/// The documented table: on every line a character and its successors with their weights; "_" is the space and "/" the
/// newline.
Chain documented_chain() {
    const auto symbol = [](char written) { return written == '_' ? ' ' : written == '/' ? '\n' : written; };
    Chain chain;
    for (const std::string& line : documentation::block_under("### Chain")) {
        const auto words = documentation::words_of(line);
        double total = 0;
        for (std::size_t i = 1; i < words.size(); ++i) total += std::stod(words[i].substr(1));
        for (std::size_t i = 1; i < words.size(); ++i) {
            chain[symbol(words[0][0])][symbol(words[i][0])] = std::stod(words[i].substr(1)) / total;
        }
    }
    return chain;
}

TEST(LocalLanguage, DependsOnTheCharacterBeforeOnly) {
    const Source source = local_language();
    std::map<char, std::set<std::int32_t>> states_after;
    for (std::int32_t state = 0; state < source.size(); ++state) {
        for (const Source::Arc& arc : source.arcs(state)) states_after[arc.symbol].insert(arc.next);
    }
    EXPECT_EQ(states_after.size(), 29U);
    for (const auto& [symbol, states] : states_after) EXPECT_EQ(states.size(), 1U) << symbol;
}

TEST(LocalLanguage, IsTheDocumentedChain) {
    const Source source = local_language();
    const Chain chain = documented_chain();
    ASSERT_EQ(chain.size(), 29U);
    EXPECT_EQ(source.size(), 29);
    for (std::int32_t state = 0; state < source.size(); ++state) {
        for (const Source::Arc& arc : source.arcs(state)) {
            const auto& row = chain.at(arc.symbol);
            ASSERT_EQ(source.arcs(arc.next).size(), row.size()) << arc.symbol;
            for (const Source::Arc& next : source.arcs(arc.next)) {
                EXPECT_NEAR(source.probability(arc.next, next), row.at(next.symbol), 1e-15) << arc.symbol;
            }
        }
    }
}

TEST(LocalLanguage, HasTheEntropyRateOfAMarkovChain) {
    // The sum over characters of their share times the entropy of their row, with shares found by repeated averaging.
    const Chain chain = documented_chain();
    std::map<char, double> shares;
    for (const auto& [symbol, row] : chain) shares[symbol] = 1.0 / 29;
    for (int round = 0; round < 5000; ++round) {
        std::map<char, double> image;
        for (const auto& [symbol, row] : chain) {
            for (const auto& [next, probability] : row) image[next] += shares[symbol] * probability;
        }
        for (auto& [symbol, share] : shares) share = (share + image[symbol]) / 2;
    }
    double rate = 0;
    for (const auto& [symbol, row] : chain) {
        for (const auto& [next, probability] : row) rate -= shares[symbol] * probability * std::log(probability);
    }
    EXPECT_NEAR(entropy_rate(Language::local), rate, 1e-12);
}

TEST(LocalLanguage, LosesTheSameAtEveryPosition) {
    // One character seen is all there is to know: the floor is the chain's own loss, whatever the position.
    const Chain chain = documented_chain();
    const std::string text = generate_text(Language::local, 9, 6401);
    const Floor floor = language_floor(Language::local, text, 32, {});
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
