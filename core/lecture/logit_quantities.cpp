#include <cmath>
#include <complex>

#include "core/lecture/quantity_table.h"
#include "core/rope/logit.h"
#include "core/rope/number_format.h"
#include "core/rope/pair_term.h"
#include "core/spec/error.h"

namespace ropelab {

namespace {

constexpr std::int64_t most_aimed_distances = std::int64_t{1} << 18;

std::vector<double> query_of(const QuantityInput& input) {
    return random_query(input.arguments.whole_or("seed", 1), input.setup.head_dim);
}

std::vector<double> key_of(const QuantityInput& input) {
    return random_key(input.arguments.whole_or("seed", 1), input.setup.head_dim);
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
          "Logit of a random query at position m and a random key at position n: the vectors of the Rotation room for "
          "this seed (default: 1)."},
         random_logit},
        {{"equal_logit", "(m, n[, seed])", "", "Logit with k = q, where q is the random query of the seed."},
         equal_logit},
        {{"aimed_logit", "(aimed, distance[, seed])", "",
          "Logit at a distance for a key that is aimed at the distance `aimed`: k = R q."},
         aimed_logit},
        {{"aimed_best", "(aimed[, L, seed])", "tokens",
          "Distance below L (default: the context) with the largest logit for a key that is aimed at `aimed`."},
         aimed_best},
        {{"pair_term", "(pair, m, n[, seed])", "", "Term that a pair adds to the logit of logit(m, n, seed)."},
         term_of_pair},
        {{"rounded_position", "(m, format)", "tokens",
          "Position m as a number of the format float32, float16 or bfloat16."},
         [](const QuantityInput& input) { return finite_or_null(rounded_argument(input, "m")); },
         true},
        {{"rounded_distance", "(m, n, format)", "tokens",
          "Distance m − n after both positions are rounded to a format."},
         [](const QuantityInput& input) {
             return finite_or_null(rounded_argument(input, "m") - rounded_argument(input, "n"));
         },
         true},
        {{"first_merged_position", "(format)", "tokens", "Smallest position that a format cannot represent."},
         [](const QuantityInput& input) -> nlohmann::json {
             return first_inexact_position(parse_number_format(input.arguments.text("format")));
         },
         true},
    };
}

}  // namespace ropelab
