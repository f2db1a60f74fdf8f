#include <algorithm>
#include <cmath>
#include <complex>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/lecture/quantities/quantity_table.h"
#include "core/rope/attention/circuit.h"
#include "core/rope/attention/key_share.h"
#include "core/rope/attention/sentence.h"
#include "core/rope/context.h"
#include "core/rope/encodings.h"
#include "core/rope/logit.h"
#include "core/rope/number_format.h"
#include "core/rope/reading.h"
#include "core/rope/scaling.h"

namespace ropelab {

namespace {

/// Throws BadInput if the setup does not have the pair.
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
    return wavelengths(frequencies(plain_settings(input.setup)))[pair];
}

nlohmann::json pairs_beyond(const QuantityInput& input) {
    return input.frequencies.rotary_dim / 2 -
           complete_pairs(input.frequencies, static_cast<double>(input.arguments.whole("L")));
}

nlohmann::json scaled_ratio(const QuantityInput& input) {
    const std::size_t pair = pair_index(input);
    const double plain = frequencies(plain_settings(input.setup)).inverse_frequencies[pair];
    return input.frequencies.inverse_frequencies[pair] / plain;
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
        {{"rotary_dim", "", "channels", "Rotary dimension d_r: the number of rotated channels per head."},
         [](const QuantityInput& input) { return input.frequencies.rotary_dim; }},
        {{"pairs", "", "pairs", "Number of rotated pairs of channels, d_r/2."},
         [](const QuantityInput& input) { return input.frequencies.rotary_dim / 2; }},
        {{"frequency", "(pair)", "radians per token",
          "Frequency ω of a pair after the scaling of context extension; 0 for a frozen pair."},
         [](const QuantityInput& input) { return frequency_of(input); }},
        {{"wavelength", "(pair)", "tokens",
          "Wavelength 2π/ω of a pair after the scaling of context extension; \"none\" for a frozen pair (frequency "
          "0)."},
         [](const QuantityInput& input) { return two_pi / frequency_of(input); }},
        {{"plain_wavelength", "(pair)", "tokens", "Wavelength of a pair before the scaling of context extension."},
         plain_wavelength},
        {{"pairs_beyond", "(L)", "pairs",
          "Number of rotated pairs whose wavelength exceeds L tokens; frozen pairs (frequency 0) are not counted."},
         pairs_beyond},
        {{"complete_pairs", "(L)", "pairs", "Number of pairs that complete a full period within L tokens."},
         [](const QuantityInput& input) {
             return complete_pairs(input.frequencies, static_cast<double>(input.arguments.whole("L")));
         }},
        {{"angle", "(pair, distance)", "degrees",
          "Angle by which a pair is rotated over a distance in tokens, reduced by whole periods to −180 to 180."},
         angle},
        {{"turns", "(pair, distance)", "periods", "Number of periods of a pair over a distance in tokens."},
         [](const QuantityInput& input) { return periods_of(input); }},
        {{"base_digit", "", "",
          "Base β = θ^(2/d) of the number system in which each pair represents one digit of the position; d is the "
          "head dimension, or the rotary dimension d_r with partial=slice."},
         [](const QuantityInput& input) { return digit_base(input.setup.theta, dimension_of(input)); }},
        {{"digit", "(pair, m)", "",
          "Digit that a pair represents at position m: floor(m/β^pair) mod β, where β is the value of base_digit."},
         [](const QuantityInput& input) {
             return position_digit(static_cast<double>(input.arguments.whole("m")), static_cast<int>(pair_index(input)),
                                   digit_base(input.setup.theta, dimension_of(input)));
         }},
        {{"scaled_ratio", "(pair)", "",
          "Frequency of a pair with the scaling of context extension divided by its frequency without this scaling."},
         scaled_ratio},
        {{"attention_factor", "", "",
          "Attention factor, by which cos and sin are multiplied; 1 without context extension."},
         [](const QuantityInput& input) { return input.frequencies.attention_factor; }},
        {{"yarn_ramp", "(pair)", "",
          "Weight with which YaRN interpolates the frequency of a pair: 0 keeps the frequency, 1 divides the frequency "
          "by the scaling factor."},
         ramp_at},
        {{"alibi_slope", "(head)", "per token", "ALiBi's slope of a head of the setup; heads are counted from 0."},
         alibi_slope},
        {{"alibi_bias", "(head, distance)", "",
          "Bias that ALiBi adds to the attention logit at a distance: −slope · distance."},
         [](const QuantityInput& input) {
             return -alibi_slope(input).get<double>() * static_cast<double>(input.arguments.whole("distance"));
         }},
        {{"window_reach", "(layers)", "tokens",
          "Largest distance over which information moves through layers with the setup's attention window W: "
          "layers · (W − 1)."},
         [](const QuantityInput& input) {
             if (input.setup.attention_window == 0) throw BadInput("window_reach needs a setup with attention_window.");
             return input.arguments.whole("layers") * (input.setup.attention_window - 1);
         }},
        {{"receptive_field", "(layers[, full_every])", "tokens",
          "Number of tokens (the token itself included) that can change a token's output after a number of layers with "
          "the setup's attention window; every full_every-th layer attends to the whole context (default: none)."},
         receptive_field},
    };
}

