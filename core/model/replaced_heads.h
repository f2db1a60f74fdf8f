#pragma once

#include "core/model/attention/attention.h"
#include "core/spec/probe.h"

namespace ropelab {

/// Replaces the rotated query and key of one head by the given vectors, rotated by the position of each token. If heads
/// share keys, keys and values are repeated first, one per query head, so that the other heads of the group keep
/// theirs.
void replace_head(const ReplacedHead& replaced, LayerVectors& vectors, const LayerTerms& terms);

}  // namespace ropelab
