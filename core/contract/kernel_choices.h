#pragma once

#include <map>
#include <string>

namespace ropelab {

/// The faster of ways that give equal bits, as measured, by the work, whose first word is its kind.
using KernelChoices = std::map<std::string, std::string>;

/// An engine that measures which kernels are faster.
class KernelChooser {
 public:
    virtual ~KernelChooser() = default;
    /// All that were measured or given since the engine was loaded.
    virtual KernelChoices kernel_choices() = 0;
    /// They replace measurements of time. Bits are compared as without them, so a wrong choice changes no result.
    virtual void use_kernel_choices(const KernelChoices& choices) = 0;
};

}  // namespace ropelab
