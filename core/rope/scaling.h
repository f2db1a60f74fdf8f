#pragma once

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ropelab {

/// How a model's frequencies are changed for a longer context.
enum class ScalingMethod {
    none,
    linear,        // position interpolation (F18)
    ntk,           // NTK-aware (F19)
    dynamic,       // dynamic NTK (F20): depends on the current length
    ntk_by_parts,  // the YaRN paper's ramp, over turns in the window (F21)
    yarn,          // as Hugging Face codes it: the ramp over the pair index (F22)
    llama3,        // F23
    longrope,      // F24: depends on the current length
};

/// Every method with the word that texts, flags and menus use, in the order above.
struct ScalingName {
    ScalingMethod method;
    std::string_view word;   // "ntk-by-parts"
    std::string_view title;  // "NTK-by-parts"
};
const std::array<ScalingName, 8>& scaling_names();
std::string_view word_of(ScalingMethod method);
/// Throws BadInput for an unknown word, naming the nearest known one.
ScalingMethod parse_scaling(std::string_view word);

/// A method with its parameters; each method reads those that its formula names. The defaults are Hugging Face's.
struct Scaling {
    ScalingMethod method = ScalingMethod::none;
    /// Target context over training context, s ≥ 1.
    double factor = 1.0;
    /// The context L that the model was trained at; 0: what the setup calls its context.
    double original_context = 0;
    /// Turns in the window above which a pair is kept, and below which it is divided (F21's β and α, F22).
    double beta_fast = 32.0;
    double beta_slow = 1.0;
    /// Whether the ends of F22's ramp are rounded to whole pairs.
    bool truncate = true;
    double low_freq_factor = 1.0;   // F23
    double high_freq_factor = 4.0;  // F23
    /// Wins over what the method computes; read by ntk_by_parts (which computes none: 1), yarn and longrope.
    std::optional<double> attention_factor = {};
    /// DeepSeek's pair: where both are set and not 0, yarn's attention factor is
    /// (0.1·mscale·ln s + 1) / (0.1·mscale_all_dim·ln s + 1).
    std::optional<double> mscale = {};
    std::optional<double> mscale_all_dim = {};
    /// F24, one number a rotated pair. Longer than the training context takes the second list.
    std::vector<double> short_factors = {};
    std::vector<double> long_factors = {};

    bool operator==(const Scaling&) const = default;
};

/// What a method makes of plain frequencies.
struct Scaled {
    std::vector<double> inverse_frequencies;
    /// What cos and sin are multiplied by.
    double attention_factor = 1.0;
};

/// F18–F24. `plain`: a head's frequencies before scaling, fastest first, zeros (F4's stopped pairs) at the end, which
/// stay 0; `dimension`: d in those formulas (d_r for slice, the head dimension for truncate); `theta` the base;
/// `context` the model's own context, in tokens; `length` the current length l, 0 meaning `context` (F20, F24 only).
/// F20 changes nothing where l ≤ L; F24 takes the long list where l > L; so a model as Hugging Face builds it, before
/// it has read anything, has length L. A dimension of 2 or less has one pair, which F19 and F20 leave as it is.
/// Throws BadInput for a parameter out of range or a list of the wrong length, naming it.
Scaled scaled(std::span<const double> plain, int dimension, double theta, const Scaling& scaling, double context,
              double length = 0);

/// The ends of F22's ramp as pair indices, clipped as Hugging Face does (`low` ≥ 0, `high` ≤ dimension − 1): below
/// `low` a pair is kept, above `high` it is divided. Throws BadInput as `scaled` does.
struct Ramp {
    double low = 0;
    double high = 0;
};
Ramp yarn_ramp(int dimension, double theta, double context, const Scaling& scaling);

}  // namespace ropelab
