#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/event.h"
#include "core/stats/descriptive.h"
#include "core/stats/sequential.h"
#include "core/stats/t_test.h"

namespace ropelab {

/// Stopping rule of an experiment whose comparisons end when they are settled, with all its seeds in their fixed order.
struct SequentialSeeds {
    SequentialDesign design;
    std::vector<std::int64_t> seeds;  // ascending
};

/// Nats per token.
struct LossAt {
    std::int64_t iteration = 0;
    double validation_loss = 0;
};

struct ResultRun {
    nlohmann::json settings;  // flat JSON object, as in the lab file; a missing setting has its default
    std::string name;
    std::optional<RunSummary> summary;
    RunState state = RunState::finished;
    /// In order; used only if ResultsOptions::target_loss is set, and in tables with imported runs.
    std::vector<LossAt> evaluations = {};
    std::optional<RunConditions> conditions = {};     // nullopt if the run has not begun
    bool excluded = false;                            // true if the user excluded the run from the results
    std::map<std::string, double> measurements = {};  // measured after training, by name (LabFile::measurements)
    std::string setting_name = {};                    // the user's name for its setting (setting_names); "" for none
    bool searched = false;                            // true if a search chose its settings
    bool pruned = false;                              // successive halving stopped it for good
    std::int64_t look = 0;                            // experiment that added the run to the lab file; 0: the first one
    std::shared_ptr<const SequentialSeeds> sequential = {};  // of its experiment; nullptr for a fixed number of seeds
};

struct Measure {
    std::string_view name;            // name in JSON and CSV: "best_validation_loss"
    std::string_view title;           // column heading
    std::string_view unit;            // "nats"
    int decimals;                     // number of decimals in text and LaTeX
    bool more_is_better;              // true for speeds; false for losses and times
    bool of_best;                     // it is that of the run's best evaluation, which more evaluations make lower
    double (*of)(const RunSummary&);  // value for a run; NaN if it was not measured
};
/// In nats or bits.
bool is_loss(const Measure& measure);
/// Best validation loss (formula 35); NaN if the bytes are unknown.
double bits_per_byte(const RunSummary& summary);
constexpr std::size_t measure_count = 10;
/// In order: best_validation_loss, final_validation_loss, whole_validation_loss, test_loss (only with a test split),
/// bits_per_character (best validation loss in bits, formula 35; only if a token is a character or byte), bits_per_byte
/// (the same per byte of the text, the only loss that is comparable between tokenizers), final_training_loss, seconds,
/// tokens_per_second, generated_tokens_per_second (generation speed; measured after training on request).
const std::array<Measure, measure_count>& measures();
/// Throws BadInput if there is none; the message names the most similar one.
std::size_t measure_index(const std::string& name);

/// `permutation`: signs of the differences between runs of equal seed (core/stats/resampling.h).
enum class TestKind { student, welch, paired, permutation };
inline constexpr std::array<TestKind, 4> test_kinds = {TestKind::student, TestKind::welch, TestKind::paired,
                                                       TestKind::permutation};
/// The test compares runs of equal seed.
constexpr bool is_by_seed(std::optional<TestKind> test) {
    return test == TestKind::paired || test == TestKind::permutation;
}
std::string to_string(TestKind test);
/// nullopt for "auto", which leaves the choice to results_table(). Throws BadInput for an unknown word.
std::optional<TestKind> test_kind(const std::string& word);

/// 95 % confidence interval. The ends are NaN if there are too few values or all values are equal.
struct DifferenceInterval {
    double difference = 0;  // mean of the group − mean of the reference, in the unit of the measure
    double low = Description::unknown;
    double high = Description::unknown;
    double reference = Description::unknown;  // mean of the reference over the values that are compared
    int values = 0;                           // number of seeds of the group, or of pairs
};

/// Difference, raw p, and p after Holm's correction over all comparisons with this baseline.
struct Comparison {
    /// Without correction; for the paired test of equal seeds. nullopt if a group has no finite value or there is no
    /// pair.
    std::optional<DifferenceInterval> estimate;
    std::optional<double> p;       // nullopt if no test is possible
    std::optional<double> p_holm;  // p after Holm's correction
    std::optional<TTest> test;     // the t test that gave p
    /// Detected with 80 % power, for the groups' standard deviations and numbers of seeds, at the level of the first
    /// step of Holm's correction: 5 % / number of comparisons. It is the strictest step, so the power is at least 80 %.
    std::optional<double> detectable;
    /// Per group, or pairs, to detect the observed difference; only if it is not significant after the correction.
    std::optional<std::int64_t> seeds_needed;
    /// The same at the ends of the 95 % interval of the standard deviation; nullopt for more than 10,000.
    std::optional<std::int64_t> seeds_needed_low, seeds_needed_high;
    /// Only of the paired test in a table with a stopping rule: `p`, `estimate` and `test` are then those of the seeds
    /// that the comparison used, and p and interval hold at all looks together.
    std::optional<SequentialResult> sequential;
};

/// How a comparison ended: to_string(End), but "equivalent" for a refutation of the difference of two settings, and
/// "below the target" or "above the target" with a target.
std::string end_of(const SequentialDesign& design, const SequentialResult& result);
/// {"e_value", "largest_e_value", "p", "stopped", "seeds_used", "looks"} and, beside these, the corrected p, the p of
/// the refutation or equivalence, the anytime-valid interval of the difference and the predicted chance of a verdict by
/// the cap.
nlohmann::json sequential_json(const SequentialResult& result);

inline constexpr std::array<std::string_view, 3> condition_names = {"precision", "device", "kernels"};
/// For "kernels", whether CUDA graphs were used ("none" on the CPU).
std::string condition_of(const RunConditions& conditions, std::string_view name);

/// Runs that differ only in their seed.
struct ResultGroup {
    std::map<std::string, nlohmann::json> settings;  // values of the swept settings
    std::string name;                                // the user's name for the setting; "" for none
    std::vector<std::size_t> members;                // indices of all runs of the group
    std::vector<std::size_t> counted;                // indices of the runs that are not excluded
    std::vector<std::int64_t> seeds;                 // seeds of the runs in `counted`
    std::vector<std::int64_t> failed_seeds;          // of the runs that failed, diverged or are excluded
    std::vector<RunSummary> summaries;               // results of the runs in `counted`
    std::vector<std::string> clocks;                 // RunConditions::clock of the runs in `counted`
    /// Numbers of evaluations of the runs in `counted`; empty without imported runs, where settings decide them.
    std::set<std::size_t> evaluations;
    int unfinished = 0;                 // number of runs excluded because they did not finish
    int stopped = 0;                    // number of runs included although they did not finish
    int open = 0;                       // number of runs that have not ended, or can resume
    int failed = 0;                     // number of runs excluded because they failed or diverged
    int repeated = 0;                   // number of runs excluded because a later run has the same seed
    double repeat_difference = 0;       // largest difference of their best losses from those that count
    std::vector<std::size_t> excluded;  // indices of the runs that the user excluded
    std::map<std::string, std::map<std::string, int>> conditions;
    std::map<std::string, Description> measurements;   // statistics of ResultRun::measurements over the counted runs
    std::array<Description, measure_count> described;  // statistics of each measure (describe_measure)
    /// Iterations to the target loss, for each run in `counted`; NaN if never reached. Empty without a target loss.
    std::vector<double> iterations_until;
    Description until;  // statistics of the runs that reached the target loss

