#include "core/data/generated/filter.h"

namespace ropelab {

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

double Filter::probability(const Belief& belief, char symbol) const {
    double sum = 0;
    for (std::size_t i = 0; i < belief.states.size(); ++i) {
        const Source::Arc* arc = source_.find(belief.states[i], symbol);
        if (arc != nullptr) sum += belief.probabilities[i] * source_.probability(belief.states[i], *arc);
    }
    return sum;
}

double Filter::advance(Belief& belief, char symbol) {
    // Written over the old belief from its front: entry `kept` never overtakes entry i, which is being read.
    double sum = 0;
    std::size_t kept = 0;
    for (std::size_t i = 0; i < belief.states.size(); ++i) {
        const Source::Arc* arc = source_.find(belief.states[i], symbol);
        if (arc == nullptr) continue;
        const double mass = belief.probabilities[i] * source_.probability(belief.states[i], *arc);
        sum += mass;
        std::int32_t& slot = slot_[static_cast<std::size_t>(arc->next)];
        if (slot >= 0) {
            belief.probabilities[static_cast<std::size_t>(slot)] += mass;
        } else {
            slot = static_cast<std::int32_t>(kept);
            belief.states[kept] = arc->next;
            belief.probabilities[kept] = mass;
            ++kept;
        }
    }
    belief.states.resize(kept);
    belief.probabilities.resize(kept);
    for (std::size_t i = 0; i < kept; ++i) {
        slot_[static_cast<std::size_t>(belief.states[i])] = -1;
        belief.probabilities[i] /= sum;
    }
    return sum;
}

}  // namespace ropelab
