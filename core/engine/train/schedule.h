#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/settings/run_spec.h"

namespace ropelab {

/// nanoGPT's: linear warm-up, cosine decay to final_learning_rate at decay_iterations (0: iterations), constant.
double learning_rate_at(const RunSpec& spec, std::int64_t iteration);

/// Equal steps (linear) or factors (geometric) from theta to theta_end, which it has after the last iteration.
double theta_at(const RunSpec& spec, std::int64_t iteration);
/// What a schedule adds to the number that "rotary.shift" moves (core/plan/parts/rotary.h).
double theta_shift_at(const RunSpec& spec, std::int64_t iteration);

/// `batch` offsets into `tokens` tokens, each with space for context + 1 tokens. Random batches depend on the run's
/// seed and the step; sequential batches are the same for every seed.
std::vector<std::int64_t> batch_starts(const RunSpec& spec, std::size_t tokens, std::int64_t step);

/// evaluation_batches × batch offsets, sampled anew at each iteration.
std::vector<std::int64_t> sampled_starts(const RunSpec& spec, std::size_t tokens, std::int64_t iteration,
                                         const char* split);

/// As many as sampled_starts, evenly spaced, for the training loss of a whole evaluation.
std::vector<std::int64_t> spaced_starts(const RunSpec& spec, std::size_t tokens);

}  // namespace ropelab
