#pragma once

namespace ropelab::ui {

/// Every PlotWidget becomes a chart for screen readers, with its name and its summary; its canvas, which has nothing to
/// read, is hidden. Calls after the first have no effect.
void installPlotAccessibility();

}  // namespace ropelab::ui
