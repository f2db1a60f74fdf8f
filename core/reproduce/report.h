#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/reproduce/rules/evaluate.h"

namespace ropelab {

/// Returns an evaluated sheet as JSON: `sheet`, `title`, `scale`, `source`, `notes`, `stored_rules` (a
/// sentence if the lab's rules are older than today's, else null), `claims` (each with its `verdict`, `verdict_words`
/// and number of rows by verdict in `verdicts`), `rows` (each with its flat keys, `ours`, `baseline` and `paper` as
/// {mean, std, n}, `difference` with `difference_low` and `difference_high`, `effect` (RowEffect), `p_student`,
/// `p_welch`, `p_paired`, `p_equivalence`, `p_holm`, `p_refutation`, `rule_version`, `failed`, `baseline_failed`,
/// `verdict`, `by_rule` (the verdict of the rule alone if the
/// scale withholds it), `rule`, `words`, `values` by `seeds`, `paper_recomputed`), `predictions`, `calibration` (see
/// calibration_json), `paper_checks`, `source_tests` (the source's claims, tested on its own numbers) and
/// `published_benchmarks` (see benchmark_table_json). Missing numbers are null.
nlohmann::json sheet_json(const SheetPlan& plan, std::span<const SheetRow> rows,
                          std::span<const ScoredPrediction> predictions);

/// Returns predictions with their scores as the JSON list `predictions` of sheet_json: the stored prediction with its
/// `null_model`, `outcome`, `outcome_words`, `chance_of_scored` (of the groups that were scored) and `earlier_rule`
/// (whether the rule is that of an earlier version, stored with the lab).
nlohmann::json predictions_json(const SheetPlan& plan, std::span<const ScoredPrediction> predictions);
/// Returns one sentence for each reason why predictions are not scored, with the number of such predictions by theory
/// and quantity. Their words are long and without a result, so that only the output as JSON contains them.
std::vector<std::string> unscored_words(std::span<const ScoredPrediction> predictions);
/// Returns predictions with their scores as text: a heading, one line per scored prediction, then unscored_words(); ""
/// if there are none.
std::string predictions_text(std::span<const ScoredPrediction> predictions);
/// Returns the joint calibration of the predictions as one indented line (see calibration_words); "" if none is scored.
std::string calibration_text(std::span<const ScoredPrediction> predictions);

/// Returns an evaluated sheet as UTF-8 text: the notes, one aligned table per measure, and below each table the reason
/// for each verdict.
std::string sheet_text(const SheetPlan& plan, std::span<const SheetRow> rows,
                       std::span<const ScoredPrediction> predictions);

/// Returns the rows as CSV with full precision and the values of all seeds ("1337:1.47 1338:1.48"); line ends are CRLF.
std::string sheet_csv(std::span<const SheetRow> rows);

/// Returns the rows as LaTeX tables for booktabs, one per measure, with caption and label; notes and rules are
/// comments. The captions name data, scale, measure, tests and correction.
std::string sheet_latex(const SheetPlan& plan, std::span<const SheetRow> rows);

/// Returns what a plan would do, before anything is trained: its runs, their estimated cost, claims, rules and
/// predictions. `data_dir`: directory that is also searched for data sets, whose sizes affect the cost.
nlohmann::json plan_json(const SheetPlan& plan, const std::filesystem::path& data_dir = {});
/// Returns what a plan would do as text (see plan_json).
std::string plan_text(const SheetPlan& plan, const std::filesystem::path& data_dir = {});

}  // namespace ropelab
