#pragma once

#include <vector>

#include "core/rope/scaling.h"

namespace ropelab {

/// Method by which a rotary fraction below 1 is applied. `slice` spreads the whole frequency spectrum over the first
/// d_r channels (formula 3; Hugging Face, GPT-NeoX). `truncate` keeps the spectrum of the whole head and sets its
/// lowest frequencies to 0 (formula 4; p-RoPE).
enum class Partial { slice, truncate };

/// Returns the rotary dimension d_r, the number of rotated channels: the even number nearest to fraction · head_dim,
/// where a tie is rounded up, and at least 2 if the fraction is above 0 (formula 10). Throws BadInput if the head
/// dimension is odd or not positive, or if the fraction is not between 0 and 1.
int rotary_dim(int head_dim, double fraction);

/// RoPE frequencies of one head and its attention factor.
struct Frequencies {
    /// Rotary dimension d_r: number of channels that are rotated.
    int rotary_dim = 0;
    /// Angular frequency ω_i of each pair in radians per token, highest first (`inv_freq` in Hugging Face
    /// transformers). It has d_r/2 numbers for slice, and d/2 numbers for truncate, of which the last are 0.
    std::vector<double> inverse_frequencies;
    /// Factor by which cos and sin are multiplied; 1 without context extension.
    double attention_factor = 1.0;
};

/// Parameters from which the frequencies of a head are computed.
struct FrequencySettings {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Scaling scaling = {};
    /// Context length of the model and current sequence length, in tokens. Only some scalings use them. See scaled()
    /// for the meaning of 0.
    double context = 0;
    double length = 0;
    /// Frequencies of the rotated pairs in radians per token, which replace those of theta; empty: those of theta.
    std::vector<double> listed = {};
};

/// Returns the RoPE frequencies of a head: formula 3 (slice) or formula 4 (truncate) with the rounding of formula 10,
/// or the listed ones, then the scaling (formulas 18 to 24). Throws BadInput if the head dimension is odd or not
/// positive, the fraction is not between 0 and 1, theta is not above 1, the listed frequencies are not one per rotated
/// pair or have a scaling that changes theta (NTK, dynamic NTK, YaRN), or scaled() throws.
Frequencies frequencies(const FrequencySettings& settings);

/// Returns the frequencies ω_i = theta^(−2i/d_r) of `rotary_dim` rotated channels (formula 3). Importers of other
/// models use it, because those models round d_r in their own way.
std::vector<double> slice_frequencies(int rotary_dim, double theta);

/// Returns the wavelength λ_i = 2π/ω_i of each pair in tokens; infinity for a pair that is not rotated.
std::vector<double> wavelengths(const Frequencies& frequencies);

/// Returns the base β = theta^(2/dimension) of the numeral system whose digits the pairs represent (Su 2023): pair i
/// rotates by one full period while digit i counts from 0 to β.
double digit_base(double theta, int dimension);
/// Returns digit `digit` of a position in base `base`: floor(position/base^digit) mod base. Digit 0 is the lowest one,
/// which the pair with the highest frequency represents. It is a whole number only if the base is one.
double position_digit(double position, int digit, double base);

/// Returns the base θ′ = theta^(d_r/d) at which slice has the same frequencies as truncate has at base `theta` (formula
/// 5).
double coinciding_theta(int head_dim, int rotary_dim, double theta);

}  // namespace ropelab
