#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// How many symbols each part of a text has; the parts follow each other in the order of the members.
struct SplitSizes {
    std::int64_t training = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;  // 0 for a 90/10 split

    bool operator==(const SplitSizes&) const = default;
};

/// The parts of a text of `symbols` symbols. 90/10: nanoGPT's, training has int(0.9 · symbols). 90/5/5: the same
/// training part, the rest halved (100,000,000 gives the customary 90, 5 and 5 million); an odd symbol goes to the
/// test.
SplitSizes split_sizes(std::int64_t symbols, Split split);

}  // namespace ropelab
