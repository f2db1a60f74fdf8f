#pragma once

#include <cstdint>

#include "core/spec/run_spec.h"

namespace ropelab {

/// nanoGPT's: linear warm-up, cosine decay to final_learning_rate at decay_iterations (0: iterations), constant.
double learning_rate_at(const RunSpec& spec, std::int64_t iteration);

/// Equal steps (linear) or factors (geometric) from theta to theta_end, which it has after the last iteration.
double theta_at(const RunSpec& spec, std::int64_t iteration);

}  // namespace ropelab
