#pragma once

#include <cstdint>
#include <string_view>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Number of tokens in each part of a text. The parts follow each other in the order of the members.
struct SplitSizes {
    std::int64_t training = 0;
    std::int64_t validation = 0;
    std::int64_t test = 0;  // 0 for a 90/10 split

    bool operator==(const SplitSizes&) const = default;
};

/// Returns the sizes of the parts of a text with `tokens` tokens. In both splits the training part has
/// int(0.9 · tokens) tokens, as in nanoGPT. With 90/10, the validation part is the rest. With 90/5/5, the rest is
/// divided into equal validation and test parts, and an odd token belongs to the test part; 100,000,000 tokens give the
/// customary 90, 5 and 5 million.
SplitSizes split_sizes(std::int64_t tokens, Split split);

/// The parts of a text in memory. They view the text.
struct TextParts {
    std::string_view training;
    std::string_view validation;
    std::string_view test;  // empty for a 90/10 split
};

/// Splits a text where `split_sizes` splits its characters, or its bytes if it is not UTF-8 or `as_bytes`.
TextParts parts_of_text(std::string_view text, Split split, bool as_bytes = false);

}  // namespace ropelab
