#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "core/experiment/estimate.h"
#include "core/experiment/runner.h"
#include "core/experiment/sheets/evaluate.h"

namespace ropelab {

// What the formats of a sheet have in common.

/// A row's keys in words: "data enwik8, theta 500"; the text that was asked for only where another stands for it.
std::string row_label(const nlohmann::json& keys);
/// "1.4728 ± 0.0016"; "–" for a sample without a number.
std::string sample_text(const Sample& sample);
/// Whether a measure says of each run whether something came to pass, as a spike.
bool is_event(const std::string& measure);
/// A measure as the heading of a table: "best_validation_loss (nats)"; alone where its name says its unit.
std::string measure_heading(const std::string& measure);
/// sample_text of a row's own numbers; of events how many: "1 of 3".
std::string ours_text(const SheetRow& row);
/// The source's difference in percent, recomputed from its means, with the p of Student and of Welch:
/// "-0.07 (0.615, 0.619)"; "–" where it prints no such numbers.
std::string recomputed_text(const SheetRow& row);
/// Rows of one measure together, in their order.
std::vector<std::vector<const SheetRow*>> tables_of(std::span<const SheetRow> rows);
/// Every rule once, in words, with its claim, baseline and control: "lower-loss: Two-sided …".
std::vector<std::string> rules_of(const SheetPlan& plan);
/// What it would take for the rows that a plan cannot test, each once.
std::vector<std::string> needs_of(const SheetPlan& plan);
/// How many runs a plan has of each setting, the seed aside: {"enwik8, θ 500, 100 %", 10}, in their order.
std::vector<std::pair<std::string, int>> settings_of(std::span<const RunSpec> specs);
/// What a plan's runs cost: training, evaluations, and what is measured of them afterwards. Those that train one by one
/// are cohorts of one. Speed and texts as in estimate(), within about a factor of 1.5 on an idle processor.
Estimate sheet_cost(const SheetPlan& plan, const std::vector<RunSpec>& specs, double operations_per_second = 0,
                    const std::filesystem::path& data_dir = {});

}  // namespace ropelab
