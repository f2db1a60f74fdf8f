#pragma once

#include <vector>

#include "core/rope/scaling.h"

namespace ropelab {

/// What a rotary fraction below one does to a head. `slice` spreads the whole spectrum over the first d_r channels
/// (F3: Hugging Face, GPT-NeoX); `truncate` keeps the head's spectrum and stops its slow pairs (F4: p-RoPE).
enum class Partial { slice, truncate };

/// The rotary dimension d_r: the even number nearest to fraction · head_dim, a tie going up; at least 2 where the
/// fraction is above 0 (F10). Throws BadInput for an odd or non-positive head dimension or a fraction outside 0–1.
int rotary_dim(int head_dim, double fraction);

/// Inverse frequencies of one head, in radians per token.
struct Frequencies {
    /// d_r, the number of channels that turn.
    int rotary_dim = 0;
    /// g_i, fastest first: d_r/2 numbers for slice; d/2 for truncate, the last ones 0.
    std::vector<double> inverse_frequencies;
    /// What cos and sin are multiplied by (1 without context extension).
    double attention_factor = 1.0;
};

/// What frequencies are computed from.
struct FrequencySettings {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Scaling scaling = {};
    /// The model's context and the current length in tokens, for scalings that depend on them; 0 as `scaled` says.
    double context = 0;
    double length = 0;
};

/// F3 or F4 with F10's rounding, then F18–F24. Throws BadInput for an odd or non-positive head dimension, a fraction
/// outside 0–1, a theta not above 1, or what `scaled` refuses.
Frequencies frequencies(const FrequencySettings& settings);

/// Slice frequencies of `rotary_dim` channels: g_i = theta^(−2i/d_r), for importers that have a rounding of their own.
std::vector<double> slice_frequencies(int rotary_dim, double theta);

/// λ_i = 2π/g_i in tokens; infinity for a pair that does not turn.
std::vector<double> wavelengths(const Frequencies& frequencies);

/// The base b′ = theta^(d_r/d) at which slice has the frequencies that truncate has at `theta` (F5).
double coinciding_theta(int head_dim, int rotary_dim, double theta);

}  // namespace ropelab
