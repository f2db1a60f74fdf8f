#include "core/data/synthetic/source.h"

#include <algorithm>
#include <bitset>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/base/error.h"

namespace ropelab {

namespace {

[[noreturn]] void refuse(std::size_t state, const char* what) {
    throw std::invalid_argument("state " + std::to_string(state) + " of the source " + what);
}

std::uint32_t checked_total(std::size_t state, const std::vector<Source::Arc>& row, std::size_t states) {
    if (row.empty()) refuse(state, "has no outgoing arc");
    std::bitset<256> seen;
    std::uint64_t total = 0;
    for (const Source::Arc& arc : row) {
        const auto character = static_cast<unsigned char>(arc.character);
        if (seen[character]) refuse(state, "has two arcs for one character");
        seen.set(character);
        if (arc.weight == 0) refuse(state, "has an arc of weight 0");
        if (arc.next < 0 || static_cast<std::size_t>(arc.next) >= states)
            refuse(state, "has an arc to a state that does not exist");
        total += arc.weight;
    }
    if (total > std::numeric_limits<std::uint32_t>::max()) refuse(state, "has weights whose sum exceeds 32 bits");
    return static_cast<std::uint32_t>(total);
}

/// Throws std::invalid_argument otherwise. `neighbors` lists each state's neighbors; `what` is the rest of the message.
void require_all_reachable(const std::vector<std::vector<std::int32_t>>& neighbors, const char* what) {
    std::vector<bool> reached(neighbors.size(), false);
    std::vector<std::size_t> open{static_cast<std::size_t>(Source::kStart)};
    reached[open.front()] = true;
    while (!open.empty()) {
        const std::size_t state = open.back();
        open.pop_back();
        for (const std::int32_t neighbor : neighbors[state]) {
            const auto index = static_cast<std::size_t>(neighbor);
            if (!reached[index]) {
                reached[index] = true;
                open.push_back(index);
            }
        }
    }
    const auto missed = std::find(reached.begin(), reached.end(), false);
    if (missed != reached.end()) refuse(static_cast<std::size_t>(missed - reached.begin()), what);
}

/// Most arcs lead forwards: the reverse postorder of a depth-first search.
std::vector<std::int32_t> forward_order(const Source& source) {
    struct Visit {
        std::int32_t state;
        std::size_t next_arc;
    };
    std::vector<bool> reached(static_cast<std::size_t>(source.size()), false);
    std::vector<std::int32_t> order;
    order.reserve(reached.size());
    std::vector<Visit> path{{Source::kStart, 0}};
    reached[Source::kStart] = true;
    while (!path.empty()) {
        Visit& visit = path.back();
        const auto arcs = source.arcs(visit.state);
        if (visit.next_arc == arcs.size()) {
            order.push_back(visit.state);
            path.pop_back();
            continue;
        }
        const std::int32_t next = arcs[visit.next_arc++].next;
        if (!reached[static_cast<std::size_t>(next)]) {
            reached[static_cast<std::size_t>(next)] = true;
            path.push_back({next, 0});
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

}  // namespace

Source::Source(const std::vector<std::vector<Arc>>& rows) {
    if (rows.empty()) throw std::invalid_argument("a Markov source needs at least one state");
    first_.push_back(0);
    std::vector<std::vector<std::int32_t>> forwards(rows.size());
    std::vector<std::vector<std::int32_t>> backwards(rows.size());
    for (std::size_t state = 0; state < rows.size(); ++state) {
        totals_.push_back(checked_total(state, rows[state], rows.size()));
        for (const Arc& arc : rows[state]) {
            arcs_.push_back(arc);
            forwards[state].push_back(arc.next);
            backwards[static_cast<std::size_t>(arc.next)].push_back(static_cast<std::int32_t>(state));
        }
        first_.push_back(arcs_.size());
    }
    require_all_reachable(forwards, "cannot be reached from the start");
    require_all_reachable(backwards, "never leads back to the start");
}

std::span<const Source::Arc> Source::arcs(std::int32_t state) const {
    const auto index = static_cast<std::size_t>(state);
    return std::span(arcs_).subspan(first_[index], first_[index + 1] - first_[index]);
}

const Source::Arc* Source::find(std::int32_t state, char character) const {
    for (const Arc& arc : arcs(state)) {
        if (arc.character == character) return &arc;
    }
    return nullptr;
}

std::int32_t Source::next(std::int32_t state, char character) const {
    const Arc* arc = find(state, character);
    return arc == nullptr ? kNowhere : arc->next;
}

std::vector<double> stationary_distribution(const Source& source) {
    // Mass 1 leaves the start and is propagated until all of it has returned. One pass in forward order propagates all
    // mass except that in loops which avoid the start, so the rest shrinks geometrically.
    const std::vector<std::int32_t> order = forward_order(source);
    std::vector<double> visits(order.size(), 0.0);
    std::vector<double> waiting(order.size(), 0.0);
    waiting[Source::kStart] = 1;
    double sum = 0;
    double moved = 1;
    while (moved > 1e-18 * sum) {
        moved = 0;
        for (const std::int32_t state : order) {
            const double mass = std::exchange(waiting[static_cast<std::size_t>(state)], 0.0);
            if (mass == 0) continue;
            visits[static_cast<std::size_t>(state)] += mass;
            moved += mass;
            for (const Source::Arc& arc : source.arcs(state)) {
                if (arc.next == Source::kStart) continue;
                waiting[static_cast<std::size_t>(arc.next)] += mass * source.probability(state, arc);
            }
        }
        sum += moved;
    }
    for (double& visit : visits) visit /= sum;
    return visits;
}

double entropy_rate(const Source& source, std::span<const double> stationary) {
    double rate = 0;
    for (std::int32_t state = 0; state < source.size(); ++state) {
        double entropy = 0;
        for (const Source::Arc& arc : source.arcs(state)) {
            const double probability = source.probability(state, arc);
            entropy -= probability * std::log(probability);
        }
        rate += stationary[static_cast<std::size_t>(state)] * entropy;
    }
    return rate;
}

Belief belief_of(std::span<const double> distribution) {
    Belief belief;
    for (std::size_t state = 0; state < distribution.size(); ++state) {
        if (distribution[state] <= 0) continue;
        belief.states.push_back(static_cast<std::int32_t>(state));
        belief.probabilities.push_back(distribution[state]);
    }
    return belief;
}

Filter::Filter(const Source& source) : source_(source), slot_(static_cast<std::size_t>(source.size()), -1) {}

double Filter::probability(const Belief& belief, char character) const {
    double sum = 0;
    for (std::size_t i = 0; i < belief.states.size(); ++i) {
        const Source::Arc* arc = source_.find(belief.states[i], character);
        if (arc != nullptr) sum += belief.probabilities[i] * source_.probability(belief.states[i], *arc);
    }
    return sum;
}

double Filter::advance(Belief& belief, char character) {
    // The new belief overwrites the old one from its front. This is safe because `count` never exceeds i.
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < belief.states.size(); ++i) {
        const Source::Arc* arc = source_.find(belief.states[i], character);
        if (arc == nullptr) continue;
        const double mass = belief.probabilities[i] * source_.probability(belief.states[i], *arc);
        sum += mass;
        std::int32_t& slot = slot_[static_cast<std::size_t>(arc->next)];
        if (slot >= 0) {
            belief.probabilities[static_cast<std::size_t>(slot)] += mass;
        } else {
            slot = static_cast<std::int32_t>(count);
            belief.states[count] = arc->next;
            belief.probabilities[count] = mass;
            ++count;
        }
    }
    belief.states.resize(count);
    belief.probabilities.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        slot_[static_cast<std::size_t>(belief.states[i])] = -1;
        belief.probabilities[i] /= sum;
    }
    return sum;
}

namespace {

/// Most of the work concerns the first characters, where thousands of states are possible; equal beginnings are cached.
class SequenceLosses {
 public:
    SequenceLosses(const Source& source, std::span<const double> stationary)
        : filter_(source), stationary_(belief_of(stationary)) {}

