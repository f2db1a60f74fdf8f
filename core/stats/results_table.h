#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/event.h"
#include "core/stats/descriptive.h"
#include "core/stats/t_test.h"

namespace ropelab {

/// One run as the table reads it.
struct ResultRun {
    nlohmann::json settings;  // flat, as the lab file keeps them; a missing key has its default
    std::string name;
    std::optional<RunSummary> summary;
    RunState state = RunState::finished;
};

/// What is measured of a run at its end.
struct Measure {
    std::string_view name;            // as in JSON: "best_validation_loss"
    std::string_view title;           // of a column
    int decimals;                     // in text and LaTeX
    double (*of)(const RunSummary&);  // NaN where it was not measured
};
/// best_validation_loss, final_validation_loss, whole_validation_loss, bits_per_character (of the best validation
/// loss, F35), final_training_loss, seconds, tokens_per_second.
constexpr std::size_t measure_count = 7;
const std::array<Measure, measure_count>& measures();

/// A test against the baseline: raw p and p after Holm's correction over the table's comparisons.
struct Comparison {
    std::optional<double> p;
    std::optional<double> p_holm;
};

/// Runs that differ only in their seed.
struct ResultGroup {
    std::map<std::string, nlohmann::json> settings;  // of the swept keys
    std::vector<std::int64_t> seeds;                 // of the runs that count, in order of appearance
    std::vector<RunSummary> summaries;               // as many
    int unfinished = 0;                              // runs left out because they did not finish
    int repeated = 0;                                // runs left out because a later one has the same seed
    std::array<Description, measure_count> described;
    /// Of the compared measure's mean to the baseline's, in percent: negative where it is lower. nullopt for the
    /// baseline itself.
    std::optional<double> difference_percent;
    Comparison student, welch;
    Comparison paired;  // over the seeds that both have
};

struct ResultsOptions {
    /// Name of the measure that is compared.
    std::string compare = "best_validation_loss";
    /// The baseline: the first group with these values of swept keys ({"theta", "10000"}). Empty: the first group whose
    /// swept keys all have their defaults, or else the first group.
    std::map<std::string, std::string> baseline;
    /// Also count runs that were stopped or failed and left numbers.
    bool unfinished = false;
};

struct ResultsTable {
    std::vector<std::string> swept;   // keys in which the runs differ, seed aside, in the order of the key table
    std::vector<ResultGroup> groups;  // in order of first appearance
    std::size_t baseline = 0;         // index of a group, where there is one
    std::size_t compared = 0;         // index of a measure
};

/// Groups, describes and compares. A run counts where it finished (see ResultsOptions::unfinished) and is the last one
/// of its seed: runs of equal seed and settings are copies, not independent measurements. Throws BadInput for settings
/// that are not a JSON object, an unknown measure and a baseline that no group is.
ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options = {});

/// A value of a swept key as people read it: 10000 as "10000".
std::string setting_text(const nlohmann::json& value);

// All numbers in the C locale.

/// Aligned columns, for a terminal; UTF-8. Notes below tell of runs that were left out.
std::string results_text(const ResultsTable& table);
/// RFC 4180, one line a group, full precision: mean and standard deviation of each measure, differences and p values.
/// A missing number is an empty field.
std::string results_csv(const ResultsTable& table);
/// A booktabs tabular for a paper: losses, difference and corrected p values, with a comment on how they were made.
std::string results_latex(const ResultsTable& table);
/// Everything, with the raw values of each seed; a missing number is null.
nlohmann::json results_json(const ResultsTable& table);

}  // namespace ropelab
