#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/spec/event.h"
#include "core/stats/descriptive.h"
#include "core/stats/t_test.h"

namespace ropelab {

/// Validation loss of a run after some steps, in nats per token.
struct LossAt {
    std::int64_t iteration = 0;
    double validation_loss = 0;
};

struct ResultRun {
    nlohmann::json settings;  // flat JSON object, as in the lab file; a missing setting has its default
    std::string name;
    std::optional<RunSummary> summary;
    RunState state = RunState::finished;
    /// All evaluations in order; used only if ResultsOptions::target_loss is set.
    std::vector<LossAt> evaluations = {};
    std::optional<RunConditions> conditions = {};     // nullopt if the run has not begun
    bool excluded = false;                            // true if the user excluded the run from the results
    std::map<std::string, double> measurements = {};  // measured after training, by name (LabFile::measurements)
    std::string setting_name = {};                    // the user's name for its setting (setting_names); "" for none
    bool searched = false;                            // true if a search chose its settings
};

/// Quantity that is measured for each run, such as its best validation loss.
struct Measure {
    std::string_view name;            // name in JSON and CSV: "best_validation_loss"
    std::string_view title;           // column heading
    std::string_view unit;            // "nats"
    int decimals;                     // number of decimals in text and LaTeX
    bool more_is_better;              // true for speeds; false for losses and times
    double (*of)(const RunSummary&);  // value for a run; NaN if it was not measured
};
/// Returns the best validation loss in bits per byte of the text (formula 35); NaN if the bytes are unknown.
double bits_per_byte(const RunSummary& summary);
constexpr std::size_t measure_count = 10;
/// Returns all measures: best_validation_loss, final_validation_loss, whole_validation_loss, test_loss (only with a
/// test split), bits_per_character (best validation loss in bits, formula 35; only if a token is a character or byte),
/// bits_per_byte (the same per byte of the text, the only loss that is comparable between tokenizers),
/// final_training_loss, seconds, tokens_per_second, generated_tokens_per_second (generation speed; measured after
/// training on request).
const std::array<Measure, measure_count>& measures();
/// Returns the index of the measure with the given name. Throws BadInput if there is none; the message names the most
/// similar one.
std::size_t measure_index(const std::string& name);

/// Kind of t test on which the verdicts of a table are based.
enum class TestKind { student, welch, paired };
inline constexpr std::array<TestKind, 3> test_kinds = {TestKind::student, TestKind::welch, TestKind::paired};
std::string to_string(TestKind test);
/// Returns the kind of test for a word that to_string(TestKind) returns, and nullopt for "auto", which leaves the
/// choice to results_table(). Throws BadInput for any other word.
std::optional<TestKind> test_kind(const std::string& word);

/// Difference of two means with its 95 % confidence interval. The ends are NaN if there are too few values or all
/// values are equal.
struct DifferenceInterval {
    double difference = 0;  // mean of the group − mean of the reference, in the unit of the measure
    double low = Description::unknown;
    double high = Description::unknown;
    double reference = Description::unknown;  // mean of the reference over the values that are compared
    int values = 0;                           // number of seeds of the group, or of pairs
};

/// Test of a group against its baseline: the difference that it tests, raw p, and p after Holm's correction over all
/// comparisons with this baseline.
struct Comparison {
    /// Difference from the baseline with its interval, without correction: of the means, or for the paired test the
    /// mean of the differences between equal seeds. nullopt if a group has no finite value or there is no pair.
    std::optional<DifferenceInterval> estimate;
    std::optional<double> p;       // nullopt if no test is possible
    std::optional<double> p_holm;  // p after Holm's correction
    std::optional<TTest> test;     // the t test that gave p
    /// Difference that this test detects with 80 % power, for the groups' standard deviations and numbers of seeds, at
    /// the level of the first step of Holm's correction: 5 % / number of comparisons. It is the strictest step, so the
    /// power is at least 80 %.
    std::optional<double> detectable;
    /// Number of seeds per group (of pairs for the paired test) with which this test would detect a difference as large
    /// as the observed one under the same conditions; only if the difference is not significant after the correction.
    std::optional<std::int64_t> seeds_needed;
};

/// Ways in which runs can train differently although their settings are equal.
inline constexpr std::array<std::string_view, 3> condition_names = {"precision", "device", "kernels"};
/// Returns the precision, the device or, for "kernels", whether CUDA graphs were used ("none" on the CPU).
std::string condition_of(const RunConditions& conditions, std::string_view name);

/// Group of runs that differ only in their seed.
struct ResultGroup {
    std::map<std::string, nlohmann::json> settings;  // values of the swept settings
    std::string name;                                // the user's name for the setting; "" for none
    std::vector<std::size_t> members;                // indices of all runs of the group
    std::vector<std::size_t> counted;                // indices of the runs that are not excluded
    std::vector<std::int64_t> seeds;                 // seeds of the runs in `counted`
    std::vector<RunSummary> summaries;               // results of the runs in `counted`
    std::vector<std::string> clocks;                 // RunConditions::clock of the runs in `counted`
    int unfinished = 0;                              // number of runs excluded because they did not finish
    int failed = 0;                                  // number of runs excluded because they failed or diverged
    int repeated = 0;                                // number of runs excluded because a later run has the same seed
    std::vector<std::size_t> excluded;               // indices of the runs that the user excluded
    /// Number of counted runs by each condition of condition_names and its value.
    std::map<std::string, std::map<std::string, int>> conditions;
    std::map<std::string, Description> measurements;   // statistics of ResultRun::measurements over the counted runs
    std::array<Description, measure_count> described;  // statistics of each measure (describe_measure)
    /// Number of iterations to the first evaluation at or below the target loss, for each run in `counted`; NaN if the
    /// run never reached it. Empty without a target loss.
    std::vector<double> iterations_until;
    Description until;  // statistics of the runs that reached the target loss

