#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// If the data set's name implies it, otherwise that of Tiny Shakespeare, 65 (205 for bytes, as in enwik8). For
/// subwords it is the largest size that the tokenizer may have.
std::int64_t likely_vocabulary(const RunSpec& spec);

/// As measured on Tiny Shakespeare with 1,024 tokens, for estimates of time and memory.
inline constexpr std::int64_t likely_bytes_per_subword = 2;

}  // namespace ropelab
