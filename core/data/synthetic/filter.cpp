#include "core/data/synthetic/filter.h"

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

}  // namespace ropelab
