#pragma once

#include "core/data/synthetic/source.h"

namespace ropelab {

/// Returns the rules of Language::local as a source: a Markov chain of order 1, whose first character is distributed as
/// after a newline.
Source local_language();

}  // namespace ropelab
