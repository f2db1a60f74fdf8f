#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

// The theta paper's decision aid: which settings no other one beats. The line is the efficient (Pareto) front.

/// The compared loss against training speed.
ResultsPicture lossBySpeed(const ResultsData& data);
/// The compared loss against the memory that training one run alone takes, as estimated from its shape.
ResultsPicture lossByMemory(const ResultsData& data);

/// Every group as a line across the keys that differ and what was measured, each axis from its lowest to its highest
/// value (the values of a key one step apart each).
ResultsPicture parallelCoordinates(const ResultsData& data);

}  // namespace ropelab::ui
