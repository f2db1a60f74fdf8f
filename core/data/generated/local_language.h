#pragma once

#include "core/data/generated/source.h"

namespace ropelab {

/// The rules of Language::local as a source: a Markov chain of order 1, which starts as after a newline.
Source local_language();

}  // namespace ropelab
