#include "core/rope/attention/sentence.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <numeric>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/rope/logit.h"

namespace ropelab {

std::vector<double> token_vector(const char* what, const std::string& token, std::int64_t seed, int head_dim) {
    std::vector<float> numbers(static_cast<std::size_t>(head_dim));
    RandomStream(seed, std::string(what) + " of " + token).fill_normal(numbers, 1.0);
    return {numbers.begin(), numbers.end()};
}

SentenceAttention sentence_attention(std::span<const std::string> tokens, std::int64_t first, std::int64_t seed,
                                     const RotarySetup& setup, bool rotates_values) {
    if (tokens.empty()) throw BadInput("Attention over a sentence requires a token, but the sentence has none.");
    const Frequencies rates = frequencies(frequency_settings(setup));
    const auto pairs = channel_pairs(setup.head_dim, rates.rotary_dim, setup.partial, setup.pairing);
    SentenceAttention result;
    result.tokens = tokens.size();
    result.head_dim = static_cast<std::size_t>(setup.head_dim);
    result.logits.assign(tokens.size() * tokens.size(), 0);
    result.weights = result.logits;
    result.outputs.assign(tokens.size() * result.head_dim, 0);
    const auto rotate = [&](std::vector<double>& vector, std::int64_t position) {
        for (std::size_t i = 0; i < pairs.size(); ++i) {
            double& x = vector[pairs[i].first];
            double& y = vector[pairs[i].second];
            const double angle = static_cast<double>(position) * rates.inverse_frequencies[i];
            const auto turned = std::complex<double>(x, y) * std::polar(rates.attention_factor, angle);
            x = turned.real();
            y = turned.imag();
        }
    };
    std::vector<std::vector<double>> keys, values;
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        const std::int64_t m = first + static_cast<std::int64_t>(row);
        std::vector<double> query = token_vector("query", tokens[row], seed, setup.head_dim);
        keys.push_back(token_vector("key", tokens[row], seed, setup.head_dim));
        values.push_back(token_vector("value", tokens[row], seed, setup.head_dim));
        rotate(query, m);
        rotate(keys.back(), m);
        if (rotates_values) rotate(values.back(), m);
        double* logits = result.logits.data() + row * tokens.size();
        double* weights = result.weights.data() + row * tokens.size();
        double* output = result.outputs.data() + row * result.head_dim;
        for (std::size_t n = 0; n <= row; ++n) {
            logits[n] = std::inner_product(query.begin(), query.end(), keys[n].begin(), 0.0) /
                        std::sqrt(static_cast<double>(setup.head_dim));
        }
        const double largest = *std::max_element(logits, logits + row + 1);
        double sum = 0;
        for (std::size_t n = 0; n <= row; ++n) sum += weights[n] = std::exp(logits[n] - largest);
        for (std::size_t n = 0; n <= row; ++n) {
            weights[n] /= sum;
            for (std::size_t c = 0; c < result.head_dim; ++c) output[c] += weights[n] * values[n][c];
        }
    }
    return result;
}

double largest_change(std::span<const double> before, std::span<const double> after) {
    double largest = 0;
    for (std::size_t i = 0; i < before.size(); ++i) largest = std::max(largest, std::abs(after[i] - before[i]));
    return largest;
}

double relative_change(std::span<const double> before, std::span<const double> after) {
    double change = 0;
    double whole = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
        change += (after[i] - before[i]) * (after[i] - before[i]);
        whole += before[i] * before[i];
    }
    return std::sqrt(change / whole);
}

}  // namespace ropelab
