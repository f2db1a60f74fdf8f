#pragma once

namespace ropelab::ui {

/// Makes every PlotWidget a chart for screen readers, with its name and its summary, and hides its canvas, which has
/// nothing to read. Calls after the first have no effect.
void installPlotAccessibility();

}  // namespace ropelab::ui
