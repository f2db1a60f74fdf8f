#pragma once

#include <vector>

#include "core/rope/scaling.h"

namespace ropelab {

/// `slice` spreads the whole spectrum over the first d_r channels (formula 3; Hugging Face, GPT-NeoX). `truncate` keeps
/// the spectrum of the whole head and sets its lowest frequencies to 0 (formula 4; p-RoPE).
enum class Partial { slice, truncate };

/// d_r: the even number nearest to fraction · head_dim, a tie rounded up, at least 2 for a fraction above 0 (formula
/// 10). Throws BadInput for an odd or no head dimension, or a fraction outside [0, 1].
int rotary_dim(int head_dim, double fraction);

struct Frequencies {
    /// d_r: rotated channels.
    int rotary_dim = 0;
    /// ω_i in radians per token, highest first (`inv_freq`): d_r/2 for slice; d/2 for truncate, of which the last are
    /// 0.
    std::vector<double> inverse_frequencies;
    /// Multiplies cos and sin; 1 without context extension.
    double attention_factor = 1.0;
};

struct FrequencySettings {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Scaling scaling = {};
    /// Context of the model and current sequence length, in tokens, for some scalings. 0: see scaled().
    double context = 0;
    double length = 0;
    /// In radians per token, one per rotated pair, instead of those of theta; empty: those of theta.
    std::vector<double> listed = {};

    bool operator==(const FrequencySettings&) const = default;
};

/// Formula 3 (slice) or formula 4 (truncate) with the rounding of formula 10, or the listed ones, then the scaling
/// (formulas 18 to 24). Throws BadInput if the head dimension is odd or not positive, the fraction is not between 0 and
/// 1, theta is not above 1, the listed frequencies are not one per rotated pair or have a scaling that changes theta
/// (NTK, dynamic NTK, YaRN), or scaled() throws.
Frequencies frequencies(const FrequencySettings& settings);

/// ω_i = theta^(−2i/d_r) (formula 3), for importers of other models, which round d_r in their own way.
std::vector<double> slice_frequencies(int rotary_dim, double theta);

/// λ_i = 2π/ω_i in tokens; infinity for a pair that is not rotated.
std::vector<double> wavelengths(const Frequencies& frequencies);

/// β = theta^(2/dimension) (Su 2023): pair i rotates by one full period while digit i counts from 0 to β.
double digit_base(double theta, int dimension);
/// floor(position/base^digit) mod base; digit 0 belongs to the highest frequency. Whole only for a whole base.
double position_digit(double position, int digit, double base);

/// θ′ = theta^(d_r/d), at which slice has the frequencies that truncate has at base `theta` (formula 5).
double coinciding_theta(int head_dim, int rotary_dim, double theta);

}  // namespace ropelab
