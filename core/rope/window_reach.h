#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ropelab {

/// Returns the receptive field of a token below each layer (formula 61): the number of tokens, itself included, whose
/// vectors at the input of that layer can change the output of the last layer at that token, with at most `context`
/// tokens. `windows` has the attention window of each layer, from the lowest to the highest; 0 means that the layer
/// attends to the whole context. The first number belongs to the input of the lowest layer: with k layers of window W
/// it is min(context, k·(W − 1) + 1).
std::vector<std::int64_t> receptive_fields(std::span<const std::int64_t> windows, std::int64_t context);

/// Returns the attention windows of `layers` layers, from the lowest to the highest: `window` tokens, except that every
/// `full_every`-th layer attends to the whole context (0). With full_every = 4 these are three layers with the window,
/// then one without. 0: no layer attends to the whole context.
std::vector<std::int64_t> layer_windows(std::int64_t layers, std::int64_t window, std::int64_t full_every);

}  // namespace ropelab