namespace {

// Longer curves take seconds.
constexpr std::int64_t longest_curve = std::int64_t{1} << 22;
constexpr double most_scan_cosines = 2e10;

std::int64_t within_curve(std::int64_t tokens, const char* name) {
    if (tokens > longest_curve) {
        throw BadInput(std::string("The argument ") + name + " is " + std::to_string(tokens) +
                       ", but it must be at most " + std::to_string(longest_curve) + ".");
    }
    return tokens;
}

std::int64_t length_of(const QuantityInput& input) {
    return within_curve(input.arguments.whole_or("L", input.setup.context), "L");
}

double context_argument(const QuantityInput& input) {
    return static_cast<double>(input.arguments.whole_or("L", input.setup.context));
}

std::int64_t distance_of(const QuantityInput& input) {
    return within_curve(input.arguments.whole("distance"), "distance");
}

nlohmann::json bound(const QuantityInput& input) {
    return context_bound(input.frequencies, input.setup.head_dim, static_cast<std::size_t>(distance_of(input)) + 1)
        .back();
}

nlohmann::json kernel_at(const QuantityInput& input) {
    return kernel(input.frequencies.inverse_frequencies, static_cast<std::size_t>(distance_of(input)) + 1).back();
}

nlohmann::json first_below_zero(const QuantityInput& input) {
    const auto first = first_negative(input.frequencies, input.setup.head_dim, length_of(input));
    return first ? nlohmann::json(*first) : nlohmann::json(nullptr);
}

std::vector<BaseInterval> scanned_bases(const QuantityInput& input) {
    const std::int64_t length = length_of(input);
    const auto number = [&](const char* name) {
        return input.arguments.has(name) ? std::optional(input.arguments.number(name)) : std::nullopt;
    };
    const ScanChoice choice{number("low"), number("high"), number("step")};
    const BaseScan scan = scan_of(choice, input.setup.theta, length, input.setup.head_dim);
    const double bases = scan.step > 0 ? (scan.high - scan.low) / scan.step : 0;
    if (bases * static_cast<double>(length) * input.setup.head_dim / 2 > most_scan_cosines) {
        throw BadInput("Testing the bases in steps of " + number_text(scan.step) +
                       " would take minutes; give a larger step or a smaller range.");
    }
    return search_bases(frequency_settings(input.setup), length, choice).intervals;
}

nlohmann::json feasible(const QuantityInput& input) {
    return json_list(scanned_bases(input), [](const BaseInterval& interval) -> nlohmann::json {
        return {interval.low, interval.high};
    });
}

nlohmann::json smallest_feasible(const QuantityInput& input) {
    const auto intervals = scanned_bases(input);
    return intervals.empty() ? unknown_value : intervals.front().low;
}

nlohmann::json decay_at(const QuantityInput& input) {
    const double distance = static_cast<double>(distance_of(input));
    return decay_bound(input.frequencies.inverse_frequencies, {&distance, 1}).front();
}

nlohmann::json expected_at(const QuantityInput& input) {
    const RandomVectors vectors{input.arguments.number("mean"), input.arguments.number("correlation")};
    return expected_logit(input.frequencies, input.setup.head_dim, static_cast<double>(distance_of(input)), vectors);
}

nlohmann::json extrapolation(const QuantityInput& input) {
    const int dimension = dimension_of(input);
    const int critical = std::min(input.frequencies.rotary_dim,
                                  critical_dimension(dimension, input.setup.theta, context_argument(input)));
    return extrapolation_limit(dimension, critical, input.setup.theta);
}

constexpr const char* scan_words =
    " By default the tested bases start at 100, end at the larger of 1M and 2θ (ten times as far, and so on, until one "
    "supports L), and have the step that ropelab-cli context uses; feasible and infeasible intervals narrower than the "
    "step can be missed.";

}  // namespace

