#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/synthetic/source.h"

namespace ropelab {

/// Returns the optimal predictor's mean loss at each position, in nats: (context) entries, averaged over the
/// consecutive sequences of `text` that language_floor (core/data/synthetic/language.h) describes. `stationary`
/// (states) is the state distribution at the start of every sequence. Returns an empty vector if `cancelled` (optional)
/// returns true. Throws BadInput for a context below 1, a text shorter than context + 1, or a text that the source
/// cannot generate.
std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled);

}  // namespace ropelab
