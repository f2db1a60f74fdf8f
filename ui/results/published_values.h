#pragma once

#include <filesystem>

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// What the theta paper prints for the texts of these runs: best validation loss by θ, in nats and in bits, mean ±
/// sample standard deviation of its seeds. Only for texts that are here as a whole: a loss on the first part of one
/// says nothing beside a loss on all of it.
std::vector<PublishedValue> publishedValues(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir);

}  // namespace ropelab::ui
