#include "core/rope/scaling.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

void check_at_least(double value, double least, const char* what) {
    if (!(value >= least) || !std::isfinite(value)) {
        throw BadInput(std::string(what) + " is " + number_text(value) + ", but it must be " + number_text(least) +
                       " or more.");
    }
}

void check_positive(double value, const char* what) {
    if (!(value > 0.0) || !std::isfinite(value)) {
        throw BadInput(std::string(what) + " is " + number_text(value) + ", but it must be above 0.");
    }
}

/// L of the formulas, in tokens.
double training_context(const Scaling& scaling, double context) {
    check_at_least(scaling.original_context, 0, "The original context");
    const double length = scaling.original_context > 0 ? scaling.original_context : context;
    if (!(length > 0.0) || !std::isfinite(length)) {
        throw BadInput("The scaling " + std::string(word_of(scaling.method)) +
                       " needs a training context above 0 tokens, but the context is " + number_text(length) + ".");
    }
    return length;
}

void check_betas(const Scaling& scaling) {
    check_positive(scaling.beta_fast, "beta_fast");
    check_positive(scaling.beta_slow, "beta_slow");
    if (scaling.beta_fast < scaling.beta_slow) {
        throw BadInput("beta_fast is " + number_text(scaling.beta_fast) + ", but it must not be below beta_slow (" +
                       number_text(scaling.beta_slow) + ").");
    }
}

/// By `ratio`^(d/(d − 2)) (formulas 19 and 20): the frequency of pair i is multiplied by ratio^(−2i/(d − 2)).
void change_base(std::vector<double>& frequencies, int dimension, double ratio) {
    if (dimension <= 2) return;  // the one pair has frequency 1 at every base
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        frequencies[i] *= std::pow(ratio, -2.0 * static_cast<double>(i) / (dimension - 2));
    }
}

/// ω → γ·ω + (1 − γ)·ω/factor. weight_of(i, ω) returns the weight γ of pair i, 0 to 1.
template <typename WeightOf>
void blend(std::vector<double>& frequencies, double factor, const WeightOf& weight_of) {
    for (std::size_t i = 0; i < frequencies.size(); ++i) {
        const double weight = frequencies[i] > 0 ? weight_of(i, frequencies[i]) : 0.0;
        frequencies[i] *= weight + (1.0 - weight) / factor;
    }
}

void scale_by_parts(std::vector<double>& frequencies, const Scaling& scaling, double context) {
    check_betas(scaling);
    const double length = training_context(scaling, context);
    blend(frequencies, scaling.factor, [&](std::size_t, double frequency) {
        const double periods = length * frequency / two_pi;
        if (periods < scaling.beta_slow) return 0.0;
        if (periods >= scaling.beta_fast) return 1.0;
        return (periods - scaling.beta_slow) / (scaling.beta_fast - scaling.beta_slow);
    });
}

void scale_yarn(std::vector<double>& frequencies, int dimension, double theta, const Scaling& scaling, double context) {
    const Ramp ramp = yarn_ramp(dimension, theta, context, scaling);
    blend(frequencies, scaling.factor,
          [&](std::size_t i, double) { return 1.0 - yarn_ramp_weight(static_cast<double>(i), ramp); });
}

void scale_llama3(std::vector<double>& frequencies, const Scaling& scaling, double context) {
    check_positive(scaling.low_freq_factor, "low_freq_factor");
    check_positive(scaling.high_freq_factor, "high_freq_factor");
    const double width = scaling.high_freq_factor - scaling.low_freq_factor;
    if (width < 0) {
        throw BadInput("high_freq_factor is " + number_text(scaling.high_freq_factor) +
                       ", but it must not be below low_freq_factor (" + number_text(scaling.low_freq_factor) + ").");
    }
    const double length = training_context(scaling, context);
    blend(frequencies, scaling.factor, [&](std::size_t, double frequency) {
        const double above = length * frequency / two_pi - scaling.low_freq_factor;
        if (width == 0) return above < 0 ? 0.0 : 1.0;  // a step, as in Llama 4 Scout
        return std::clamp(above / width, 0.0, 1.0);
    });
}

void check_factors(const std::vector<double>& factors, std::size_t pairs, const char* what) {
    if (factors.size() != pairs) {
        throw BadInput(std::string(what) + " has " + std::to_string(factors.size()) +
                       " numbers, but it must have one per rotated pair, which is " + std::to_string(pairs) + ".");
    }
    for (double factor : factors) check_positive(factor, (std::string("A number in ") + what).c_str());
}

void scale_longrope(std::vector<double>& frequencies, const Scaling& scaling, double context, double length) {
    const auto is_rotated = [](double frequency) { return frequency > 0; };
    const auto pairs = static_cast<std::size_t>(std::ranges::count_if(frequencies, is_rotated));
    check_factors(scaling.short_factors, pairs, "short_factors");
    check_factors(scaling.long_factors, pairs, "long_factors");
    const bool longer = length > training_context(scaling, context);
    const std::vector<double>& factors = longer ? scaling.long_factors : scaling.short_factors;
    auto factor = factors.begin();
    for (double& frequency : frequencies) {
        if (is_rotated(frequency)) frequency /= *factor++;
    }
}