std::vector<Quantity> context_quantities() {
    return {
        {{"bound", "(distance)", "",
          "Context bound B(Δ) of Men et al. at a distance Δ: the sum of cos(ω·Δ) over all pairs of the head."},
         bound},
        {{"first_negative", "[(L)]", "tokens",
          "Smallest distance Δ below L (default: the context) at which the context bound B(Δ), the sum of cos(ω·Δ) "
          "over all pairs, is negative; \"none\" if B(Δ) is 0 or more at all these distances."},
         first_below_zero},
        {{"lowest_bound", "[(L)]", "",
          "Smallest value of the context bound B(Δ), the sum of cos(ω·Δ) over all pairs, at distances Δ below L "
          "(default: the context)."},
         [](const QuantityInput& input) {
             return lowest_bound(input.frequencies, input.setup.head_dim, length_of(input)).value;
         }},
        {{"feasible_bases", "(L[, low, high, step])", "θ",
          std::string("Intervals of the bases θ that support L tokens: the context bound B(Δ), the sum of cos(ω·Δ) "
                      "over all pairs, is 0 or more at every distance Δ below L.") +
              scan_words},
         feasible},
        {{"smallest_feasible_base", "(L[, low, high, step])", "θ",
          std::string("Smallest base θ that supports L tokens: the context bound B(Δ), the sum of cos(ω·Δ) over all "
                      "pairs, is 0 or more at every distance Δ below L; \"none\" if no tested base does.") +
              scan_words},
         smallest_feasible},
        {{"kernel", "(distance)", "", "Kernel K(Δ) at a distance Δ: the sum of cos(ω·Δ) over the rotated pairs."},
         kernel_at},
        {{"decay_bound", "(distance)", "",
          "Upper bound (2/d) Σ|S_j| of Su et al. on the attention logit at a distance (formula 11 of the guide)."},
         decay_at},
        {{"expected_logit", "(distance, mean, correlation)", "",
          "Expected attention logit qᵀR(−Δ)k at a distance Δ, not divided by √d, of random vectors with this mean of "
          "each component and this correlation between q and k."},
         expected_at},
        {{"critical_dimension", "[(L)]", "channels",
          "Critical dimension of Liu et al.: channels whose pairs complete a period within L (default: the context)."},
         [](const QuantityInput& input) { return 2 * complete_pairs(input.frequencies, context_argument(input)); }},
        {{"critical_base", "(L, tuned)", "θ",
          "Critical base β₀ of Liu et al. for a model trained at L tokens and fine-tuned at `tuned` tokens."},
         [](const QuantityInput& input) {
             return critical_base(input.setup.theta, context_argument(input), input.arguments.number("tuned"));
         }},
        {{"extrapolation_limit", "(L)", "tokens",
          "Context length to which the base extrapolates after training at L tokens (Liu et al.)."},
         extrapolation},
    };
}

