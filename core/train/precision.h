#pragma once

#include <functional>
#include <string>

#include "core/spec/run_spec.h"

namespace ropelab {

/// The precision that a cohort trains in, float32 or bfloat16, and why: "as asked."
struct SettledPrecision {
    Precision precision;
    std::string reason;
};

/// Of `auto` on the processor. `seconds` times a pass in a precision, and is called only where bfloat16 may pay.
SettledPrecision faster_precision(const std::function<double(Precision)>& seconds);

}  // namespace ropelab
