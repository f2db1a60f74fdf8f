#pragma once

#include <string>
#include <string_view>

#include "core/rope/frequencies.h"
#include "core/rope/number_format.h"
#include "core/rope/rotation.h"

namespace ropelab {

/// What a rotary embedding is made of, with what the other position encodings need of its model; every view follows
/// one of these.
struct RotarySetup {
    int head_dim = 64;
    double theta = 10000.0;
    double fraction = 1.0;
    Partial partial = Partial::slice;
    Pairing pairing = Pairing::half;
    /// The window in tokens, and the current length where a scaling depends on it.
    std::int64_t context = 1024;
    Scaling scaling = {};
    /// How the cos/sin table is stored.
    NumberFormat precision = NumberFormat::float32;
    /// Attention heads of a layer: ALiBi has a slope for each, and heads · head_dim is the width of the model.
    std::int64_t heads = 8;
    /// Tokens that a token attends to, itself included (a sliding window); 0: the whole context.
    std::int64_t attention_window = 0;

    bool operator==(const RotarySetup&) const = default;
};

/// What frequencies() reads of a setup.
FrequencySettings frequency_settings(const RotarySetup& setup);
/// The same without scaling.
FrequencySettings plain_settings(const RotarySetup& setup);

/// d_r (F10).
int rotary_dim(const RotarySetup& setup);

/// Throws BadInput, with one sentence that names the value, unless the setup makes sense: head dimension even, 2 to
/// 4,096; theta above 1 and at most 1e15; fraction 0 to 1; context 1 to 2^30; heads 1 to 65,536; attention window 0 to
/// 2^30; scaling as `scaled` wants it.
void check(const RotarySetup& setup);

/// A line that can be copied and pasted: "theta=500k head_dim=128 fraction=25% context=8192 partial=truncate
/// scaling=yarn factor=4". The first four always stand; the others where they are not the default: pairing, precision,
/// heads, attention_window, and Scaling's members by their names, `truncate` (of YaRN's ramp) being yes or no. What
/// parse_setup reads back is equal to the last bit.
std::string text_of(const RotarySetup& setup);
/// Reads such a line; what is not named keeps its default. Keys are separated by spaces, commas or line ends, lists by
/// semicolons. Throws BadInput for an unknown key (naming the nearest known one), a value that cannot be read, or a
/// setup that fails check().
RotarySetup parse_setup(std::string_view text);

}  // namespace ropelab
