#pragma once

#include <QList>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/rope/rotary_setup.h"
#include "ui/figure/figure.h"

namespace ropelab::ui {

constexpr std::int64_t kMostWindow = std::int64_t{1} << 20;
/// Longer windows are computed beside the window's thread and thinned.
constexpr std::int64_t kLongWindow = 16384;

/// The kernel Σcos(Δg) over a window and its spectrum, ready to be drawn.
struct KernelCurves {
    std::int64_t window = 0;  // tokens
    /// Turns in the window of every pair that turns, fastest first.
    std::vector<double> turns = {};
    int complete = 0;  // pairs with a turn or more
    QList<double> distance = {};
    QList<double> kernel = {};
    /// Bin j stands at j turns in the window, from 0.
    QList<double> bins = {};
    QList<double> magnitude = {};
    /// Only the extremes of neighbouring values are there.
    bool isThinned = false;
};

/// The setup's context as a window: from 2 to kMostWindow tokens.
std::int64_t contextWindow(const RotarySetup& setup);
/// With the setup's scaling. Safe beside the window's thread; takes a millisecond up to kLongWindow.
KernelCurves kernelCurves(const RotarySetup& setup, std::int64_t window);

/// Σcos(Δg) over distance.
Figure kernelFigure(const RotarySetup& setup, const KernelCurves& curves);
/// Its discrete Fourier spectrum; every pair as a mark at its turns, the height that it has alone.
Figure kernelSpectrumFigure(const RotarySetup& setup, const KernelCurves& curves, std::optional<int> lit = {});
/// The pair whose turns are nearest on the logarithmic axis; nullopt where none is near.
std::optional<int> pairAtTurns(const KernelCurves& curves, double turns);

}  // namespace ropelab::ui
