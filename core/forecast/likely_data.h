#pragma once

#include <cstdint>
#include <filesystem>

#include "core/settings/run_spec.h"

namespace ropelab {

// What the name of a data set implies, for estimates of time and memory before it is read.

/// That of the beginning of a text file; otherwise that of Tiny Shakespeare, 65 (205 for bytes, as in enwik8). For
/// subwords it is the largest size that the tokenizer may have.
std::int64_t likely_vocabulary(const RunSpec& spec);
/// From the size of a file; otherwise those of Tiny Shakespeare.
std::int64_t likely_tokens(const RunSpec& spec);
inline constexpr std::int64_t unknown_validation_tokens = 100'000;
/// From the file if it exists, otherwise from the known data set, otherwise unknown_validation_tokens.
std::int64_t likely_validation_tokens(const RunSpec& spec, const std::filesystem::path& data_dir = {});

}  // namespace ropelab
