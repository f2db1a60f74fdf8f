#pragma once

#include <complex>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/rope/attention/sentence.h"
#include "core/rope/logit.h"
#include "core/rope/rotary_setup.h"

namespace ropelab::ui {

/// Sampled independently, k = q, edited by hand, k = R_r q (formula 17), or from a trained run.
enum class VectorSource { random, equal, handEdited, aimed, trained };

/// Pairs whose angles are read.
inline constexpr int kMostHands = 8;

/// The state of the room beside the rotary setup.
struct RotationState {
    // Positions of the query and the key, in tokens.
    std::int64_t m = 100;
    std::int64_t n = 60;
    struct Place {
        std::int64_t m = 0;
        std::int64_t n = 0;
    };
    /// The positions before "m + 1000, n + 1000", which may move m and n beyond the context; nullopt while not shifted.
    std::optional<Place> shiftedFrom = {};
    /// The positions that return with a longer context; nullopt while the context does not limit them.
    std::optional<Place> wished = {};

    VectorSource source = VectorSource::random;
    /// Seed of the random vectors, from 1 on.
    std::int64_t seed = 1;
    /// Describes the run, head and tokens that trained vectors come from, in UTF-8; empty for other sources.
    std::string origin = {};
    /// True if the user edited q after it was sampled.
    bool queryEdited = false;
    /// The aimed distance r of formula 17, in tokens.
    std::int64_t distance = 40;
    // Before rotation, head_dim numbers each.
    std::vector<double> query = {};
    std::vector<double> key = {};
    /// The layout of query and key (canonical_channels); empty: that of the setup.
    std::vector<std::int64_t> channels = {};
    /// The tokens of this text are rotated, and a head built by hand attends to them; UTF-8.
    std::string text = standard_sentence;

    /// With which an angle is read, in degrees, and how many of the fastest pairs are read.
    double accuracy = 10;
    int hands = kMostHands;
    /// The values of the sentence are rotated as well, which RoPE does not do.
    bool rotatesValues = false;

    /// The pair under the mouse, otherwise the selected one.
    std::optional<int> highlighted = {};
    /// The norm at the rim of the enlarged dial while an arrow is dragged; otherwise nullopt.
    std::optional<double> fixedRim = {};
    // Viewing direction of the helix, in radians.
    double yaw = 0.5;
    double pitch = 0.16;
};

/// The input of every figure: setup, its frequencies and channel pairs, and the state of the room.
struct RotationScene {
    RotarySetup setup;
    Frequencies frequencies;
    std::vector<ChannelPair> pairs;
    std::vector<std::int64_t> channels;  // canonical_channels() of the setup
    RotationState state;

    /// Limits the positions to the context, as long as it is that short, resizes q and k to the head dimension and
    /// recomputes an aimed k. Numbers remain in their pairs if the channels of the pairs change; new channels are
    /// sampled.
    void setSetup(const RotarySetup& setup, const Frequencies& frequencies);
    /// Keeps the positions, even beyond the other context, and q and k in the other head dimension. An aimed k is aimed
    /// with the frequencies of the other setup.
    RotationScene withSetup(const RotarySetup& setup, const Frequencies& frequencies) const;
    /// Updates positions, q and k after the state was changed.
    void refit();
    void sampleVectors();

    /// The pair that a picture of all pairs marks: the enlarged one, but in a presentation only one that is pointed at.
    std::optional<int> markedPair() const;
    /// The highlighted pair, or else the middle one of the rotated pairs; nullopt if there is no pair.
    std::optional<int> enlargedPair() const;
    int rotatedPairs() const { return frequencies.rotary_dim / 2; }
    /// In radians per token.
    double frequency(int pair) const { return frequencies.inverse_frequencies[static_cast<std::size_t>(pair)]; }
    /// The two channels of a pair as a complex number, before rotation.
    std::complex<double> query(int pair) const { return inPlane(state.query, pair); }
    std::complex<double> key(int pair) const { return inPlane(state.key, pair); }
    /// All numbers of a pair, from its vectors to its term of the logit, at the current positions.
    PairTerm term(int pair) const { return term(pair, {state.m, state.n}); }
    PairTerm term(int pair, RotationState::Place place) const;
    std::complex<double> rotatedQuery(int pair) const { return term(pair).rotated_query; }
    std::complex<double> rotatedKey(int pair) const { return term(pair).rotated_key; }
    /// The rotated pair becomes `tip`, and the source handEdited.
    void setRotatedQuery(int pair, std::complex<double> tip);
    void setRotatedKey(int pair, std::complex<double> tip);
    /// At the current positions (formula 7).
    LogitSplit split() const;

    // The scene as a head built by hand, in which every token has this q and this k (core/rope/attention/circuit.h).

    /// Norm of every pair of the heads that buildHead() builds.
    static constexpr double kHeadNorm = 8;
    static constexpr int kAllPairs = 1 << 16;
    /// The head attends `distance` tokens back; only its `pairs` fastest pairs have the norm.
    void buildHead(std::int64_t distance, double norm = kHeadNorm, int pairs = kAllPairs);
    /// Number of pairs up to the last one with a norm.
    int pairsWithNorm() const;
    /// Sets the norm of both vectors, and the angle from k to q in radians; k keeps its direction. The source becomes
    /// handEdited.
    void setPair(int pair, double norm, double phase);
    /// √(‖qᵢ‖ ‖kᵢ‖), the norm of the pair of q and of k where both are equal.
    double pairNorm(int pair) const;
    /// Multiplies q and k so that the largest norm of a pair is `norm`; if all are 0, all become `norm`.
    void scaleNorms(double norm);
    /// 0 if there is no pair.
    double largestNorm() const;
    /// At the distances 0 … count − 1.
    std::vector<double> logits(std::int64_t count) const;

 private:
    std::complex<double> inPlane(const std::vector<double>& vector, int pair) const;
    void setInPlane(std::vector<double>& vector, int pair, std::complex<double> value) const;
};

/// A scene in the initial state of the room.
RotationScene standardScene(const RotarySetup& setup);

}  // namespace ropelab::ui