namespace {

constexpr std::int64_t most_aimed_distances = std::int64_t{1} << 18;

/// A random query or key as the room Rotation samples it.
std::vector<double> vector_of(const QuantityInput& input, std::vector<double> (*sample)(std::int64_t, int)) {
    const RotarySetup& setup = input.setup;
    return laid_out(sample(input.arguments.whole_or("seed", 1), setup.head_dim),
                    canonical_channels(setup.head_dim, rotary_dim(setup), setup.partial, setup.pairing));
}

std::vector<double> query_of(const QuantityInput& input) {
    return vector_of(input, random_query);
}

std::vector<double> key_of(const QuantityInput& input) {
    return vector_of(input, random_key);
}

double logit_of(const QuantityInput& input, const std::vector<double>& query, const std::vector<double>& key,
                std::int64_t m, std::int64_t n) {
    return split_logit(query, key, m, n, input.frequencies, input.setup.partial, input.setup.pairing).total;
}

std::vector<double> aimed_key_of(const QuantityInput& input, const std::vector<double>& query) {
    return aimed_key(query, static_cast<double>(input.arguments.whole("aimed")), input.frequencies, input.setup.partial,
                     input.setup.pairing);
}

nlohmann::json random_logit(const QuantityInput& input) {
    return logit_of(input, query_of(input), key_of(input), input.arguments.whole("m"), input.arguments.whole("n"));
}

nlohmann::json equal_logit(const QuantityInput& input) {
    const std::vector<double> query = query_of(input);
    return logit_of(input, query, query, input.arguments.whole("m"), input.arguments.whole("n"));
}

nlohmann::json aimed_logit(const QuantityInput& input) {
    const std::vector<double> query = query_of(input);
    return logit_of(input, query, aimed_key_of(input, query), input.arguments.whole("distance"), 0);
}

nlohmann::json head_weight(const QuantityInput& input) {
    const std::int64_t keys = input.arguments.whole("keys");
    const std::int64_t distance = input.arguments.whole("distance");
    if (keys > most_aimed_distances || distance >= keys) {
        throw BadInput("head_weight needs a distance below the number of keys, of which there are at most " +
                       std::to_string(most_aimed_distances) + ".");
    }
    const double product = input.arguments.number("norms");
    if (!(product >= 0)) {
        throw BadInput("The product of norms is " + number_text(product) + ", but it must be 0 or more.");
    }
    const CircuitVectors head =
        with_fast_pairs(circuit_at_distance(static_cast<double>(distance), std::sqrt(product), input.setup.head_dim,
                                            input.frequencies, input.setup.partial, input.setup.pairing),
                        static_cast<std::size_t>(input.arguments.whole("pairs")), input.frequencies,
                        input.setup.partial, input.setup.pairing);
    const std::vector<double> logits = circuit_logits(head.query, head.key, input.frequencies, input.setup.partial,
                                                      input.setup.pairing, static_cast<std::size_t>(keys));
    return circuit_weights(logits, keys)[static_cast<std::size_t>(distance)];
}

nlohmann::json aimed_best(const QuantityInput& input) {
    const std::int64_t length = input.arguments.whole_or("L", input.setup.context);
    if (length > most_aimed_distances) {
        throw BadInput("The argument L is " + std::to_string(length) + ", but it must be at most " +
                       std::to_string(most_aimed_distances) + ".");
    }
    const std::vector<double> query = query_of(input);
    const std::vector<double> key = aimed_key_of(input, query);
    std::int64_t best = input.arguments.whole("aimed");
    double largest = logit_of(input, query, key, best, 0);
    for (std::int64_t distance = 0; distance < length; ++distance) {
        const double logit = logit_of(input, query, key, distance, 0);
        // The key was aimed at its distance, which therefore wins a tie within rounding.
        if (logit > largest + 1e-12 * std::max(1.0, std::abs(largest))) {
            largest = logit;
            best = distance;
        }
    }
    return best;
}

nlohmann::json term_of_pair(const QuantityInput& input) {
    const auto pairs =
        channel_pairs(input.setup.head_dim, input.frequencies.rotary_dim, input.setup.partial, input.setup.pairing);
    const auto pair = static_cast<std::size_t>(input.arguments.whole("pair"));
    if (pair >= pairs.size()) {
        throw BadInput("There is no pair " + std::to_string(pair) + "; the setup has " + std::to_string(pairs.size()) +
                       " pairs, counted from 0.");
    }
    const auto in_plane = [&](const std::vector<double>& vector) {
        return std::complex<double>(vector[pairs[pair].first], vector[pairs[pair].second]);
    };
    return pair_term(in_plane(query_of(input)), in_plane(key_of(input)), input.arguments.whole("m"),
                     input.arguments.whole("n"), input.frequencies.inverse_frequencies[pair],
                     input.frequencies.attention_factor, input.setup.head_dim)
        .term;
}

double rounded_argument(const QuantityInput& input, const char* name) {
    return rounded(static_cast<double>(input.arguments.whole(name)),
                   parse_number_format(input.arguments.text("format")));
}

}  // namespace

