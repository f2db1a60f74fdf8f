#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace ropelab {

/// One way on from a state: the character that is written, how often (of the sum of the state's weights), and the
/// state after it. Weights are whole numbers, so that drawing is the same on every machine.
template <class State>
struct SourceArc {
    char symbol;
    std::uint32_t weight;
    State next;
};

/// A finite source of characters in which state and character determine the next state. From the start every text
/// therefore has at most one parse, and the entropy rate has a closed form.
class Source {
 public:
    using Arc = SourceArc<std::int32_t>;

    /// Row s holds the ways on from state s; state 0 is the start. Throws std::invalid_argument for a row without arcs,
    /// a weight of 0, a row with one character twice, a weight sum of 2^32 or more, a next state that does not exist,
    /// and a state that cannot be reached from the start or from which the start cannot be reached.
    explicit Source(const std::vector<std::vector<Arc>>& rows);

    static constexpr std::int32_t kStart = 0;
    static constexpr std::int32_t kNowhere = -1;

    std::int32_t size() const { return static_cast<std::int32_t>(totals_.size()); }
    std::span<const Arc> arcs(std::int32_t state) const;
    std::uint32_t total_weight(std::int32_t state) const { return totals_[static_cast<std::size_t>(state)]; }
    /// The arc of `state` that writes `symbol`, or null.
    const Arc* find(std::int32_t state, char symbol) const;
    /// The state after `symbol`, or kNowhere.
    std::int32_t next(std::int32_t state, char symbol) const;
    double probability(std::int32_t state, const Arc& arc) const {
        return static_cast<double>(arc.weight) / total_weight(state);
    }

 private:
    std::vector<Arc> arcs_;
    std::vector<std::size_t> first_;  // (states + 1): where each state's arcs begin
    std::vector<std::uint32_t> totals_;
};

/// The share of all characters that is written from each state, in an endless text: (states), sums to 1. Exact but for
/// rounding: the expected visits between two returns to the start, over their sum.
std::vector<double> stationary_distribution(const Source& source);

/// Nats per character: the mean over `stationary` of the entropy of the next character.
double entropy_rate(const Source& source, std::span<const double> stationary);

/// Numbers the states that can be reached from `start` and gives the source of them. `ways_on(state)` lists a state's
/// arcs; State has `std::uint64_t key() const`, different for different states.
template <class State, class WaysOn>
Source compile_source(const State& start, WaysOn ways_on) {
    std::unordered_map<std::uint64_t, std::int32_t> numbers{{start.key(), Source::kStart}};
    std::vector<State> states{start};
    std::vector<std::vector<Source::Arc>> rows;
    for (std::size_t at = 0; at < states.size(); ++at) {
        const std::vector<SourceArc<State>> ways = ways_on(State(states[at]));
        std::vector<Source::Arc> row;
        row.reserve(ways.size());
        for (const auto& way : ways) {
            const auto [entry, is_new] = numbers.try_emplace(way.next.key(), static_cast<std::int32_t>(states.size()));
            if (is_new) states.push_back(way.next);
            row.push_back({way.symbol, way.weight, entry->second});
        }
        rows.push_back(std::move(row));
    }
    return Source(rows);
}

}  // namespace ropelab
