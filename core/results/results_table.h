#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/results/result_group.h"
#include "core/results/results_cells.h"
#include "core/results/results_verdict.h"

namespace ropelab {

struct ResultsOptions {
    /// "auto": best_validation_loss if all groups are evaluated alike, else whole_validation_loss, or the final one.
    std::string compare = "auto";
    /// As typed, such as {"theta", "10k"} or {"fraction", "2 ch"}. A group that has them is the baseline of its level:
    /// the groups that equal it in all other swept settings. If empty, `position`, `theta`, `fraction` or the first
    /// other swept setting has its value in the first group with the most swept settings at their defaults, where the
    /// settings of the data set (`data`, `symbols`, `split`) count least; of equal groups, the first one with results.
    /// Groups of a level without a baseline have none, unless the level differs in settings of evaluation only. A level
    /// that has only the baseline's setting is compared with that first group, or with the group of its own data set
    /// that has the same other settings, because losses on different data sets cannot be compared.
    std::map<std::string, std::string> baseline = {};
    /// Runs that were stopped or failed are included if they have results.
    bool unfinished = false;
    /// Nats per token, for ResultGroup::iterations_until.
    std::optional<double> target_loss = {};
    /// Nullopt: for each comparison, the paired test if its two groups share at least two seeds, and at least half of
    /// the seeds of the smaller group, else Welch's test. Equal seeds share their initial weights and batches, so that
    /// pairs decide with fewer seeds.
    std::optional<TestKind> test = {};
    /// Relevance margin in percent of the baseline's mean; differences within it are called equivalent. 0 turns it off.
    /// As typed, such as "0.5" or "0.5 %"; "" is 0.1 %. "seeds": the standard deviation of the compared measure over
    /// seeds, pooled over the groups, unless there is a stopping rule, whose margin is fixed before the first run.
    std::string margin = {};
    /// Conditions that separate groups as settings do; runs without conditions keep their setting.
    std::vector<std::string> split_by = {};
};

inline constexpr double default_margin_percent = 0.1;
/// Of ResultsOptions::margin; nullopt for "seeds". Throws BadInput for another text.
std::optional<double> parsed_margin(const std::string& typed);

/// "theta=10000", or "theta=10000, fraction=0.5". Throws BadInput for a text without "=".
std::map<std::string, std::string> baseline_settings(const std::vector<std::string>& typed);

/// Runs that did not finish are excluded (see ResultsOptions::unfinished). Of runs with equal seed and settings, which
/// are copies, only the last is included. Throws BadInput if the settings of a run are not a JSON object, if the
/// measure is unknown, if no group has the settings of the baseline, or if several have them and none of these has the
/// other settings of some group.
ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options = {});

/// By a swept setting, the mean of a measure, "n", "improvement", "iterations_until", "p_student", "p_welch" or
/// "p_paired". A `-` before it means descending. Groups without a value come last in both orders. Throws BadInput for
/// any other name; the message names the most similar one.
void sort_groups(ResultsTable& table, const std::string& by);

/// Numbers ascending, words as they first appear.
void sort_by_settings(ResultsTable& table);

// Numbers are in the C locale.

/// For a terminal (UTF-8). Notes on tests and excluded runs follow below, and with chosen columns the verdicts in
/// sentences. Throws BadInput for a column that does not exist; the message lists the columns.
std::string results_text(const ResultsTable& table, const TableStyle& style = {});
/// RFC 4180, one line per group, full precision. A missing number is an empty field. Differences, p values and
/// intervals are for the measure in the column `compared` and the group in the column `baseline`; the column `verdict`
/// is based on the test in the column `test`. Throws like results_text().
std::string results_csv(const ResultsTable& table, const TableStyle& style = {});
/// Packages booktabs and graphicx, and rotating if the table is wide. Comments explain the tests. A table of more than
/// eight columns is turned. Throws like results_text().
std::string results_latex(const ResultsTable& table, const TableStyle& style = {});
/// Raw values of each seed; a missing number is null.
nlohmann::json results_json(const ResultsTable& table);

}  // namespace ropelab
