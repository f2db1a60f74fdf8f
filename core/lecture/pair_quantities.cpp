#include <algorithm>
#include <cmath>

#include "core/lecture/quantity_table.h"
#include "core/rope/context.h"
#include "core/rope/encodings.h"
#include "core/rope/scaling.h"
#include "core/rope/window_reach.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

/// Returns the index of the pair that the arguments name. Throws BadInput if the setup does not have it.
std::size_t pair_index(const QuantityInput& input) {
    const std::int64_t pair = input.arguments.whole("pair");
    const auto count = static_cast<std::int64_t>(input.frequencies.inverse_frequencies.size());
    if (pair >= count) {
        throw BadInput("There is no pair " + std::to_string(pair) +
                       (count == 0 ? "; the setup rotates no channels."
                                   : "; the pairs of the setup are 0 to " + std::to_string(count - 1) + "."));
    }
    return static_cast<std::size_t>(pair);
}

double frequency_of(const QuantityInput& input) {
    return input.frequencies.inverse_frequencies[pair_index(input)];
}

int dimension_of(const QuantityInput& input) {
    return input.setup.partial == Partial::slice ? input.frequencies.rotary_dim : input.setup.head_dim;
}

double periods_of(const QuantityInput& input) {
    return frequency_of(input) * static_cast<double>(input.arguments.whole("distance")) / two_pi;
}

nlohmann::json angle(const QuantityInput& input) {
    const double periods = periods_of(input);
    const double degrees = 360 * (periods - std::round(periods));  // −180 to 180
    return degrees;
}

nlohmann::json plain_wavelength(const QuantityInput& input) {
    const std::size_t pair = pair_index(input);
    return finite_or_null(wavelengths(frequencies(plain_settings(input.setup)))[pair]);
}

nlohmann::json pairs_beyond(const QuantityInput& input) {
    return input.frequencies.rotary_dim / 2 -
           complete_pairs(input.frequencies, static_cast<double>(input.arguments.whole("L")));
}

nlohmann::json scaled_ratio(const QuantityInput& input) {
    const std::size_t pair = pair_index(input);
    const double plain = frequencies(plain_settings(input.setup)).inverse_frequencies[pair];
    return finite_or_null(input.frequencies.inverse_frequencies[pair] / plain);
}

nlohmann::json ramp_at(const QuantityInput& input) {
    const auto pair = static_cast<double>(pair_index(input));
    if (input.setup.scaling.method != ScalingMethod::yarn) {
        throw BadInput("yarn_ramp needs a setup with scaling=yarn.");
    }
    return yarn_ramp_weight(pair, yarn_ramp(dimension_of(input), input.setup.theta,
                                            static_cast<double>(input.setup.context), input.setup.scaling));
}

nlohmann::json receptive_field(const QuantityInput& input) {
    constexpr std::int64_t most_layers = 10000;
    const std::int64_t layers = input.arguments.whole("layers");
    if (layers > most_layers) {
        throw BadInput("The number of layers is " + std::to_string(layers) + ", but it must be at most 10,000.");
    }
    const std::vector<std::int64_t> windows =
        layer_windows(layers, input.setup.attention_window, input.arguments.whole_or("full_every", 0));
    return receptive_fields(windows, input.setup.context).front();
}

nlohmann::json alibi_slope(const QuantityInput& input) {
    const std::int64_t head = input.arguments.whole("head");
    if (head >= input.setup.heads) {
        throw BadInput("There is no head " + std::to_string(head) + "; the setup has " +
                       std::to_string(input.setup.heads) + " heads, counted from 0.");
    }
    return alibi_slopes(static_cast<std::size_t>(input.setup.heads))[static_cast<std::size_t>(head)];
}

}  // namespace

