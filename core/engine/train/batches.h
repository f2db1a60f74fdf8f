#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// `batch` offsets into `tokens` tokens, each with space for context + 1 tokens. Random batches depend on the run's
/// seed and the step; sequential batches are the same for every seed.
std::vector<std::int64_t> batch_starts(const RunSpec& spec, std::size_t tokens, std::int64_t step);

/// evaluation_batches × batch offsets, sampled anew at each iteration.
std::vector<std::int64_t> sampled_starts(const RunSpec& spec, std::size_t tokens, std::int64_t iteration,
                                         const char* split);

/// As many as sampled_starts, evenly spaced, for the training loss of a whole evaluation.
std::vector<std::int64_t> spaced_starts(const RunSpec& spec, std::size_t tokens);

}  // namespace ropelab
