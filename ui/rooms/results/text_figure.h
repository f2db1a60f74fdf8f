#pragma once

#include <filesystem>
#include <functional>

#include "ui/rooms/results/results_picture.h"

namespace ropelab::ui {

/// Each data set of these runs once, for distances up to 5,000 tokens. Uses at most the first 2,000,000 tokens of the
/// training split. Takes seconds; `cancelled` is called repeatedly, and the computation stops when it returns true.
std::vector<TextInformation> textInformation(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir,
                                             const std::function<bool()>& cancelled = {});
/// A cache key that is equal for runs with the same data sets.
std::string textsKey(const std::vector<ResultsRun>& runs);

/// The mutual information by distance, one curve per data set, above rows of points at the wavelengths of the swept
/// thetas. It shows at which distances tokens depend on each other and which pairs complete a period there. Values
/// below 1/10,000 of the largest are omitted.
ResultsPicture informationFigure(const ResultsData& data);

}  // namespace ropelab::ui
