#pragma once

#include <CLI/CLI.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/results/loss_fit.h"
#include "core/results/results_table.h"
#include "core/store/lab_file.h"

namespace ropelab::terminal {

/// Options of the command `results` that fit the compared loss.
struct FitFlags {
    bool fit = false;
    std::vector<std::string> predict;
    bool extrapolate = false;
};
void add_fit_options(CLI::App& verb, FitFlags& flags);

/// Fit of the compared loss with its predictions.
struct FittedLoss {
    TableLossFit fit;
    std::vector<LossPrediction> predictions;
};
/// Fits the table's runs; if `like_baseline`, those that agree with the baseline in settings without a term.
FittedLoss fitted_loss(const FitFlags& flags, const ResultsTable& table, std::span<const RunRecord> runs,
                       bool like_baseline);
/// Returns the fit and its predictions as sentences, one per line.
std::string fitted_text(const FittedLoss& fitted);

}  // namespace ropelab::terminal
