#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "core/plan/parts/relative.h"
#include "core/plan/stage.h"
#include "core/rope/frequencies.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// Channels i and i + D/2 of a head with D channels (the canonical pairing, core/rope/rotation.h).
struct RotaryPair {
    bool rotates = false;
    double frequency = 0;  // radians per token; 0 if the pair does not rotate
    double slope = 0;      // d ln frequency / d of the number that training adds (Rotary::Shift)
    double decay = 0;      // ln ζ/scale_base of xPos (formula 42)

    bool operator==(const RotaryPair&) const = default;
};

/// Rotation of queries and keys. Its forward pass is in core/engine/attention/rotary.cpp.
struct Rotary {
    /// `decaying` is xPos (formula 42), whose decay multiplies queries and keys separately; `fourier` is FoPE (formula
    /// 62), which changes the tables of cos and sin only.
    enum class Kind { plain, decaying, fourier };
    /// What "rotary.shift" adds to: ln θ by a schedule or trained, per model, layer or head, or the logarithm of each
    /// frequency.
    enum class Shift { none, schedule, model, layer, head, pair };
    /// What is rounded to bfloat16.
    enum class Rounding { none, tables, positions };

    Kind kind = Kind::plain;
    std::string channels = {};           // which of them rotate: "25 %"; "" if that is not said
    bool is_applied = true;              // false in a layer that is left out
    std::vector<RotaryPair> pairs = {};  // of each head; empty if only the shape is known
    Pairing pairing = Pairing::half;     // of the channels in the model's own weights
    double attention_factor = 1.0;       // multiplies cos and sin of the pairs that rotate
    FrequencySettings settings = {};     // from which the frequencies follow
    Shift shift = Shift::none;
    Rounding rounding = Rounding::none;
    bool stores_tables = true;  // else cos and sin are computed in every pass
    double scale_base = 0;      // of xPos
    double deviation = 0;       // of each of FoPE's coefficients, which are random
    std::int64_t seed = 0;      // of these

    /// Frequencies of the pairs that rotate, and the attention factor.
    void set_frequencies(const FrequencySettings& from);
    /// With another scaling for `length` tokens, and without rotation of the frozen pairs. Throws BadInput for a
    /// scaling if theta changes in training.
    void change(const Scaling& scaling, std::int64_t length, std::span<const std::int64_t> frozen);

    /// Of a head: channel i is channel order[i] in the model's own weights. Empty if each stays where it is.
    std::vector<std::int64_t> order_of_channels() const;
    AnatomyStage stage(const PlanSizes& sizes, const Heads& heads) const;
    /// For latent attention: separate from the heads' own channels.
    AnatomyStage stage_of_channels(const PlanSizes& sizes, Count heads, Count channels) const;
    double kept_per_score() const { return kind == Kind::decaying ? 2.0 : 0.0; }
    bool is_fused() const { return kind != Kind::decaying; }
    bool operator==(const Rotary&) const = default;

 private:
    std::string kind_text() const;  // "RoPE, 25 %"
};

}  // namespace ropelab