    /// Includes the first character. `offset`: position of the sequence in the text, for error messages.
    void compute(std::string_view sequence, std::size_t offset, std::vector<double>& losses) {
        losses.clear();
        const Belief* known = &stationary_;
        for (std::size_t seen = 1; seen <= sequence.size(); ++seen) {
            if (seen <= kCachedCharacters) {
                const CachedStep& step = cached_step(*known, sequence.substr(0, seen));
                losses.push_back(step.loss);
                known = &step.belief;
            } else {
                if (known != &belief_) belief_ = *known;
                known = &belief_;
                losses.push_back(-std::log(filter_.advance(belief_, sequence[seen - 1])));
            }
            if (known->states.empty()) refuse(sequence[seen - 1], offset + seen - 1);
        }
    }

 private:
    struct CachedStep {
        double loss;
        Belief belief;
    };

    static constexpr std::size_t kCachedCharacters = 2;

    const CachedStep& cached_step(const Belief& before, std::string_view seen) {
        auto entry = cache_.find(std::string(seen));
        if (entry == cache_.end()) {
            CachedStep step{0, before};
            step.loss = -std::log(filter_.advance(step.belief, seen.back()));
            entry = cache_.emplace(seen, std::move(step)).first;
        }
        return entry->second;
    }

    [[noreturn]] static void refuse(char character, std::size_t offset) {
        const bool printable = character > ' ' && character <= '~';
        const std::string shown = printable ? std::string("'") + character + "'"
                                            : "byte " + std::to_string(static_cast<unsigned char>(character));
        throw BadInput("The text is not from this synthetic language: " + shown + " at offset " +
                       std::to_string(offset) + " is not possible in this language.");
    }

    Filter filter_;
    Belief stationary_;
    Belief belief_;
    std::unordered_map<std::string, CachedStep> cache_;
};

}  // namespace

std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled) {
    if (context < 1) {
        throw BadInput("The context is " + std::to_string(context) + ", but it must be at least 1 character.");
    }
    const auto width = static_cast<std::size_t>(context);
    if (text.size() < width + 1) {
        throw BadInput("The text has " + std::to_string(text.size()) + " characters, but a context of " +
                       std::to_string(context) + " needs at least " + std::to_string(width + 1) + ".");
    }
    SequenceLosses sequence_losses(source, stationary);
    std::vector<double> sums(width, 0.0);
    std::vector<double> losses;
    const std::size_t sequences = (text.size() - 1) / width;
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        if (cancelled && cancelled()) return {};
        sequence_losses.compute(text.substr(sequence * width, width + 1), sequence * width, losses);
        for (std::size_t t = 0; t < width; ++t) sums[t] += losses[t + 1];
    }
    for (double& sum : sums) sum /= static_cast<double>(sequences);
    return sums;
}

}  // namespace ropelab
