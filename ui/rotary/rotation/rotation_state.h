#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rope/logit.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Where q and k come from: drawn apart, k the same as q, an arrow dragged by hand, k = R_r q (F17), or a trained run.
enum class VectorSource { random, equal, handSet, aimed, trained };

/// What the rotation room shows beside the rotary setup.
struct RotationState {
    // Positions of query and key, in tokens.
    std::int64_t m = 100;
    std::int64_t n = 60;
    /// Where m and n stood before "m + 1000, n + 1000" moved them, which may lead beyond the window.
    struct Place {
        std::int64_t m = 0;
        std::int64_t n = 0;
    };
    std::optional<Place> shiftedFrom = {};

    VectorSource source = VectorSource::random;
    /// Seed of the random vectors, from 1.
    std::int64_t draw = 1;
    /// Of trained ones: which run, head and symbols. Its characters are UTF-8.
    std::string origin = {};
    /// Whether some of q's numbers are not that draw's.
    bool queryByHand = false;
    /// r of F17, in tokens.
    std::int64_t distance = 40;
    // Before rotation, head_dim numbers each.
    std::vector<double> query = {};
    std::vector<double> key = {};

    std::optional<int> lit = {};
    /// The norm at the rim of the large dial, while an arrow is in the hand.
    std::optional<double> heldRim = {};
    // How the helix is turned, in radians.
    double yaw = 0.5;
    double pitch = 0.16;
};

/// The setup with everything that follows from it, as figures read it.
struct RotationScene {
    RotarySetup setup;
    Frequencies frequencies;
    std::vector<ChannelPair> pairs;
    RotationState state;

    /// Takes a setup: positions go into its window, q and k get its size, an aimed k follows its frequencies. Numbers
    /// set by hand stay in their channels; new channels are drawn.
    void take(const RotarySetup& setup, const Frequencies& frequencies);
    /// The same with today's setup, after the state was changed.
    void refit();
    /// Draws q (and k) again from the state's seed.
    void drawVectors();

    /// The lit pair; where none is lit, the middle one of those that turn. nullopt where there is no pair.
    std::optional<int> largePair() const;
    int turningPairs() const { return frequencies.rotary_dim / 2; }
    double frequency(int pair) const { return frequencies.inverse_frequencies[static_cast<std::size_t>(pair)]; }
    /// A pair's two numbers as a point of the plane, before rotation and at its position.
    std::complex<double> query(int pair) const { return inPlane(state.query, pair); }
    std::complex<double> key(int pair) const { return inPlane(state.key, pair); }
    std::complex<double> turnedQuery(int pair) const;
    std::complex<double> turnedKey(int pair) const;
    /// Sets a pair's numbers so that its arrow, at its position, points to `tip`. The vectors are then hand-set.
    void setTurnedQuery(int pair, std::complex<double> tip);
    void setTurnedKey(int pair, std::complex<double> tip);
    /// The logit at today's positions (F7).
    LogitSplit split() const;

 private:
    std::complex<double> inPlane(const std::vector<double>& vector, int pair) const;
    void setInPlane(std::vector<double>& vector, int pair, std::complex<double> value) const;
};

/// The scene that the room opens with.
RotationScene standardScene(const RotarySetup& setup);

}  // namespace ropelab::ui
