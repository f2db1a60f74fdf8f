#pragma once

#include <array>
#include <numbers>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace ropelab {

inline constexpr double two_pi = 2.0 * std::numbers::pi;

enum class ScalingMethod {
    none,
    linear,        // position interpolation (formula 18)
    ntk,           // NTK-aware (formula 19)
    dynamic,       // dynamic NTK (formula 20); depends on the current sequence length
    ntk_by_parts,  // ramp over the number of periods in the context (formula 21)
    yarn,          // ramp over the pair index, as in Hugging Face transformers (formula 22)
    llama3,        // formula 23
    longrope,      // formula 24; depends on the current sequence length
};

/// Then it does not apply to listed frequencies.
constexpr bool changes_theta(ScalingMethod method) {
    return method == ScalingMethod::ntk || method == ScalingMethod::dynamic || method == ScalingMethod::yarn;
}

/// The word stands in files and options, the title in the window.
struct ScalingName {
    ScalingMethod method;
    std::string_view word;   // "ntk-by-parts"
    std::string_view title;  // "NTK-by-parts"
};
const std::array<ScalingName, 8>& scaling_names();
/// "ntk-by-parts".
std::string_view word_of(ScalingMethod method);
/// Throws BadInput if there is none; the message names the most similar word.
ScalingMethod parse_scaling(std::string_view word);

/// A method uses only the parameters in its formula. The defaults are those of Hugging Face transformers.
struct Scaling {
    ScalingMethod method = ScalingMethod::none;
    /// s: target context divided by training context, at least 1.
    double factor = 1.0;
    /// L in tokens of the training; 0 means the context of the setup.
    double original_context = 0;
    /// Periods in the training context (β and α in formulas 21 and 22). The frequency of a pair with more than
    /// beta_fast periods does not change; with fewer than beta_slow periods it is divided by `factor`.
    double beta_fast = 32.0;
    double beta_slow = 1.0;
    /// The ends of YaRN's ramp are rounded to whole pairs (formula 22).
    bool truncate = true;
    double low_freq_factor = 1.0;   // formula 23
    double high_freq_factor = 4.0;  // formula 23
    /// Instead of the method's own; for yarn, longrope and ntk_by_parts (whose own attention factor is 1).
    std::optional<double> attention_factor = {};
    /// DeepSeek: if both are set and not 0, yarn's attention factor is (0.1·mscale·ln s + 1) / (0.1·mscale_all_dim·ln s
    /// + 1).
    std::optional<double> mscale = {};
    std::optional<double> mscale_all_dim = {};
    /// Divisors for longrope (formula 24), one per rotated pair; long_factors beyond the training context.
    std::vector<double> short_factors = {};
    std::vector<double> long_factors = {};

    bool operator==(const Scaling&) const = default;
};

struct Scaled {
    std::vector<double> inverse_frequencies;
    double attention_factor = 1.0;
};

/// Applies a scaling to RoPE frequencies (formulas 18 to 24).
///
/// `plain` are the frequencies of a head before scaling, highest first; zeros at the end (frozen pairs of truncate)
/// stay 0. `dimension` is d in the formulas: d_r for slice, the head dimension for truncate. `theta` is the base.
/// `context` is the context length of the model and `length` the current sequence length, both in tokens; a `length` of
/// 0 means `context`. Only dynamic (no change up to the training context) and longrope (other list of divisors beyond
/// the training context) depend on `length`. With a dimension of 2 or less there is one pair, which ntk and dynamic do
/// not change. Throws BadInput if a parameter is out of range or a list has the wrong length; the message names the
/// parameter.
Scaled scaled(std::span<const double> plain, int dimension, double theta, const Scaling& scaling, double context,
              double length = 0);

/// Pair indices (formula 22). Pairs below `low` do not change; those above `high` are divided by the factor.
struct Ramp {
    double low = 0;
    double high = 0;
};
/// Clipped as in transformers: low ≥ 0 and high ≤ dimension − 1. Throws BadInput if a parameter is out of range.
Ramp yarn_ramp(int dimension, double theta, double context, const Scaling& scaling);
/// 0 keeps the pair's frequency, 1 divides it by the scaling factor.
double yarn_ramp_weight(double pair, Ramp ramp);

}  // namespace ropelab
