#pragma once

#include <span>
#include <vector>

namespace ropelab {

/// For K(Δ) = Σ_i cos(Δ g_i): the absolute discrete Fourier transform over the distances Δ = 0 … count − 1, divided by
/// count/2. Bin j of count/2 + 1 has j periods over all distances. A pair with a whole number of periods, at least 1
/// and less than count/2, has the amplitude 1 in its bin; a frequency of 0 or of count/2 periods has the amplitude 2.
/// Throws BadInput for more than 2^30 distances.
std::vector<double> kernel_spectrum(std::span<const double> kernel);

}  // namespace ropelab
