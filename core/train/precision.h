#pragma once

#include <functional>
#include <string>

#include "core/spec/run_spec.h"

namespace ropelab {

/// Precision in which a cohort trains, float32 or bfloat16, and its reason: "as requested."
struct SettledPrecision {
    Precision precision;
    std::string reason;
};

/// Returns the faster precision on the processor for precision=auto. `seconds` measures one pass in a precision; it is
/// called only if bfloat16 may be faster.
SettledPrecision faster_precision(const std::function<double(Precision)>& seconds);

}  // namespace ropelab
