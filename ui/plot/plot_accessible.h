#pragma once

namespace ropelab::ui {

/// Every PlotWidget becomes a chart with name and summary, without its canvas. Calls after the first have no effect.
void installPlotAccessibility();

}  // namespace ropelab::ui