std::vector<Quantity> logit_quantities() {
    return {
        {{"logit", "(m, n[, seed])", "",
          "Attention logit of a random query at position m and a random key at position n; the vectors are those of "
          "the page Rotation for this seed (default: 1)."},
         random_logit},
        {{"equal_logit", "(m, n[, seed])", "",
          "Attention logit of a query at position m and a key at position n that equals the query, k = q; the query is "
          "sampled with the seed."},
         equal_logit},
        {{"aimed_logit", "(aimed, distance[, seed])", "",
          "Attention logit at a distance for a key that is aimed at the distance `aimed`: k = R q, the query rotated "
          "by the distance `aimed`."},
         aimed_logit},
        {{"aimed_best", "(aimed[, L, seed])", "tokens",
          "Distance below L (default: the context) with the largest attention logit for a key that is aimed at the "
          "distance `aimed`."},
         aimed_best},
        {{"head_weight", "(distance, keys, pairs, norms)", "",
          "Attention weight at a distance of a head that is aimed at it, for a query with this number of keys: of the "
          "fastest pairs, this number has the product of norms ‖q‖‖k‖ that `norms` gives; the others are 0."},
         head_weight},
        {{"pair_term", "(pair, m, n[, seed])", "", "Term that a pair adds to the attention logit logit(m, n, seed)."},
         term_of_pair},
        {{"rounded_position", "(m, format)", "tokens",
          "Position m as a number of the format float32, float16 or bfloat16."},
         [](const QuantityInput& input) { return rounded_argument(input, "m"); },
         true},
        {{"rounded_distance", "(m, n, format)", "tokens",
          "Distance m − n after both positions are rounded to a number format."},
         [](const QuantityInput& input) { return rounded_argument(input, "m") - rounded_argument(input, "n"); },
         true},
        {{"first_merged_position", "(format)", "", "Smallest position that a number format cannot represent exactly."},
         [](const QuantityInput& input) {
             return first_inexact_position(parse_number_format(input.arguments.text("format")));
         },
         true},
    };
}

namespace {

nlohmann::json logit_shift(const QuantityInput& input) {
    const std::vector<double> query = query_of(input);
    const std::vector<double> key = key_of(input);
    const std::int64_t m = input.arguments.whole("m");
    const std::int64_t n = input.arguments.whole("n");
    const std::int64_t by = input.arguments.whole("by");
    return logit_of(input, query, key, m + by, n + by) - logit_of(input, query, key, m, n);
}

nlohmann::json positions_left(const QuantityInput& input) {
    return possible_positions(input.frequencies, input.arguments.whole("m"), 0, length_of(input),
                              input.arguments.number("accuracy"),
                              static_cast<std::size_t>(input.arguments.whole("pairs")))
        .size();
}

nlohmann::json key_share(const QuantityInput& input) {
    const double correlation =
        input.arguments.has("correlation") ? input.arguments.number("correlation") : KeySamples().correlation;
    const KeySamples samples = sampled_keys(input.setup.head_dim, input.arguments.whole("others"), correlation,
                                            key_share_samples, input.arguments.whole_or("seed", 1));
    const double distance = static_cast<double>(distance_of(input));
    return key_shares(samples, input.frequencies, {&distance, 1}).front();
}

/// The sentence of the page Rotation at position 0 and `by` positions further.
template <typename Change>
double sentence_change(const QuantityInput& input, std::vector<double> SentenceAttention::*part, bool rotates_values,
                       const Change& change) {
    const std::vector<std::string> tokens = parts_of(standard_sentence, ' ');
    const auto at = [&](std::int64_t first) {
        return sentence_attention(tokens, first, input.arguments.whole_or("seed", 1), input.setup, rotates_values);
    };
    return change(at(0).*part, at(input.arguments.whole("by")).*part);
}

nlohmann::json ntk_base(const QuantityInput& input) {
    const ScalingMethod method = input.setup.scaling.method;
    const auto& frequencies = input.frequencies.inverse_frequencies;
    if (method != ScalingMethod::none && method != ScalingMethod::ntk && method != ScalingMethod::dynamic) {
        throw BadInput("ntk_base needs a setup with scaling=ntk, scaling=dynamic or without scaling.");
    }
    if (frequencies.size() < 2) throw BadInput("ntk_base needs a setup with at least two pairs.");
    // ω_1 = base^(−2/d), so that the base follows from the second pair.
    return std::pow(frequencies[1], -0.5 * dimension_of(input));
}

nlohmann::json unchanged_pairs(const QuantityInput& input) {
    const auto plain = frequencies(plain_settings(input.setup)).inverse_frequencies;
    const auto& now = input.frequencies.inverse_frequencies;
    std::int64_t count = 0;
    for (std::size_t pair = 0; pair < plain.size(); ++pair) count += plain[pair] > 0 && now[pair] == plain[pair];
    return count;
}

}  // namespace

