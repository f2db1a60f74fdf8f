#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropelab {

/// ALiBi's slope of each head, 1 or more heads (formula 25, Press et al. 2022): 2^(−8h/H) for h = 1 … H where H is a
/// power of two; else those of the next lower power of two, then every other slope of the next higher one. A logit
/// between tokens that are Δ positions apart is lowered by slope·Δ.
std::vector<double> alibi_slopes(std::size_t heads);

/// Sinusoidal position embeddings (formula 30, Vaswani et al. 2017) of positions 0 … positions − 1, row-major
/// (positions, width): channel 2i is sin(m/10000^(2i/width)), channel 2i + 1 its cosine. An odd width ends with a sine.
std::vector<double> sinusoidal_embeddings(std::size_t positions, std::size_t width);
/// One number of them: that of `position` in `channel`.
double sinusoidal_embedding(std::size_t position, std::size_t channel, std::size_t width);

/// Whether the token at position `query` attends to the one at `key`: causal, and within the sliding window where
/// `window` is not 0 (Beltagy et al. 2020; Jiang et al. 2023): the token itself and the window − 1 before it.
constexpr bool attends(std::int64_t query, std::int64_t key, std::int64_t window) {
    return key >= 0 && key <= query && (window == 0 || query - key < window);
}

}  // namespace ropelab
