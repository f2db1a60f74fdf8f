#pragma once

#include <string_view>

/// packaging/libtorch-ARCH.txt, compiled into the programs; empty if there is none for this processor.
namespace ropelab::embedded {

extern const std::string_view libtorch_pins;

}  // namespace ropelab::embedded
