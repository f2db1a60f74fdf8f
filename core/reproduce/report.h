#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/forecast/estimate.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/run/runner.h"

namespace ropelab {

/// `sheet`, `title`, `scale`, `source`, `notes`, `stored_rules` (a sentence if the lab's rules are older than today's,
/// else null), `claims` (each with its `verdict`, `verdict_words` and number of rows by verdict in `verdicts`), `rows`
/// (each with its flat keys, `ours`, `baseline` and `paper` as {mean, std, n}, `difference` with `difference_low` and
/// `difference_high`, `effect` (RowEffect), `p_student`, `p_welch`, `p_paired`, `p_equivalence`, `p_holm`,
/// `p_refutation`, `rule_version`, `failed`, `baseline_failed`, `verdict`, `by_rule` (the verdict of the rule alone if
/// the scale withholds it), `rule`, `words`, `values` by `seeds`, `paper_recomputed`), `predictions`, `calibration`
/// (see calibration_json), `paper_checks`, `source_tests` (the source's claims, tested on its own numbers) and
/// `published_benchmarks` (see benchmark_table_json). Missing numbers are null.
nlohmann::json sheet_json(const SheetPlan& plan, std::span<const SheetRow> rows,
                          std::span<const ScoredPrediction> predictions);

/// The list `predictions` of sheet_json, with `null_model`, `outcome`, `outcome_words`, `chance_of_scored` (of the
/// groups that were scored) and `earlier_rule`.
nlohmann::json predictions_json(const SheetPlan& plan, std::span<const ScoredPrediction> predictions);
/// One sentence per reason why predictions are not scored, with their number by theory and quantity. Without a result,
/// only the output as JSON contains the predictions' own words.
std::vector<std::string> unscored_words(std::span<const ScoredPrediction> predictions);
/// A heading ("Predictions (preregistered)" and `of`), one line per scored prediction, then unscored_words(); "" if
/// there are none.
std::string predictions_text(std::span<const ScoredPrediction> predictions, const std::string& of = {});
/// One indented line (see calibration_words); "" if none is scored.
std::string calibration_text(std::span<const ScoredPrediction> predictions);

/// UTF-8: the notes, one aligned table per measure, and below each table the reason for each verdict.
std::string sheet_text(const SheetPlan& plan, std::span<const SheetRow> rows,
                       std::span<const ScoredPrediction> predictions);

/// Full precision and the values of all seeds ("1337:1.47 1338:1.48"); line ends are CRLF.
std::string sheet_csv(std::span<const SheetRow> rows);

/// Tables for booktabs, one per measure, with caption and label; notes and rules are comments.
std::string sheet_latex(const SheetPlan& plan, std::span<const SheetRow> rows);

/// Runs, cost estimated with `model`, claims, rules and predictions. `data_dir` is also searched for data sets.
nlohmann::json plan_json(const SheetPlan& plan, const std::filesystem::path& data_dir = {},
                         const TimeModel& model = *machine_time_model());
std::string plan_text(const SheetPlan& plan, const std::filesystem::path& data_dir = {},
                      const TimeModel& model = *machine_time_model());

/// "data enwik8, theta 500". The requested data set is named only if another one is used for it.
std::string row_label(const nlohmann::json& keys);
/// The measure says of each run if an event, such as a spike, occurred.
bool is_event(const std::string& measure);
/// "best_validation_loss (nats)"; without a unit if the name contains it.
std::string measure_heading(const std::string& measure);
/// As sample_text; for events their number: "1 of 3".
std::string ours_text(const SheetRow& row);
/// The corrected p on which a verdict rests: "0.031", "0.007 (equivalence)"; "–" without a test.
std::string verdict_p_text(const SheetRow& row);
/// Says why a smoke sheet has no verdicts.
std::string withheld_words();
/// With withheld_words() and the verdict of the rule where the sheet withholds it.
std::string row_reason(const SheetRow& row);
/// Recomputed difference in percent, Student's and Welch's p: "-0.07 (0.615, 0.619)"; "–" without numbers.
std::string recomputed_text(const SheetRow& row);
std::vector<std::vector<const SheetRow*>> tables_of(std::span<const SheetRow> rows);
/// By its position in the plan: "claim 1"; "claim" for an unknown id.
std::string claim_title(const SheetPlan& plan, const std::string& id);
/// Each distinct rule with its claim, baseline and control: "Rule of claim 1: Two-sided …".
std::vector<std::string> rules_of(const SheetPlan& plan);
/// Groups at each length of training, best first: "best_validation_loss after 800 steps: position = rope 1.0212,
/// position = none 1.5860."; empty if the rows have one length.
std::vector<std::string> rankings_of(std::span<const SheetRow> rows);
/// Each requirement is named once.
std::vector<std::string> needs_of(const SheetPlan& plan);
/// Runs per setting, ignoring the seed: {"enwik8, θ 500, 100 %", 10}, in the order of the runs.
std::vector<std::pair<std::string, int>> settings_of(std::span<const RunSpec> specs);
/// Training, evaluations, and measurements after the training (measuring_work). Runs that train sequentially are
/// cohorts of one. The other arguments are those of estimate().
Estimate sheet_cost(const SheetPlan& plan, const std::vector<RunSpec>& specs,
                    const TimeModel& model = *machine_time_model(), const std::filesystem::path& data_dir = {});

}  // namespace ropelab
