#pragma once

#include <QString>
#include <optional>

#include "core/spec/run_spec.h"
#include "ui/plot/quantity.h"

namespace ropelab::ui {

/// How what the Train room draws is calculated: the formula, its symbols as this run has them, and its source.
/// `now` is the run's latest value, a loss in nats.
QString whyOfQuantity(Quantity quantity, const RunSpec& run, std::optional<double> now);
/// The same of the roofline. In operations and bytes a second; 0 where not known.
QString whyOfRoofline(double multiply, double copy);

}  // namespace ropelab::ui
