#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ropelab {

/// Returns ALiBi's slope of each of `heads` heads (formula 25, Press et al. 2022); `heads` must be at least 1. The
/// slope is 2^(−8h/H) for h = 1 … H if H is a power of two. Otherwise the slopes of the next lower power of two come
/// first, then every other slope of the next higher one. The logit at distance Δ is lowered by slope·Δ.
std::vector<double> alibi_slopes(std::size_t heads);

/// Returns the sinusoidal position embeddings (formula 30, Vaswani et al. 2017) of the positions 0 … positions − 1, of
/// shape (positions, width), row-major. At position m, channel 2i is sin(m/10000^(2i/width)) and channel 2i + 1 is the
/// cosine of the same angle. If the width is odd, the last channel is a sine.
std::vector<double> sinusoidal_embeddings(std::size_t positions, std::size_t width);
/// Returns one number of sinusoidal_embeddings: the one at `position` in `channel`.
double sinusoidal_embedding(std::size_t position, std::size_t channel, std::size_t width);

/// Returns whether the token at position `query` attends to the token at position `key`. Attention is causal. If
/// `window` is not 0, a token attends only to itself and the window − 1 tokens before it (sliding-window attention,
/// Beltagy et al. 2020, Jiang et al. 2023).
constexpr bool attends(std::int64_t query, std::int64_t key, std::int64_t window) {
    return key >= 0 && key <= query && (window == 0 || query - key < window);
}

}  // namespace ropelab
