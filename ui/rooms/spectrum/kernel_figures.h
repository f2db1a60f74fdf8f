#pragma once

#include <QList>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

/// In tokens.
constexpr std::int64_t kMaxKernelLength = std::int64_t{1} << 20;
/// Longer kernels are computed in a background thread, and their curves are reduced to extremes.
constexpr std::int64_t kLongKernel = 16384;

/// The kernel K(Δ) = Σ cos(Δωᵢ) at distances 0 … kernelLength − 1, and its discrete Fourier spectrum.
struct KernelCurves {
    std::int64_t kernelLength = 0;  // length of the kernel in tokens
    /// Periods within the kernel length for each rotated pair, highest frequency first.
    std::vector<double> periods = {};
    int complete = 0;  // number of pairs with at least one period
    QList<double> distance = {};
    QList<double> kernel = {};
    /// Frequency of each bin, in periods per kernel length, from 0.
    QList<double> bins = {};
    QList<double> magnitude = {};
    /// True if the curves contain only the extremes of neighbouring values.
    bool isThinned = false;
};

/// The context, limited to 2 … kMaxKernelLength tokens.
std::int64_t contextKernelLength(const RotarySetup& setup);
/// Includes the scaling of the setup. Thread-safe; takes about 1 ms up to kLongKernel tokens.
KernelCurves kernelCurves(const RotarySetup& setup, std::int64_t kernelLength);

Figure kernelFigure(const RotarySetup& setup, const KernelCurves& curves);
/// Each pair is marked at its number of periods, at magnitude 1, which it would have alone.
Figure kernelSpectrumFigure(const RotarySetup& setup, const KernelCurves& curves, std::optional<int> highlighted = {});
/// The nearest pair on a logarithmic axis, or nullopt if none is within a factor of e^0.2.
std::optional<int> pairAtPeriods(const KernelCurves& curves, double periods);

}  // namespace ropelab::ui