    /// Index of the baseline; its own index for a baseline; nullopt if its data set has no baseline.
    std::optional<std::size_t> against;
    std::size_t model = 0;  // equal for groups that train the same models from equal seeds
    std::optional<std::size_t>
        repeats;  // index of a group with the same models and, unless it is the baseline, baseline
    // Comparison with the baseline in the compared measure; nullopt for a baseline.
    /// Comparison::estimate of the table's test.
    std::optional<double> difference;
    /// Percentage of the magnitude of the baseline's mean over the same values.
    std::optional<double> difference_percent;
    /// Positive is better.
    std::optional<double> improvement_percent;
    Comparison student, welch;
    Comparison paired, permutation;   // over the seeds that both groups have
    int comparisons = 0;              // of the decided tests on the data set, for Holm's correction
    int pairs = 0;                    // number of these seeds with finite values in both groups
    TestKind test = TestKind::welch;  // the test that decides (ResultsOptions::test)
    std::vector<std::int64_t> looks;  // ResultRun::look of the runs in `counted`

    const Comparison& comparison(TestKind kind) const;
    Comparison& comparison(TestKind kind);
    /// That of the test that decides. Its p_holm is over all comparisons of the data set, each with its own test.
    const Comparison& decided() const { return comparison(test); }
    bool is_excluded(std::size_t run) const {
        return std::find(excluded.begin(), excluded.end(), run) != excluded.end();
    }
    /// In the order of `seeds`.
    std::vector<double> values(std::size_t measure) const;
};

struct ResultsTable {
    std::vector<std::string> swept;   // settings in which the runs differ, without the seed, in the order of keys()
    std::vector<ResultGroup> groups;  // in order of first appearance
    std::map<std::string, nlohmann::json> shared;    // settings that all runs have in common, without the seed
    std::size_t baseline = 0;                        // index of the first baseline; see also ResultGroup::against
    std::size_t compared = 0;                        // index of the measure that is compared
    std::optional<TestKind> test = TestKind::welch;  // of all comparisons; nullopt if they have different ones
    double margin_percent = 0;                       // ResultsOptions::margin
    bool margin_of_seeds = false;                    // it is the spread of the seeds
    std::shared_ptr<const SequentialSeeds> sequential = {};  // the stopping rule, if all runs have the same one
    std::optional<TestKind> ignored_test = {};               // that was chosen, although the stopping rule has its own
    bool changes_rule = false;  // chosen baseline, measure or margin are not those with which the rule stopped
    std::optional<double> target_loss = {};
    std::vector<std::string> measurements = {};  // names of the counted runs' measurements, sorted
    bool searched = false;                       // whether a search chose the settings of a counted run