    /// Index of the baseline with which this group is compared; its own index for a baseline; nullopt if its data set
    /// has no baseline.
    std::optional<std::size_t> against;
    // The members below compare the group with its baseline in the compared measure. They are nullopt for a baseline.
    /// Difference that the table's test tests (Comparison::estimate), in the unit of the measure.
    std::optional<double> difference;
    /// `difference` as a percentage of the baseline's mean over the same values.
    std::optional<double> difference_percent;
    /// `difference_percent` with the sign changed if lower is better, so that a positive number is an improvement.
    std::optional<double> improvement_percent;
    Comparison student, welch;
    Comparison paired;  // over the seeds that both groups have
    int pairs = 0;      // number of these seeds with finite values in both groups

    const Comparison& comparison(TestKind test) const;
    Comparison& comparison(TestKind test);
    bool is_excluded(std::size_t run) const {
        return std::find(excluded.begin(), excluded.end(), run) != excluded.end();
    }
    /// Returns the values of a measure in the order of `seeds`.
    std::vector<double> values(std::size_t measure) const;
};

struct ResultsOptions {
    std::string compare = "best_validation_loss";
    /// Settings of the baseline as typed, such as {"theta", "10k"} or {"fraction", "2 ch"}; the first group that has
    /// them is the baseline. If empty, the baseline is the first group with the most swept settings at their defaults,
    /// where the settings of the data set (`data`, `symbols`, `split`) count least; of equal groups, the first one
    /// with results. Losses on different data sets cannot be compared, so a group of another data set is compared with
    /// the group of its data set that has the other settings of the baseline.
    std::map<std::string, std::string> baseline;
    /// If true, runs that were stopped or failed are included if they have results.
    bool unfinished = false;
    /// Target validation loss in nats per token, for ResultGroup::iterations_until.
    std::optional<double> target_loss = {};
    /// Test on which the verdicts are based; nullopt: the paired test if every group has the seeds of its baseline,
    /// else Welch's test. Equal seeds share their initial weights and batches, so that pairs decide with fewer seeds.
    std::optional<TestKind> test = {};
    /// Conditions (condition_names) that separate groups, as a setting does. Runs without conditions keep their
    /// setting.
    std::vector<std::string> split_by = {};
};

/// Throws BadInput if a name is not one of condition_names.
void check_split(const std::vector<std::string>& names);

/// Converts texts such as "theta=10000", or "theta=10000, fraction=0.5", to pairs {"theta", "10000"}. Throws BadInput
/// for a text without "=".
std::map<std::string, std::string> baseline_settings(const std::vector<std::string>& typed);

struct ResultsTable {
    std::vector<std::string> swept;   // settings in which the runs differ, without the seed, in the order of keys()
    std::vector<ResultGroup> groups;  // in order of first appearance
    std::map<std::string, nlohmann::json> shared;  // settings that all runs have in common, without the seed
    std::size_t baseline = 0;                      // index of the first baseline; see also ResultGroup::against
    std::size_t compared = 0;                      // index of the measure that is compared
    TestKind test = TestKind::welch;
    std::optional<double> target_loss = {};
    std::vector<std::string> measurements = {};  // names of the counted runs' measurements, sorted
    bool searched = false;                       // whether a search chose the settings of a counted run

