#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/generated/source.h"

namespace ropelab {

/// The optimal predictor's mean loss by position, in nats: (context) entries, over the consecutive windows of `text`
/// that language_floor (core/data/generated/language.h) describes. `stationary` (states) is what is believed at the
/// start of every window. Empty if `cancelled` (which may be empty) said so.
/// Throws BadInput for a context below 1, a text shorter than context + 1, and a text that the source cannot write.
std::vector<double> loss_by_position(const Source& source, std::span<const double> stationary, std::string_view text,
                                     int context, const std::function<bool()>& cancelled);

}  // namespace ropelab
