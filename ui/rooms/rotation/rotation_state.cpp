#include "ui/rooms/rotation/rotation_state.h"

#include <algorithm>
#include <cmath>

#include "core/base/random_stream.h"
#include "core/rope/attention/circuit.h"
#include "ui/theme/theme_manager.h"

namespace ropelab::ui {
namespace {

/// From the layout `from` to the layout `to`. The last numbers of `fresh`, in the canonical layout, fill added
/// channels.
std::vector<double> moved(const std::vector<double>& vector, const std::vector<std::int64_t>& from,
                          const std::vector<std::int64_t>& to, std::vector<double> fresh) {
    for (std::size_t c = 0; c < std::min(from.size(), fresh.size()); ++c) {
        const auto channel = static_cast<std::size_t>(from[c]);
        if (channel < vector.size()) fresh[c] = vector[channel];
    }
    return laid_out(fresh, to);
}

}  // namespace

void RotationScene::setSetup(const RotarySetup& newSetup, const Frequencies& newFrequencies) {
    const bool samePairs = !pairs.empty() && newSetup.head_dim == setup.head_dim &&
                           newFrequencies.rotary_dim == frequencies.rotary_dim && newSetup.partial == setup.partial &&
                           newSetup.pairing == setup.pairing;
    setup = newSetup;
    frequencies = newFrequencies;
    if (!samePairs) {
        pairs = channel_pairs(setup.head_dim, frequencies.rotary_dim, setup.partial, setup.pairing);
        channels = canonical_channels(setup.head_dim, frequencies.rotary_dim, setup.partial, setup.pairing);
    }
    const RotationState::Place wished = state.wished.value_or(RotationState::Place{state.m, state.n});
    if (!state.shiftedFrom) {
        state.m = wished.m;
        state.n = wished.n;
    }
    refit();
    const bool isLimited = !state.shiftedFrom && (state.m != wished.m || state.n != wished.n);
    state.wished = isLimited ? std::optional(wished) : std::nullopt;
}

RotationScene RotationScene::withSetup(const RotarySetup& newSetup, const Frequencies& newFrequencies) const {
    RotationScene other = *this;
    other.state.wished.reset();
    RotarySetup longest = newSetup;
    longest.context = std::max(newSetup.context, setup.context);  // so that no position is limited
    other.setSetup(longest, newFrequencies);
    other.setup = newSetup;
    return other;
}

void RotationScene::refit() {
    const std::int64_t last = std::max<std::int64_t>(0, setup.context - 1);
    if (!state.shiftedFrom) {
        state.m = std::clamp<std::int64_t>(state.m, 0, last);
        state.n = std::clamp<std::int64_t>(state.n, 0, last);
    }
    state.distance = std::clamp<std::int64_t>(state.distance, 0, last);
    if (state.channels != channels || state.query.size() != channels.size() || state.key.size() != channels.size()) {
        const auto& from = state.channels.empty() ? channels : state.channels;
        state.query = moved(state.query, from, channels, random_query(state.seed, setup.head_dim));
        state.key = moved(state.key, from, channels, random_key(state.seed, setup.head_dim));
        state.channels = channels;
    }
    if (state.source == VectorSource::equal) {
        state.key = state.query;
    } else if (state.source == VectorSource::aimed) {
        state.key =
            aimed_key(state.query, static_cast<double>(state.distance), frequencies, setup.partial, setup.pairing);
    }
}

void RotationScene::sampleVectors() {
    state.queryEdited = false;
    state.query.clear();
    state.key.clear();
    state.channels.clear();
    refit();
}

std::optional<int> RotationScene::markedPair() const {
    return ThemeManager::instance().leastText() > 0 && !state.highlighted ? std::nullopt : enlargedPair();
}

std::optional<int> RotationScene::enlargedPair() const {
    const int count = static_cast<int>(pairs.size());
    if (state.highlighted && *state.highlighted >= 0 && *state.highlighted < count) {
        return state.highlighted;
    }
    return count == 0 ? std::nullopt : std::optional(std::max(1, rotatedPairs()) / 2);
}

std::complex<double> RotationScene::inPlane(const std::vector<double>& vector, int pair) const {
    const ChannelPair channels = pairs[static_cast<std::size_t>(pair)];
    return {vector[channels.first], vector[channels.second]};
}

void RotationScene::setInPlane(std::vector<double>& vector, int pair, std::complex<double> value) const {
    const ChannelPair channels = pairs[static_cast<std::size_t>(pair)];
    vector[channels.first] = value.real();
    vector[channels.second] = value.imag();
}

PairTerm RotationScene::term(int pair, RotationState::Place place) const {
    return pair_term(query(pair), key(pair), place.m, place.n, frequency(pair), frequencies.attention_factor,
                     setup.head_dim);
}

void RotationScene::setRotatedQuery(int pair, std::complex<double> tip) {
    state.source = VectorSource::handEdited;
    state.queryEdited = true;
    setInPlane(state.query, pair, tip * std::polar(1.0, -static_cast<double>(state.m) * frequency(pair)));
}

void RotationScene::setRotatedKey(int pair, std::complex<double> tip) {
    state.source = VectorSource::handEdited;
    setInPlane(state.key, pair, tip * std::polar(1.0, -static_cast<double>(state.n) * frequency(pair)));
}

LogitSplit RotationScene::split() const {
    return split_logit(state.query, state.key, state.m, state.n, frequencies, setup.partial, setup.pairing);
}

void RotationScene::buildHead(std::int64_t distance, double norm, int fastPairs) {
    state.query =
        with_fast_pairs(circuit_at_distance(0, norm, setup.head_dim, frequencies, setup.partial, setup.pairing),
                        static_cast<std::size_t>(fastPairs), frequencies, setup.partial, setup.pairing)
            .query;
    state.queryEdited = true;
    state.source = VectorSource::aimed;
    state.distance = distance;
    refit();
}

void RotationScene::setPair(int pair, double norm, double phase) {
    state.source = VectorSource::handEdited;
    state.queryEdited = true;
    const double direction = std::arg(key(pair));
    setInPlane(state.key, pair, std::polar(norm, direction));
    setInPlane(state.query, pair, std::polar(norm, direction + phase));
}

int RotationScene::pairsWithNorm() const {
    int last = static_cast<int>(pairs.size());
    while (last > 0 && pairNorm(last - 1) == 0) --last;
    return last;
}

double RotationScene::pairNorm(int pair) const {
    return std::sqrt(std::abs(query(pair)) * std::abs(key(pair)));
}

void RotationScene::scaleNorms(double norm) {
    const double largest = largestNorm();
    for (int pair = 0; pair < static_cast<int>(pairs.size()); ++pair) {
        if (largest > 0) {
            setInPlane(state.query, pair, query(pair) * (norm / largest));
            setInPlane(state.key, pair, key(pair) * (norm / largest));
        } else {
            setInPlane(state.query, pair, norm);
            setInPlane(state.key, pair, norm);
        }
    }
    state.queryEdited = true;
    if (state.source != VectorSource::aimed && state.source != VectorSource::equal)
        state.source = VectorSource::handEdited;
    refit();
}

double RotationScene::largestNorm() const {
    double largest = 0;
    for (int pair = 0; pair < static_cast<int>(pairs.size()); ++pair) largest = std::max(largest, pairNorm(pair));
    return largest;
}

std::vector<double> RotationScene::logits(std::int64_t count) const {
    return circuit_logits(state.query, state.key, frequencies, setup.partial, setup.pairing,
                          static_cast<std::size_t>(count));
}

RotationScene standardScene(const RotarySetup& setup) {
    RotationScene scene;
    scene.setSetup(setup, frequencies(frequency_settings(setup)));
    return scene;
}

}  // namespace ropelab::ui
