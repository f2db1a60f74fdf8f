#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ropelab {

/// The probability of an arc is its weight divided by the sum of the weights of the state's arcs. Weights are integers,
/// so that sampling gives the same result on every machine.
template <class State>
struct SourceArc {
    char character;
    std::uint32_t weight;
    State next;
};

/// A Markov source. State and character determine the next state, so every text that begins at the start state has at
/// most one parse, and the entropy rate has a closed form.
class Source {
 public:
    using Arc = SourceArc<std::int32_t>;

    /// Row s contains the arcs of state s; state 0 is the start. Throws std::invalid_argument for a row without arcs, a
    /// weight of 0, a row that has a character twice, a weight sum of 2^32 or more, a next state that does not exist,
    /// and a state that cannot be reached from the start or cannot reach the start.
    explicit Source(const std::vector<std::vector<Arc>>& rows);

    static constexpr std::int32_t kStart = 0;
    static constexpr std::int32_t kNowhere = -1;

    std::int32_t size() const { return static_cast<std::int32_t>(totals_.size()); }
    std::span<const Arc> arcs(std::int32_t state) const;
    std::uint32_t total_weight(std::int32_t state) const { return totals_[static_cast<std::size_t>(state)]; }
    const Arc* find(std::int32_t state, char character) const;
    /// kNowhere if `character` is not possible.
    std::int32_t next(std::int32_t state, char character) const;
    double probability(std::int32_t state, const Arc& arc) const {
        return static_cast<double>(arc.weight) / total_weight(state);
    }

 private:
    std::vector<Arc> arcs_;
    std::vector<std::size_t> first_;  // (states + 1): index of each state's first arc
    std::vector<std::uint32_t> totals_;
};

/// The fraction of the characters of an infinite text that each state generates; (states), sums to 1. Exact: the
/// expected number of visits between two returns to the start, divided by the sum of these numbers.
std::vector<double> stationary_distribution(const Source& source);

double entropy_rate(const Source& source, std::span<const double> stationary);

/// From `start`. State must have `std::uint64_t key() const`, unique for each state.
template <class State, class ArcsOf>
Source compile_source(const State& start, ArcsOf arcs_of) {
    std::unordered_map<std::uint64_t, std::int32_t> numbers{{start.key(), Source::kStart}};
    std::vector<State> states{start};
    std::vector<std::vector<Source::Arc>> rows;
    for (std::size_t at = 0; at < states.size(); ++at) {
        const std::vector<SourceArc<State>> arcs = arcs_of(State(states[at]));
        std::vector<Source::Arc> row;
        row.reserve(arcs.size());
        for (const auto& arc : arcs) {
            const auto [entry, is_new] = numbers.try_emplace(arc.next.key(), static_cast<std::int32_t>(states.size()));
            if (is_new) states.push_back(arc.next);
            row.push_back({arc.character, arc.weight, entry->second});
        }
        rows.push_back(std::move(row));
    }
    return Source(rows);
}

/// The states with a probability above 0, each listed once, and their probabilities, which sum to 1.
struct Belief {
    std::vector<std::int32_t> states;
    std::vector<double> probabilities;
};

/// `distribution` has one entry per state.
Belief belief_of(std::span<const double> distribution);

/// The optimal predictor: it applies Bayes' rule to one character at a time (the forward algorithm of hidden Markov
/// models), without approximation. An object must not be shared between threads; the source must outlive it.
class Filter {
 public:
    explicit Filter(const Source& source);

    double probability(const Belief& belief, char character) const;
    /// `belief` becomes the posterior; returns the probability of `character`. If that is 0, `belief` is empty.
    double advance(Belief& belief, char character);

 private:
    const Source& source_;
    std::vector<std::int32_t> slot_;  // (states): a state's index in the belief that is being built, or -1
};

/// In nats, (context) entries, averaged over the consecutive sequences of `text` that language_floor
/// (core/data/synthetic/language.h) describes. `stationary` (states) is the state distribution at the start of every
/// sequence. Empty if `cancelled` (optional) returns true. Throws BadInput for a context below 1, a text shorter than
/// context + 1, or a text that the source cannot generate.
std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled);

}  // namespace ropelab
