#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// For K(Δ) = Σ_i cos(Δ g_i): the absolute discrete Fourier transform over the distances Δ = 0 … count − 1, divided by
/// count/2, and by count in the bins of 0 and of count/2 periods. Bin j of count/2 + 1 has j periods over all
/// distances. A pair with a whole number of periods, from 0 to count/2, has the amplitude 1 in its bin. Throws BadInput
/// for more than 2^30 distances.
std::vector<double> kernel_spectrum(std::span<const double> kernel);

}  // namespace ropelab
