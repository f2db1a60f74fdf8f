#pragma once

#include "core/engine/attention/attention.h"
#include "core/spec/probe.h"

namespace ropelab {

/// Rotated by each token's position. Shared keys and values are repeated first, so that other heads keep theirs.
void replace_head(const ReplacedHead& replaced, LayerVectors& vectors, const LayerTerms& terms);

}  // namespace ropelab
