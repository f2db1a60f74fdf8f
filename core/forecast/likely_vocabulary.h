#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Returns the vocabulary size of the run's data set if its name implies it, otherwise that of Tiny Shakespeare, 65
/// (205 for bytes, as in enwik8). For subwords it is the largest size that the tokenizer may have.
std::int64_t likely_vocabulary(const RunSpec& spec);

/// Mean number of bytes of a token of subwords or words, as measured on Tiny Shakespeare with 1,024 tokens. Estimates
/// of time and memory use it.
inline constexpr std::int64_t likely_bytes_per_subword = 2;

}  // namespace ropelab
