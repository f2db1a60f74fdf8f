#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// |DFT| of the kernel Σ_i cos(Δ g_i) over its window (Δ = 0 … count − 1), divided by half the window, so that a pair
/// which turns a whole number of times, at least once and less than count/2 times, shows as 1; no turns at all, and
/// count/2, show as 2. count/2 + 1 bins, bin j at j turns in the window; empty for an empty kernel.
std::vector<double> kernel_spectrum(std::span<const double> kernel);

}  // namespace ropelab
