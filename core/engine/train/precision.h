#pragma once

#include <functional>
#include <string>

#include "core/spec/run_spec.h"

namespace ropelab {

/// float32 or bfloat16, and its reason: "as requested."
struct SettledPrecision {
    Precision precision;
    std::string reason;
};

/// For precision=auto. `seconds` measures one pass; it is called only if bfloat16 may be faster.
SettledPrecision faster_precision(const std::function<double(Precision)>& seconds);

}  // namespace ropelab
