#pragma once

#include "core/data/synthetic/source.h"

namespace ropelab {

/// Returns the rules of Language::positional as a source that starts at the beginning of a sentence.
Source positional_language();

}  // namespace ropelab
