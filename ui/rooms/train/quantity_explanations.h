#pragma once

#include <QString>
#include <optional>

#include "core/spec/run_spec.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

/// Returns the help text (F1) of a plotted quantity: its formula, the values of its symbols in `run`, and its source.
/// `now` is the latest value of the run; a loss is in nats.
QString quantityExplanation(Quantity quantity, const RunSpec& run, std::optional<double> now);
/// Returns the help text (F1) of the roofline. `multiply` is the machine's peak speed in operations per second, `copy`
/// its memory bandwidth in bytes per second; each is 0 if it has not been measured.
QString rooflineExplanation(double multiply, double copy);

}  // namespace ropelab::ui
