#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/data/generated/random.h"
#include "core/data/generated/source.h"

namespace ropelab::toy {

/// A small grammar in which characters leave the state in doubt for a while: 'a' may come from four of its five states.
inline std::vector<std::vector<Source::Arc>> rows() {
    return {{{'a', 1, 1}, {'b', 2, 2}},
            {{'a', 3, 3}, {'c', 1, 0}},
            {{'a', 1, 4}, {'b', 1, 2}, {'c', 2, 3}},
            {{'a', 5, 0}, {'b', 2, 1}},
            {{'c', 1, 0}, {'b', 6, 4}}};
}

/// The stationary shares by a way that shares nothing with the program's: repeated averaging of the distribution with
/// its image.
inline std::vector<double> stationary() {
    const auto table = rows();
    std::vector<double> shares(table.size(), 1.0 / static_cast<double>(table.size()));
    for (int round = 0; round < 20000; ++round) {
        std::vector<double> image(shares.size(), 0.0);
        for (std::size_t state = 0; state < table.size(); ++state) {
            double total = 0;
            for (const auto& arc : table[state]) total += arc.weight;
            for (const auto& arc : table[state]) {
                image[static_cast<std::size_t>(arc.next)] += shares[state] * arc.weight / total;
            }
        }
        for (std::size_t state = 0; state < shares.size(); ++state) shares[state] = (shares[state] + image[state]) / 2;
    }
    return shares;
}

/// The probability that `text` is written from `state` on: the product along its only path.
inline double probability_from(std::size_t state, std::string_view text) {
    double probability = 1;
    const auto table = rows();
    for (const char symbol : text) {
        double total = 0;
        double weight = 0;
        std::size_t next = 0;
        for (const auto& arc : table[state]) {
            total += arc.weight;
            if (arc.symbol == symbol) {
                weight = arc.weight;
                next = static_cast<std::size_t>(arc.next);
            }
        }
        probability *= weight / total;
        state = next;
    }
    return probability;
}

/// The probability of `text` from an unknown place in the language: the sum over all states in which it may begin.
inline double probability_of(std::string_view text) {
    static const std::vector<double> shares = stationary();
    double sum = 0;
    for (std::size_t state = 0; state < shares.size(); ++state) sum += shares[state] * probability_from(state, text);
    return sum;
}

/// A text that the grammar writes.
inline std::string text(const Source& source, std::size_t characters) {
    CounterRandom random(5);
    std::string written;
    std::int32_t state = Source::kStart;
    while (written.size() < characters) {
        std::uint32_t rest = random.below(source.total_weight(state));
        for (const Source::Arc& arc : source.arcs(state)) {
            if (rest < arc.weight) {
                written += arc.symbol;
                state = arc.next;
                break;
            }
            rest -= arc.weight;
        }
    }
    return written;
}

}  // namespace ropelab::toy
