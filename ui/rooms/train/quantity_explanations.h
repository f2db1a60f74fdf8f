#pragma once

#include <QString>
#include <optional>

#include "core/spec/run_spec.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

/// Help text (F1): the formula, the values of its symbols in `run`, and its source. `now` is the latest value of the
/// run; a loss is in nats.
QString quantityExplanation(Quantity quantity, const RunSpec& run, std::optional<double> now);
/// Help text (F1). `multiply` is the machine's peak speed in operations per second, `copy` its memory bandwidth in
/// bytes per second; each is 0 if it has not been measured.
QString rooflineExplanation(double multiply, double copy);

}  // namespace ropelab::ui