/// Applies unless Scaling::attention_factor is set.
double computed_attention_factor(const Scaling& scaling, double context) {
    const double log_factor = std::log(scaling.factor);
    if (scaling.method == ScalingMethod::yarn) {
        const double mscale = scaling.mscale.value_or(0);
        const double mscale_all_dim = scaling.mscale_all_dim.value_or(0);
        check_at_least(mscale, 0, "mscale");
        check_at_least(mscale_all_dim, 0, "mscale_all_dim");
        // Hugging Face transformers ignores mscale and mscale_all_dim unless both are set.
        if (mscale == 0 || mscale_all_dim == 0) return 0.1 * log_factor + 1.0;
        return (0.1 * mscale * log_factor + 1.0) / (0.1 * mscale_all_dim * log_factor + 1.0);
    }
    if (scaling.method == ScalingMethod::longrope && scaling.factor > 1.0) {
        const double length = training_context(scaling, context);
        if (length <= 1.0) {
            throw BadInput("The original context is " + number_text(length) +
                           " tokens, but the attention factor of longrope needs more than 1 token.");
        }
        return std::sqrt(1.0 + log_factor / std::log(length));
    }
    return 1.0;
}

bool has_attention_factor(ScalingMethod method) {
    return method == ScalingMethod::ntk_by_parts || method == ScalingMethod::yarn || method == ScalingMethod::longrope;
}

}  // namespace

const std::array<ScalingName, 8>& scaling_names() {
    static constexpr std::array<ScalingName, 8> names = {{
        {ScalingMethod::none, "none", "None"},
        {ScalingMethod::linear, "linear", "Linear"},
        {ScalingMethod::ntk, "ntk", "NTK-aware"},
        {ScalingMethod::dynamic, "dynamic", "Dynamic NTK"},
        {ScalingMethod::ntk_by_parts, "ntk-by-parts", "NTK-by-parts"},
        {ScalingMethod::yarn, "yarn", "YaRN"},
        {ScalingMethod::llama3, "llama3", "Llama 3"},
        {ScalingMethod::longrope, "longrope", "LongRoPE"},
    }};
    return names;
}

std::string_view word_of(ScalingMethod method) {
    return scaling_names().at(static_cast<std::size_t>(method)).word;
}

ScalingMethod parse_scaling(std::string_view word) {
    std::vector<std::string_view> words;
    for (const ScalingName& name : scaling_names()) {
        if (name.word == word) return name.method;
        words.push_back(name.word);
    }
    throw BadInput("\"" + std::string(word) + "\" is not a scaling" + hint(word, words, "\""));
}

Ramp yarn_ramp(int dimension, double theta, double context, const Scaling& scaling) {
    check_betas(scaling);
    const double length = training_context(scaling, context);
    const auto pair_with_periods = [&](double periods) {
        return dimension * std::log(length / (two_pi * periods)) / (2.0 * std::log(theta));
    };
    Ramp ramp{pair_with_periods(scaling.beta_fast), pair_with_periods(scaling.beta_slow)};
    if (scaling.truncate) ramp = {std::floor(ramp.low), std::ceil(ramp.high)};
    // Hugging Face transformers clips `high` to the number of channels, not of pairs.
    return {std::max(ramp.low, 0.0), std::min(ramp.high, dimension - 1.0)};
}

double yarn_ramp_weight(double pair, Ramp ramp) {
    if (ramp.low == ramp.high) ramp.high += 0.001;  // avoids a division by 0, as Hugging Face transformers does
    return std::clamp((pair - ramp.low) / (ramp.high - ramp.low), 0.0, 1.0);
}

Scaled scaled(std::span<const double> plain, int dimension, double theta, const Scaling& scaling, double context,
              double length) {
    Scaled result{{plain.begin(), plain.end()}, 1.0};
    if (scaling.method == ScalingMethod::none) return result;
    check_at_least(scaling.factor, 1, "The factor of context scaling");
    check_at_least(length, 0, "The current sequence length");
    if (length == 0) length = context;

    std::vector<double>& frequencies = result.inverse_frequencies;
    switch (scaling.method) {
        case ScalingMethod::none:
            break;
        case ScalingMethod::linear:
            for (double& frequency : frequencies) frequency /= scaling.factor;
            break;
        case ScalingMethod::ntk:
            change_base(frequencies, dimension, scaling.factor);
            break;
        case ScalingMethod::dynamic: {
            const double trained = training_context(scaling, context);
            change_base(frequencies, dimension,
                        scaling.factor * std::max(length, trained) / trained - (scaling.factor - 1.0));
            break;
        }
        case ScalingMethod::ntk_by_parts:
            scale_by_parts(frequencies, scaling, context);
            break;
        case ScalingMethod::yarn:
            scale_yarn(frequencies, dimension, theta, scaling, context);
            break;
        case ScalingMethod::llama3:
            scale_llama3(frequencies, scaling, context);
            break;
        case ScalingMethod::longrope:
            scale_longrope(frequencies, scaling, context, length);
            break;
    }
    if (has_attention_factor(scaling.method)) {
        result.attention_factor = computed_attention_factor(scaling, context);
        if (scaling.attention_factor) {
            check_positive(*scaling.attention_factor, "The attention factor");
            result.attention_factor = *scaling.attention_factor;
        }
    }
    return result;
}

}  // namespace ropelab