    /// Returns the baseline with which a group is compared (the group itself if it is a baseline); nullptr if its data
    /// set has no baseline.
    const ResultGroup* baseline_of(const ResultGroup& group) const;
    bool is_baseline(const ResultGroup& group) const { return baseline_of(group) == &group; }
    /// Returns whether runs of a group or of its baseline failed or diverged, so that their comparison covers only the
    /// surviving runs; false for a baseline.
    bool compares_survivors(const ResultGroup& group) const;
    int comparisons() const;
    /// Returns the number of groups that the test compares with the baseline of `group`. This is the number of
    /// comparisons for Holm's correction.
    int comparisons_beside(const ResultGroup& group) const;
};

/// Groups runs by their settings, computes statistics and compares the groups with the baseline. Runs that did not
/// finish are excluded (see ResultsOptions::unfinished). Of several runs with equal seed and settings only the last is
/// included, because they are copies and not independent measurements. Throws BadInput if the settings of a run are not
/// a JSON object, if the measure is unknown, or if no group has the settings of the baseline.
ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options = {});

/// Sorts the groups by a swept setting, the mean of a measure, "n", "improvement", "iterations_until", "p_student",
/// "p_welch" or "p_paired". A `-` before the name sorts in descending order. Groups without a value come last in both
/// orders. Throws BadInput for any other name; the message names the most similar one.
void sort_groups(ResultsTable& table, const std::string& by);

/// Sorts the groups by their swept settings in order: numbers ascending, words as they first appear.
void sort_by_settings(ResultsTable& table);

/// Formats the value of a setting: 10000 as "10000".
std::string setting_text(const nlohmann::json& value);
/// Returns whether two groups were trained on the same data set (settings `data`, `tokenizer`, `vocabulary_size` and
/// `split`), so that their values of a measure can be compared. Bits per byte can be compared if only the tokenizers
/// differ.
bool same_data(const ResultGroup& a, const ResultGroup& b, std::size_t measure);

/// Returns the user's name for the setting of a group, followed by the settings in which groups of this name differ:
/// "short base (precision = float32)"; "" if the setting has no name.
std::string group_name(const ResultsTable& table, const ResultGroup& group);
bool has_names(const ResultsTable& table);
/// Returns the name of a group, or its swept settings: "theta = 500, fraction = 0.25"; "all runs" if no setting was
/// swept.
std::string group_label(const ResultsTable& table, const ResultGroup& group);