    /// The group itself if it is a baseline; nullptr if its data set has no baseline.
    const ResultGroup* baseline_of(const ResultGroup& group) const;
    bool is_baseline(const ResultGroup& group) const { return baseline_of(group) == &group; }
    /// Runs of the group or of its baseline failed or diverged; false for a baseline.
    bool compares_survivors(const ResultGroup& group) const;
    /// More than one if experiments added seeds to the group or its baseline when the lab file already had some.
    int looks(const ResultGroup& group) const;
    /// Of the stopping rule; no group has a baseline then.
    std::optional<double> target() const { return sequential ? sequential->design.target : std::nullopt; }
    int comparisons() const;
    /// Number of runs that have not ended, before which tests of a fixed number of seeds decide nothing; 0 with a
    /// stopping rule, whose tests hold at every look.
    int open() const;
};

/// The swept settings, but not `without` and settings whose values correspond one to one to those of an earlier one,
/// such as the final learning rate.
std::vector<std::string> distinguishing_keys(const ResultsTable& table, const std::string& without = {});

/// BadInput if a name is not one of condition_names.
void check_split(const std::vector<std::string>& names);

/// 10000 as "10000".
std::string setting_text(const nlohmann::json& value);
/// Also the seed and the length of synthetic data, because others are other texts.
bool is_data_setting(const std::string& key);
/// Runs that differ in it train on another text; of other data settings, such as the tokenizer, they do not.
bool is_text_setting(const std::string& key);
/// Values of the measure cannot be compared between runs that differ in the setting. Bits per byte can, of all
/// tokenizers.
bool separates_data(const std::string& key, std::size_t measure);
/// Equal `data`, `tokenizer`, `vocabulary_size` and `split`; for bits per byte, tokenizers may differ.
bool same_data(const ResultGroup& a, const ResultGroup& b, std::size_t measure);

/// The settings of the data in which the groups differ, so that a loss cannot be compared between all of them:
/// "tokenizer", "data set and split"; "data set" if there is none.
std::string data_words(const ResultsTable& table);
/// The settings in which the baselines differ: "fraction", "tokenizer and learning rate"; "data set" if there is none.
std::string level_words(const ResultsTable& table);

/// The programs that trained imported runs, such as "MLflow, wandb"; "" if RoPE Lab trained all runs.
std::string imported_words(const ResultsTable& table);
/// Follows a number of the compared measure: " nats"; "" for losses of imported runs, whose unit is not known.
std::string unit_after(const ResultsTable& table);

/// With settings in which groups of this name differ: "short base (precision = float32)"; "" without a name.
std::string group_name(const ResultsTable& table, const ResultGroup& group);
bool has_names(const ResultsTable& table);
/// The name, or the swept settings: "theta = 500, fraction = 0.25"; "all runs" if no setting was swept.
std::string group_label(const ResultsTable& table, const ResultGroup& group);
/// "Student's t test", "Welch's t test" or "the t test paired by seed"; nullopt: how each comparison chooses.
std::string test_title(std::optional<TestKind> test);

// For sentences, captions and headings; group_label() has names and values as they are typed.

/// "θ" for theta, else the name with spaces.
std::string setting_title(const std::string& key);
/// "10k", "25 %" for a fraction, "yes"; "–" if the run lacks it. `head_dim` for fraction_text(); 0: unknown.
std::string setting_words(const std::string& key, const nlohmann::json& value, int head_dim = 0);
/// From `width` and `heads`; 0 if they are unknown.
int head_dim_of(const ResultsTable& table, const ResultGroup& group);
/// 0 if the groups differ in it or it is unknown.
int head_dim_of(const ResultsTable& table);
std::string group_setting_words(const ResultsTable& table, const ResultGroup& group, const std::string& key);
/// The name, or the swept settings in words: "θ = 10k, fraction = 25 %"; "all runs" if no setting was swept.
std::string group_words(const ResultsTable& table, const ResultGroup& group);

// Numbers in text.

inline constexpr const char* missing_cell = "–";

/// "–" if the number is not finite.
std::string fixed_text(double value, int decimals);
/// Two significant digits, from 100 on a whole number.
std::string rough_text(double value);
/// Whole numbers without decimals: counts, degrees of freedom. Others as rough_text().
std::string count_text(double value);
/// Without the percent sign: "+0.52".
std::string signed_percent(const std::optional<double>& percent);
/// "0.016", "<0.001".
std::string p_text(const std::optional<double>& p);
/// "p = 0.016", "p < 0.001".
std::string p_words(double p);
/// "1.4662 ± 0.0014"; only the mean if there is one value.
std::string mean_and_deviation(const Description& described, int decimals);
/// 95 % confidence interval of the mean: "1.4627 … 1.4697".
std::string interval_text(const Description& described, int decimals);
/// With the 95 % interval if there is one: "-0.0077 [-0.014, -0.0014]".
std::string difference_text(const std::optional<DifferenceInterval>& estimate);

}  // namespace ropelab