std::vector<Quantity> setup_quantities() {
    return {
        {{"logit_shift", "(m, n, by)", "",
          "Change of the attention logit logit(m, n) if query and key both move `by` positions; 0 except for "
          "rounding."},
         logit_shift},
        {{"positions_left", "(m, pairs, accuracy[, L])", "positions",
          "Number of positions below L (default: the context) that remain possible after the angles of the fastest "
          "pairs of position m are read, as many as `pairs` says, each with an error of at most `accuracy` degrees."},
         positions_left},
        {{"key_share", "(distance, others[, correlation, seed])", "",
          "Mean attention weight of a key at a distance that has this correlation with a random query (default: 1, the "
          "key equals the query), among a number of other keys that are random; 4,096 sampled queries."},
         key_share},
        {{"weight_shift", "(by[, seed])", "",
          "Largest change of an attention weight if the sentence of the page Rotation moves from position 0 by `by` "
          "positions; its tokens have random queries, keys and values. 0 except for rounding."},
         [](const QuantityInput& input) {
             return sentence_change(input, &SentenceAttention::weights, false, largest_change);
         }},
        {{"output_shift", "(by[, seed])", "",
          "Change of the attention output if the sentence of the page Rotation moves from position 0 by `by` "
          "positions, "
          "divided by the norm of the output. 0 except for rounding."},
         [](const QuantityInput& input) {
             return sentence_change(input, &SentenceAttention::outputs, false, relative_change);
         }},
        {{"rotated_output_shift", "(by[, seed])", "",
          "As output_shift, if values were rotated by their positions, as queries and keys are."},
         [](const QuantityInput& input) {
             return sentence_change(input, &SentenceAttention::outputs, true, relative_change);
         }},
        {{"negative_share", "(L)", "",
          "Share of the causal pairs of query and key positions below L that have a distance Δ with a negative context "
          "bound B(Δ), the sum of cos(ω·Δ) over all pairs."},
         [](const QuantityInput& input) {
             return negative_fraction(input.frequencies, input.setup.head_dim, input.arguments.whole("L"));
         }},
        {{"table_saving", "", "",
          "Size of the cos/sin table of the fully rotated head divided by the size of the setup's table; \"none\" if "
          "no channel is rotated."},
         [](const QuantityInput& input) {
             return static_cast<double>(input.setup.head_dim) / input.frequencies.rotary_dim;
         }},
        {{"ntk_base", "", "θ", "Base θ that gives the frequencies which NTK-aware scaling computes for the setup."},
         ntk_base},
        {{"unchanged_pairs", "", "pairs",
          "Number of rotated pairs whose frequency the scaling of context extension does not change."},
         unchanged_pairs},
    };
}

}  // namespace ropelab
