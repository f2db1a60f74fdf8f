#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

/// Formula 25 (Press et al. 2022): 2^(−8h/H) for h = 1 … H if H is a power of two. Otherwise the slopes of the next
/// lower power of two, then every other one of the next higher. Logits are lowered by slope·Δ.
std::vector<double> alibi_slopes(std::size_t heads);

/// Formula 30 (Vaswani et al. 2017), of shape (positions, width), row-major. Channel 2i is sin(m/base^(2i/width)),
/// channel 2i + 1 its cosine.
std::vector<double> sinusoidal_embeddings(std::size_t positions, std::size_t width, double base = 10000.0);
double sinusoidal_embedding(std::size_t position, std::size_t channel, std::size_t width, double base = 10000.0);

/// Learned vector (formula 39, Shaw et al. 2018) of each distance: the distance, at most `clip`; clip + 1 vectors.
std::vector<int> shaw_indices(std::size_t distances, int clip);

/// Formula 40 (Raffel et al. 2020), for distances 0 … distances − 1 to earlier tokens. The first half of the buckets
/// have one distance each; the others divide the distances up to `max_distance` logarithmically, and the last one has
/// all larger distances too. Throws BadInput for fewer than 2 buckets, or if max_distance is not above buckets/2.
std::vector<int> t5_buckets(std::size_t distances, int buckets, int max_distance);

/// KERPLE's logarithmic kernel of a head (formula 63, Chi et al. 2022); both numbers are above 0.
struct KerpleKernel {
    double r1 = 1;
    double r2 = 1;

    /// What it adds to the logit of a key at a distance: −r1·ln(1 + r2·distance).
    double bias(double distance) const;
};
/// Of each head before training: the middles of as many equal parts of the intervals (0, 2) and (0, 1), from which the
/// authors sample r1 and r2.
std::vector<KerpleKernel> initial_kernels(std::size_t heads);

// Transformer-XL (formula 41) uses sinusoidal_embeddings of the distances.

/// ζ_i of each pair (formula 42, Sun et al. 2022), between 0.4/1.4 for the first and nearly 1 for the last one.
std::vector<double> xpos_decay(int rotary_dim);
/// Factors of each pair's term in the logit at a distance, ζ_i^(Δ/scale_base); `scale_base` must be above 0.
std::vector<double> xpos_decay(int rotary_dim, double distance, double scale_base);
/// Within float32: ζ_i^(±length/(2·scale_base)) and products for keys after the query, which attention masks.
bool fits_xpos(std::int64_t length, double scale_base);

/// Attention is causal. If `window` is not 0, a token attends only to itself and the window − 1 tokens before it
/// (sliding-window attention, Beltagy et al. 2020, Jiang et al. 2023).
constexpr bool attends(std::int64_t query, std::int64_t key, std::int64_t window) {
    return key >= 0 && key <= query && (window == 0 || query - key < window);
}

/// Below each layer (formula 61): the number of tokens, itself included, whose vectors at the input of that layer can
/// change the output of the last layer at that token, at most `context` tokens. `windows` has the attention window of
/// each layer, from the lowest to the highest; 0 means that the layer attends to the whole context. The first number
/// belongs to the input of the lowest layer: with k layers of window W it is min(context, k·(W − 1) + 1).
std::vector<std::int64_t> receptive_fields(std::span<const std::int64_t> windows, std::int64_t context);

/// From the lowest layer: `window` tokens, but 0 (the whole context) in every `full_every`-th layer. full_every = 0: in
/// no layer.
std::vector<std::int64_t> layer_windows(std::int64_t layers, std::int64_t window, std::int64_t full_every);

}  // namespace ropelab
