#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

// Figures of a loss against its cost, which Huang et al. 2025 use to choose settings. The line is the Pareto front:
// the groups that no other group beats in both.

ResultsPicture lossBySpeed(const ResultsData& data);
/// The memory for training a single run, estimated from the model's shape.
ResultsPicture lossByMemory(const ResultsData& data);
/// Only groups whose generation speed is measured.
ResultsPicture lossByGenerationSpeed(const ResultsData& data);
/// The bytes of KV cache and RoPE cache at the context (cache_bytes).
ResultsPicture lossByCache(const ResultsData& data);

/// Each group is a line across axes for the swept settings and the measures. Each axis extends from its lowest to its
/// highest value; the values of a setting are equally spaced.
ResultsPicture parallelCoordinates(const ResultsData& data);

}  // namespace ropelab::ui
