#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>

#include "core/experiment/sheets/evaluate.h"

namespace ropelab {

/// A sheet as evaluated: `sheet`, `title`, `scale`, `source`, `notes`, `claims`, `rows` (each with its flat keys,
/// `ours`, `baseline` and `paper` as {mean, std, n}, `difference`, `p_student`, `p_welch`, `p_paired`, `p_equivalence`,
/// `p_holm`, `verdict`, `rule`, `words`, `values` by `seeds`, `paper_recomputed`), `predictions` and `paper_checks`. A
/// number that is missing is null.
nlohmann::json sheet_json(const SheetPlan& plan, std::span<const SheetRow> rows,
                          std::span<const ScoredPrediction> predictions);

/// Predictions with their scores, as sheet_json has them.
nlohmann::json predictions_json(const SheetPlan& plan, std::span<const ScoredPrediction> predictions);
/// The same, one a line below a heading; "" where there are none.
std::string predictions_text(std::span<const ScoredPrediction> predictions);

/// A sheet as aligned tables, one a measure and claim, with the notes on top and what decided each row below. UTF-8.
std::string sheet_text(const SheetPlan& plan, std::span<const SheetRow> rows,
                       std::span<const ScoredPrediction> predictions);

/// Its rows as CSV with full precision, one a row, the values of the seeds too ("1337:1.47 1338:1.48"); CRLF line ends.
std::string sheet_csv(std::span<const SheetRow> rows);

/// Its rows as LaTeX tables with booktabs, one a measure, notes and rules as comments.
std::string sheet_latex(const SheetPlan& plan, std::span<const SheetRow> rows);

/// What a plan will do, before anything trained: its runs as JSON and text, with claims, rules and predictions. Texts
/// are looked for in `data_dir` too, for the cost.
nlohmann::json plan_json(const SheetPlan& plan, const std::filesystem::path& data_dir = {});
std::string plan_text(const SheetPlan& plan, const std::filesystem::path& data_dir = {});

}  // namespace ropelab
