#pragma once

#include <filesystem>
#include <functional>

#include "ui/results/results_picture.h"

namespace ropelab::ui {

/// The texts that these runs learned, each once, with the mutual information of their characters by distance over the
/// training split (the first 2,000,000 symbols of a longer one) up to 5,000 characters. Takes seconds; `cancelled` is
/// asked now and then.
std::vector<TextInformation> textInformation(const std::vector<ResultsRun>& runs, const std::filesystem::path& dataDir,
                                             const std::function<bool()>& cancelled = {});
/// Runs of the same texts have the same key.
std::string textsKey(const std::vector<ResultsRun>& runs);

/// Mutual information by distance, a curve a text, above rows of the wavelengths of the swept thetas: at which
/// distances there is something to learn, and at which the pairs turn once. Values below a ten-thousandth of the
/// largest are gaps.
ResultsPicture informationFigure(const ResultsData& data);

}  // namespace ropelab::ui