std::vector<Quantity> pair_quantities() {
    return {
        {{"rotary_dim", "", "channels", "Rotary dimension d_r: the number of channels that are rotated."},
         [](const QuantityInput& input) -> nlohmann::json { return input.frequencies.rotary_dim; }},
        {{"pairs", "", "pairs", "Number of rotated pairs, d_r/2."},
         [](const QuantityInput& input) -> nlohmann::json { return input.frequencies.rotary_dim / 2; }},
        {{"frequency", "(pair)", "radians per token", "Frequency ω of a pair, with the scaling; 0 for a frozen pair."},
         [](const QuantityInput& input) -> nlohmann::json { return frequency_of(input); }},
        {{"wavelength", "(pair)", "tokens", "Wavelength 2π/ω of a pair, with the scaling; none for a frozen pair."},
         [](const QuantityInput& input) { return finite_or_null(two_pi / frequency_of(input)); }},
        {{"plain_wavelength", "(pair)", "tokens", "Wavelength of a pair without the scaling."}, plain_wavelength},
        {{"pairs_beyond", "(L)", "pairs",
          "Number of rotated pairs whose wavelength exceeds L tokens; frozen pairs are not counted."},
         pairs_beyond},
        {{"complete_pairs", "(L)", "pairs", "Number of pairs that complete a full period within L tokens."},
         [](const QuantityInput& input) -> nlohmann::json {
             return complete_pairs(input.frequencies, static_cast<double>(input.arguments.whole("L")));
         }},
        {{"angle", "(pair, distance)", "degrees",
          "Angle by which a pair is rotated over a distance in tokens, without whole periods: −180 to 180."},
         angle},
        {{"turns", "(pair, distance)", "periods", "Number of periods of a pair over a distance in tokens."},
         [](const QuantityInput& input) -> nlohmann::json { return periods_of(input); }},
        {{"base_digit", "", "", "Base β = θ^(2/d) of the digits that the pairs represent; d is d_r for slice."},
         [](const QuantityInput& input) -> nlohmann::json {
             return digit_base(input.setup.theta, dimension_of(input));
         }},
        {{"digit", "(pair, m)", "", "Digit of the position m in base β: floor(m/β^pair) mod β."},
         [](const QuantityInput& input) -> nlohmann::json {
             return position_digit(static_cast<double>(input.arguments.whole("m")), static_cast<int>(pair_index(input)),
                                   digit_base(input.setup.theta, dimension_of(input)));
         }},
        {{"scaled_ratio", "(pair)", "", "Frequency of a pair with the scaling divided by its frequency without it."},
         scaled_ratio},
        {{"attention_factor", "", "", "Factor by which cos and sin are multiplied; 1 without context extension."},
         [](const QuantityInput& input) -> nlohmann::json { return input.frequencies.attention_factor; }},
        {{"yarn_ramp", "(pair)", "",
          "Weight with which YaRN interpolates a pair: 0 keeps the frequency, 1 divides it by the scaling factor."},
         ramp_at},
        {{"alibi_slope", "(head)", "per token", "ALiBi's slope of a head of the setup; heads are counted from 0."},
         alibi_slope},
        {{"alibi_bias", "(head, distance)", "", "ALiBi's addition to the logit at a distance: −slope · distance."},
         [](const QuantityInput& input) -> nlohmann::json {
             return -alibi_slope(input).get<double>() * static_cast<double>(input.arguments.whole("distance"));
         }},
        {{"window_reach", "(layers)", "tokens",
          "Largest distance over which information moves through layers with the setup's attention window W: "
          "layers · (W − 1)."},
         [](const QuantityInput& input) -> nlohmann::json {
             if (input.setup.attention_window == 0) throw BadInput("window_reach needs a setup with attention_window.");
             return input.arguments.whole("layers") * (input.setup.attention_window - 1);
         }},
        {{"receptive_field", "(layers[, full_every])", "tokens",
          "Number of tokens, itself included, that can change a token's output after layers with the setup's attention "
          "window; every full_every-th layer attends to the whole context (default: none)."},
         receptive_field},
    };
}

}  // namespace ropelab
