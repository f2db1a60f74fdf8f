#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Where the windows of one batch start: `batch` offsets into `tokens` tokens, each leaving room for context + 1. At
/// random they depend on the run's seed and the step; in sequence they are the same for every seed.
std::vector<std::int64_t> batch_starts(const RunSpec& spec, std::size_t tokens, std::int64_t step);

/// The windows of an evaluation's random batches: evaluation_batches × batch offsets, drawn anew at each iteration.
std::vector<std::int64_t> sampled_starts(const RunSpec& spec, std::size_t tokens, std::int64_t iteration,
                                         const char* split);

/// As many windows, evenly spaced over the tokens: the training loss of a whole evaluation.
std::vector<std::int64_t> spaced_starts(const RunSpec& spec, std::size_t tokens);

}  // namespace ropelab
