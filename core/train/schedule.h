#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// NanoGPT's schedule: linear warm-up, then cosine decay to final_learning_rate at decay_iterations (0: iterations),
/// then constant.
double learning_rate_at(const RunSpec& spec, std::int64_t iteration);

/// After `iteration` steps: from theta to theta_end in equal steps (linear) or by equal factors (geometric), which
/// arrives after the last iteration.
double theta_at(const RunSpec& spec, std::int64_t iteration);

}  // namespace ropelab
