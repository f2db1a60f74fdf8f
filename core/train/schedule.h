#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// The learning rate of step `iteration` (from 0): linear warm-up, then a cosine down to final_learning_rate at
/// decay_iterations (0: iterations), flat after it. nanoGPT's schedule.
double learning_rate_at(const RunSpec& spec, std::int64_t iteration);

/// Theta after `iteration` steps of the run's theta_schedule: from theta to theta_end in equal steps (linear) or by
/// equal factors (geometric), at the end after the last iteration.
double theta_at(const RunSpec& spec, std::int64_t iteration);

}  // namespace ropelab
