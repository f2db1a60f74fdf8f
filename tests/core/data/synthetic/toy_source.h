#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/data/synthetic/random.h"
#include "core/data/synthetic/source.h"

namespace ropelab::toy {

/// Returns a small grammar in which a character does not determine the state: four of the five states generate 'a'.
inline std::vector<std::vector<Source::Arc>> rows() {
    return {{{'a', 1, 1}, {'b', 2, 2}},
            {{'a', 3, 3}, {'c', 1, 0}},
            {{'a', 1, 4}, {'b', 1, 2}, {'c', 2, 3}},
            {{'a', 5, 0}, {'b', 2, 1}},
            {{'c', 1, 0}, {'b', 6, 4}}};
}

/// Returns the stationary distribution, computed independently of the program: by repeatedly averaging a distribution
/// with the distribution one step later.
inline std::vector<double> stationary() {
    const auto table = rows();
    std::vector<double> distribution(table.size(), 1.0 / static_cast<double>(table.size()));
    for (int round = 0; round < 20000; ++round) {
        std::vector<double> image(distribution.size(), 0.0);
        for (std::size_t state = 0; state < table.size(); ++state) {
            double total = 0;
            for (const auto& arc : table[state]) total += arc.weight;
            for (const auto& arc : table[state]) {
                image[static_cast<std::size_t>(arc.next)] += distribution[state] * arc.weight / total;
            }
        }
        for (std::size_t state = 0; state < distribution.size(); ++state)
            distribution[state] = (distribution[state] + image[state]) / 2;
    }
    return distribution;
}

/// Returns the probability that the grammar generates `text` from `state`: the product along its only path.
inline double probability_from(std::size_t state, std::string_view text) {
    double probability = 1;
    const auto table = rows();
    for (const char character : text) {
        double total = 0;
        double weight = 0;
        std::size_t next = 0;
        for (const auto& arc : table[state]) {
            total += arc.weight;
            if (arc.character == character) {
                weight = arc.weight;
                next = static_cast<std::size_t>(arc.next);
            }
        }
        probability *= weight / total;
        state = next;
    }
    return probability;
}

/// Returns the probability of `text` if its start state is unknown: the sum over all states, weighted by the stationary
/// distribution.
inline double probability_of(std::string_view text) {
    static const std::vector<double> distribution = stationary();
    double sum = 0;
    for (std::size_t state = 0; state < distribution.size(); ++state)
        sum += distribution[state] * probability_from(state, text);
    return sum;
}

/// Returns a text of the given length that the grammar generates with a fixed random seed.
inline std::string text(const Source& source, std::size_t characters) {
    CounterRandom random(5);
    std::string generated;
    std::int32_t state = Source::kStart;
    while (generated.size() < characters) {
        std::uint32_t rest = random.below(source.total_weight(state));
        for (const Source::Arc& arc : source.arcs(state)) {
            if (rest < arc.weight) {
                generated += arc.character;
                state = arc.next;
                break;
            }
            rest -= arc.weight;
        }
    }
    return generated;
}

}  // namespace ropelab::toy
