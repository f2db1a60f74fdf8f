#pragma once

#include "core/model/attention/attention.h"
#include "core/spec/probe.h"

namespace ropelab {

/// The vectors are rotated by each token's position. If heads share keys, keys and values are repeated first, so that
/// the other heads of the group keep theirs.
void replace_head(const ReplacedHead& replaced, LayerVectors& vectors, const LayerTerms& terms);

}  // namespace ropelab
