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

/// A validation loss along a run, in nats.
struct LossAt {
    std::int64_t iteration = 0;
    double validation_loss = 0;
};

/// One run as the table reads it.
struct ResultRun {
    nlohmann::json settings;  // flat, as the lab file keeps them; a missing key has its default
    std::string name;
    std::optional<RunSummary> summary;
    RunState state = RunState::finished;
    /// Every evaluation, in order; only read where ResultsOptions::target_loss is set.
    std::vector<LossAt> evaluations = {};
};

/// What is measured of a run at its end.
struct Measure {
    std::string_view name;            // as in JSON: "best_validation_loss"
    std::string_view title;           // of a column
    std::string_view unit;            // "nats"
    int decimals;                     // in text and LaTeX
    bool more_is_better;              // as of speed; else less is
    double (*of)(const RunSummary&);  // NaN where it was not measured
};
/// best_validation_loss, final_validation_loss, whole_validation_loss, bits_per_character (of the best validation
/// loss, F35), final_training_loss, seconds, tokens_per_second.
constexpr std::size_t measure_count = 7;
const std::array<Measure, measure_count>& measures();
/// Its place among the measures. Throws BadInput, naming the nearest, for an unknown name.
std::size_t measure_index(const std::string& name);

/// The test that a table's verdicts follow.
enum class TestKind { student, welch, paired };
/// "student", "welch", "paired".
std::string to_string(TestKind test);
/// The inverse. Throws BadInput for any other word.
TestKind test_kind(const std::string& word);

/// A test against the baseline: raw p and p after Holm's correction over the comparisons of one text.
struct Comparison {
    std::optional<double> p;
    std::optional<double> p_holm;
    std::optional<TTest> test;  // whose p it is
};

/// Runs that differ only in their seed.
struct ResultGroup {
    std::map<std::string, nlohmann::json> settings;  // of the swept keys
    std::vector<std::size_t> members;                // every run of the group, as an index into the runs given
    std::vector<std::size_t> counted;                // those that count, in order of their seed's appearance
    std::vector<std::int64_t> seeds;                 // of the runs that count
    std::vector<RunSummary> summaries;               // as many
    int unfinished = 0;                              // runs left out because they did not finish
    int failed = 0;                                  // runs left out because they failed, as by diverging
    int repeated = 0;                                // runs left out because a later one has the same seed
    std::array<Description, measure_count> described;
    /// Iterations to the first evaluation at or below the target loss, for each run that counts; NaN where it never
    /// came so low. Empty without a target.
    std::vector<double> iterations_until;
    Description until;  // of those that came so low

    /// The group that it is compared with, by its index: its own for a baseline; nullopt where its text has none.
    std::optional<std::size_t> against;
    // All below against that group, of the compared measure; nullopt for a baseline.
    /// mean − the baseline's mean, in the measure's unit, and the same in percent of the baseline's: negative where it
    /// is lower.
    std::optional<double> difference;
    std::optional<double> difference_percent;
    /// The same in percent with the sign that makes better positive: a lower loss, a higher speed.
    std::optional<double> improvement_percent;
    Comparison student, welch;
    Comparison paired;  // over the seeds that both have
    int pairs = 0;      // such seeds with two finite values
    /// The smallest difference that these seeds detect with 80 % power, two-sided at 5 % before any correction: of
    /// Student's test (pooled standard deviation), and of the paired test.
    std::optional<double> detectable;
    std::optional<double> detectable_paired;
    /// Seeds in each group that would detect a difference as large as the one seen, with Student's test.
    std::optional<std::int64_t> seeds_needed;

    const Comparison& comparison(TestKind test) const;
    /// Values of a measure in the order of `seeds`.
    std::vector<double> values(std::size_t measure) const;
};

struct ResultsOptions {
    /// Name of the measure that is compared.
    std::string compare = "best_validation_loss";
    /// The baseline: the first group with these values of swept keys as they are typed ({"theta", "10k"}, {"fraction",
    /// "2 ch"}). Empty: the first group with the most swept keys at their defaults, those of the text (`data`,
    /// `symbols`, `split`) counting least. Losses on different texts say nothing of each other: groups of another text
    /// are compared with the one of theirs that has the baseline's other settings.
    std::map<std::string, std::string> baseline;
    /// Also count runs that were stopped or failed and left numbers.
    bool unfinished = false;
    /// The validation loss, in nats, of "iterations until".
    std::optional<double> target_loss = {};
    /// What verdicts follow.
    TestKind test = TestKind::welch;
};

/// {"theta", "10000"} of "theta=10000". Throws BadInput for a text without "=".
std::map<std::string, std::string> baseline_settings(const std::vector<std::string>& typed);

struct ResultsTable {
    std::vector<std::string> swept;   // keys in which the runs differ, seed aside, in the order of the key table
    std::vector<ResultGroup> groups;  // in order of first appearance
    std::size_t baseline = 0;         // index of a group, where there is one; of the others see ResultGroup::against
    std::size_t compared = 0;         // index of a measure
    TestKind test = TestKind::welch;
    std::optional<double> target_loss = {};

    /// The group that one is compared with, which may be itself; nullptr where its text has none.
    const ResultGroup* baseline_of(const ResultGroup& group) const;
    bool is_baseline(const ResultGroup& group) const { return baseline_of(group) == &group; }
    /// Groups that the test compares with their baselines.
    int comparisons() const;
    /// Those that it compares with the same one: what Holm's correction counts.
    int comparisons_beside(const ResultGroup& group) const;
};

/// Groups, describes and compares. A run counts where it finished (see ResultsOptions::unfinished) and is the last one
/// of its seed: runs of equal seed and settings are copies, not independent measurements. Throws BadInput for settings
/// that are not a JSON object, an unknown measure and a baseline that no group is.
ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options = {});

/// Puts the groups in another order: by a swept key, a measure's mean, "n", "improvement", "iterations_until", or by
/// "p_student", "p_welch" or "p_paired". `-` before the name turns it round; what has no value comes last either way.
/// Throws BadInput, naming the nearest, for anything else.
void sort_groups(ResultsTable& table, const std::string& by);

/// A value of a swept key as people read it: 10000 as "10000".
std::string setting_text(const nlohmann::json& value);
/// Whether both were trained on one text. Losses on different texts say nothing of each other.
bool same_text(const ResultGroup& a, const ResultGroup& b);

/// "theta = 500, fraction = 0.25"; "all runs" where nothing was swept.
std::string group_label(const ResultsTable& table, const ResultGroup& group);

/// What the table's test says of a group, at 5 % after Holm's correction.
struct Verdict {
    enum class Kind { baseline, untested, undecided, better, worse } kind = Kind::untested;
    /// Sentences, with the numbers they rest on.
    std::string words;
};
Verdict verdict_of(const ResultsTable& table, const ResultGroup& group);
/// "baseline", "no test", "not significant", "better", "worse".
std::string to_string(Verdict::Kind kind);

// All numbers in the C locale.

/// Aligned columns, for a terminal; UTF-8. Notes below tell of runs that were left out, and the verdicts.
std::string results_text(const ResultsTable& table);
/// RFC 4180, one line a group, full precision. A missing number is an empty field. Differences, p values and intervals
/// are of the measure in the column `compared`, against the group in `baseline`; `verdict` follows `test`.
std::string results_csv(const ResultsTable& table);
/// A booktabs tabular for a paper: losses, interval, improvement, corrected p values, with a comment on how they were
/// made.
std::string results_latex(const ResultsTable& table);
/// Everything, with the raw values of each seed; a missing number is null.
nlohmann::json results_json(const ResultsTable& table);

}  // namespace ropelab
