#pragma once

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// What the theta paper prints for the texts of these runs: best validation loss by θ, in nats and in bits, mean ±
/// sample standard deviation of its seeds. Only for texts of which every run is known to have trained on all: a loss on
/// the first part of one says nothing beside a loss on all of it.
std::vector<PublishedValue> publishedValues(const std::vector<ResultsRun>& runs);

}  // namespace ropelab::ui
