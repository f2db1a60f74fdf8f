#pragma once

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// Returns the best validation losses that Huang et al. 2025 report for the data sets of these runs, by θ, in nats and
/// in bits: mean and sample standard deviation over its seeds. Omits data sets on which a run trained only in part,
/// because losses on a part and on the whole are not comparable.
std::vector<PublishedValue> publishedValues(const std::vector<ResultsRun>& runs);

}  // namespace ropelab::ui