/// Result of the test of a group against its baseline at the 5 % level after Holm's correction.
struct Verdict {
    enum class Kind { baseline, untested, undecided, better, worse } kind = Kind::untested;
    std::string words;
};
Verdict verdict_of(const ResultsTable& table, const ResultGroup& group);
/// Returns one sentence for each condition in which the table pools or compares runs that trained differently, with
/// their numbers and the option that separates them; empty if there is none.
std::vector<std::string> condition_warnings(const ResultsTable& table);
/// Returns the values of a condition in a group with their numbers of runs: "float32", or "bfloat16 (2), float32 (1)".
std::string condition_text(const ResultGroup& group, std::string_view name);

/// Returns the word for a verdict: "baseline", "no test", "not significant", "better" or "worse".
std::string to_string(Verdict::Kind kind);

// The formats below write numbers in the C locale.

struct TableStyle {
    /// Names of the columns in their order: of column_names(), or `short`, `paper`, `full` or `settings` for several
    /// columns. If empty, a text has the columns of `short`, which fit into a terminal, and other formats have those of
    /// `full`.
    std::vector<std::string> columns = {};
    /// If true, LaTeX prints the best mean of each measure and data set in bold.
    bool best_bold = false;
};

/// Splits a list of column names at its commas. Throws BadInput for an empty name.
std::vector<std::string> column_list(const std::string& typed);
/// Returns the names of all columns of a table with their meanings, in the order of `full`.
std::vector<std::pair<std::string, std::string>> column_names(const ResultsTable& table);
/// Returns the list of `results --columns help`: the presets and the columns of any table, one per line.
std::string column_help();

/// Formats a table as text with aligned columns for a terminal (UTF-8). Notes on tests and excluded runs follow below,
/// and with chosen columns the verdicts in sentences. Throws BadInput for a column that does not exist; the message
/// lists the columns.
std::string results_text(const ResultsTable& table, const TableStyle& style = {});
/// Formats a table as CSV (RFC 4180) with one line per group and numbers in full precision. A missing number is an
/// empty field. Differences, p values and intervals are for the measure in the column `compared` and the group in the
/// column `baseline`; the column `verdict` is based on the test in the column `test`. Throws like results_text().
std::string results_csv(const ResultsTable& table, const TableStyle& style = {});
/// Formats a table as a LaTeX table (packages booktabs and graphicx, and rotating if it is wide) with caption and
/// label. The caption names data, model, steps, precision, n, test and correction, and explains the significance marks.
/// Comments explain the tests. A table of more than eight columns is turned. Throws like results_text().
std::string results_latex(const ResultsTable& table, const TableStyle& style = {});
/// Converts a table to JSON with the raw values of each seed. A missing number is null.
nlohmann::json results_json(const ResultsTable& table);

// The settings of a group in the words of a reader, for sentences, captions and headings. group_label() has the names
// and values as they are typed.

/// Returns the title of a setting: "θ" for theta, else its name with spaces.
std::string setting_title(const std::string& key);
/// Returns the value of a setting in words: "10k", "25 %" for a fraction, "yes"; "–" if the run lacks it.
/// `head_dim` is the head dimension for fraction_text(), 0 if it is unknown.
std::string setting_words(const std::string& key, const nlohmann::json& value, int head_dim = 0);
/// Returns the head dimension of a group's runs from their settings `width` and `heads`; 0 if they are unknown.
int head_dim_of(const ResultsTable& table, const ResultGroup& group);
/// Returns the head dimension that all groups of a table have; 0 if they differ in it or it is unknown.
int head_dim_of(const ResultsTable& table);
std::string group_setting_words(const ResultsTable& table, const ResultGroup& group, const std::string& key);
/// Returns the name of a group, or its swept settings in words: "θ = 10k, fraction = 25 %"; "all runs" if no setting
/// was swept.
std::string group_words(const ResultsTable& table, const ResultGroup& group);

}  // namespace ropelab
