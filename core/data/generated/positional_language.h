#pragma once

#include "core/data/generated/source.h"

namespace ropelab {

/// The rules of Language::positional as a source that starts at the beginning of a sentence.
Source positional_language();

}  // namespace ropelab
