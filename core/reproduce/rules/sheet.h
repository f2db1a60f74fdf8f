#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/engine.h"
#include "core/experiment/experiment.h"
#include "core/results/results_table.h"
#include "core/stats/sequential.h"
#include "core/stats/t_test.h"

namespace ropelab {

// A reproduction sheet states the claims of a paper, the runs that test each claim, and the rules that lead from the
// runs to a verdict. All of this is fixed before the first run starts and is stored in the lab file.

/// fixed_text() for sentences, with a minus sign instead of a hyphen.
std::string minus_text(double value, int decimals);
/// Sentences on more groups than these summarize; the JSON output lists all.
inline constexpr std::size_t most_listed = 8;

/// `smoke`: two seeds and seconds per run, a check of the sheet; `laptop`: small models; `paper`: the published ones.
enum class SheetScale { smoke, laptop, paper };
std::string to_string(SheetScale scale);
/// Throws BadInput for any other word.
SheetScale sheet_scale(const std::string& word);

/// Values that the runs share, written as a user types them ({"theta", "500"}, {"fraction", "2 ch"}).
using GroupKeys = std::map<std::string, std::string>;

/// Stored with every rule and increases whenever a rule, or what it counts, changes, so that a lab keeps the verdicts
/// of the rules that it stored. Version 1 (rules stored without a version) differs from version 2 in three points: the
/// refutation of an equivalence tests only the observed side, rows with failed runs are decided by the survivors, and
/// the control is only required to differ from the baseline. Version 2 differs from version 3 in three points: a rule
/// of events is refuted only by a significant difference against its direction, a significant difference also requires
/// the control, and the intervals of a retrieval rule are neither corrected over the groups nor is there a control for
/// the distance. Version 3 differs from version 4 in two points: a run without the event does not refute a claim about
/// every run, and each control is one without positions.
inline constexpr int rules_version = 4;

struct VerdictRule {
    /// `difference`: t test of the null hypothesis that both means are equal, for claims about a direction.
    /// `equivalence`: two one-sided t tests against the margin. `events`: one-sided Fisher's exact test of the number
    /// of runs with an event in each group. The claim is refuted if the probability of the event differs by
    /// significantly less than `margin` in the claimed direction (exact). `size`: tests whether the ratio of the means
    /// lies in the range from `low` to `high` (stats/ratio.h), for claims about a size, such as "about half".
    /// `proportion`: exact binomial test of the group's event probability against `bound`, for claims such as "with
    /// every seed" (direction +1: every run has the event, and the probability is above the bound; one run without the
    /// event refutes the claim) and "prevents" (direction −1: the probability is below the bound); the group must also
    /// differ from the baseline by Fisher's test.
    enum class Kind { difference, equivalence, events, size, proportion } kind = Kind::difference;
    /// Claimed sign: −1 lower, +1 higher, 0 for an equivalence or a size.
    int direction = -1;
    /// Smallest relevant difference, as a fraction of the baseline's mean; `size` uses it for the control only,
    /// `events` as a difference of probabilities, and `proportion` not at all.
    double margin = 0.01;
    TestKind test = TestKind::paired;
    double alpha = 0.05;       // significance level after Holm's correction over the family
    double power = 0.8;        // power for which the number of seeds that would decide is computed
    std::string family;        // rows of one family share one Holm correction
    double low = 0, high = 0;  // `size`: range of the ratio of the group's mean to the baseline's
    double bound = 0;          // `proportion`: bound of the event probability
    int version = rules_version;

    bool operator==(const VerdictRule&) const = default;
};
std::string rule_words(const VerdictRule& rule);

struct PlannedRow {
    std::string claim = {};  // id of the claim that the row tests
    /// Flat, shown to readers: {"theta": 500, "data": "enwik8"}. Rows of one claim with different `iterations` are its
    /// lengths of training: the claim is decided only if the verdicts at all of them agree.
    nlohmann::json keys;
    /// From measures() or the lab's measurements (rules/measuring.h).
    std::string measure;
    GroupKeys group;
    std::optional<GroupKeys> baseline = {};  // the group is compared with this one
    /// If any, the group is compared with the mean, seed by seed, of the baseline and these groups.
    std::vector<GroupKeys> baseline_others = {};
    /// Group that lacks what the row is about, such as positions, most of the feed-forward network or half of the
    /// training. Unless the baseline or the group has a significantly lower mean than the control, by more than the
    /// margin, the row is not testable, because these models do not respond to it and equal results would be no
    /// evidence. A rule of the kind `difference` that finds a significant difference, not smaller than its margin,
    /// requires no control.
    std::optional<GroupKeys> control = {};
    /// Compared with the control instead of group and baseline, which differ from it in more than this.
    std::optional<GroupKeys> control_reference = {};
    /// If control and reference are equal: "positions do not help these models".
    std::string control_shows = "positions do not help these models";
    std::optional<VerdictRule> rule = {};  // none: the row is shown without a verdict
    std::optional<Sample> paper = {};      // published sample; the standard deviation is NaN where none was published
    std::optional<Sample> paper_baseline = {};  // published sample of the baseline
    std::optional<double> paper_printed = {};   // published difference in percent; negative means lower
    // not empty: the row is measured and shown, but not testable; says what a test requires
    std::string out_of_reach = {};
    bool tuned = false;  // the same search chose the learning rate of every group (tuned_plan)
};
/// With baseline and control, each named by the keys in which it differs; "" for a row without a rule.
std::string rule_words(const PlannedRow& row);

struct Claim {
    std::string id;
    std::string words;

    bool operator==(const Claim&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Claim, id, words)

/// Retrieval at a lag attends at the distance lag − 1, so that the lag tests B(lag − 1) of formulas 12 and 13.
struct GroupProbe {
    GroupKeys group;
    std::string label;          // "θ = 500"
    std::int64_t near_lag = 0;  // measurable lag with the highest B
    double near_bound = 0;      // B at near_lag − 1
    std::int64_t far_lag = 0;   // measurable lag with the lowest B
    double far_bound = 0;       // B at far_lag − 1
    /// At about the far lag's distance, where B is clearly higher; 0 if there is none.
    std::int64_t control_lag = 0;
    double control_bound = 0;  // B at control_lag − 1

    bool operator==(const GroupProbe&) const = default;
};

/// A condition under which the retrieval of a group of runs collapses. The retrieval gain at a lag is a run's accuracy
/// on repeated tokens at that lag less its accuracy on their first occurrence (core/contract/probe.h).
///
/// With `probes`, each group is compared with itself: its gains at the far lag with those at the near lag and at the
/// control lag, paired by seed. It retrieves if the confidence interval (Student's t) of far − kept · near lies above
/// 0. It collapses if this interval and that of far − kept · control lie below 0, so that a decline with distance alone
/// is no collapse. The confidence is 95 % for all groups together (Bonferroni's correction over the groups with a
/// control lag). A group is not scored if it has no control lag or if its mean gain at the near lag is below
/// least_gain. In version 2 the interval of far − kept · near alone decides, with a confidence of 95 % for each group.
///
/// Without `probes` it is the rule of version 1: a group fails if its mean gain at longest_lag is below `kept` of the
/// highest mean gain of any group at shortest_lag, and nothing is scored if that highest gain is below least_gain.
struct RetrievalRule {
    std::int64_t shortest_lag = 0;
    std::int64_t longest_lag = 0;
    double kept = 0.5;
    double least_gain = 0.1;
    /// One per group, first those of Prediction::low; empty for a rule of version 1.
    std::vector<GroupProbe> probes = {};
    int version = rules_version;

    bool operator==(const RetrievalRule&) const = default;
};
std::string rule_words(const RetrievalRule& rule);
/// Version 3 requires a control lag.
bool is_tested(const RetrievalRule& rule, const GroupProbe& probe);
std::size_t tested_groups(const RetrievalRule& rule);
/// 1 − 0.05 / tested_groups, or 0.95 in version 2.
double group_confidence(const RetrievalRule& rule);
/// "99.17 %".
std::string confidence_text(const RetrievalRule& rule);

/// Each group of `low` has a lower mean than each of `high`; with a retrieval rule, exactly those of `high` fail.
struct Prediction {
    std::string theory;    // "context bound (Men et al. 2024)"
    std::string words;     // one sentence
    std::string quantity;  // quantity that the theory predicts: "retrieval by distance"
    std::string measure;   // measure that stands for the quantity; empty if the sheet measures none
    std::vector<GroupKeys> low, high;
    /// Right by chance under the null model of null_model_words().
    double chance = 1;
    std::optional<RetrievalRule> retrieval;
    std::string unmeasured;  // reason why the quantity is not measured; empty if it is
    /// Stored with the prediction. 1 (labs of earlier versions): the means alone are compared. 2: right if every group
    /// of `low` has a significantly lower mean than every group of `high` (Welch's t test, 5 %), wrong if the order of
    /// a pair is significantly reversed (5 % divided by the number of pairs), and undecided otherwise.
    int order_rule = 1;

    bool operator==(const Prediction&) const = default;
};

bool has_earlier_rule(const Prediction& prediction);
/// Version 1 of the retrieval rule compares the groups with each other.
bool compares_groups(const Prediction& prediction);
/// A prediction is scored on these.
struct RetrievalGroups {
    std::size_t all = 0;
    std::size_t high = 0;  // groups of Prediction::high among them
};
/// For a retrieval rule only groups that the rule scores.
RetrievalGroups retrieval_groups(const Prediction& prediction);
/// Retrieval: the number k of collapsing groups is given, and they are any k of the n groups that are scored, 1/C(n,
/// k). Order: all orders of the groups are equally likely.
std::string null_model_words(const Prediction& prediction);

/// Measured after a run's training. Sheets use the mode `recompute`.
struct GenerationSpeed {
    std::int64_t samples = 0;  // 0: generation speed is not measured
    std::int64_t length = 500;
    double temperature = 0.8;
    std::int64_t top_k = 200;
    Generation::Mode mode = Generation::Mode::recompute;

    bool operator==(const GenerationSpeed&) const = default;
};
/// Without the mode.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GenerationSpeed, samples, length, temperature, top_k)

/// A plan of tuned groups (tuned_plan) has another note instead.
inline constexpr const char* untuned_note =
    "Learning rate and warm-up are the same for all groups and were tuned for none of them, neither for the claimed "
    "winners nor for their baselines: another learning rate may change the order.";

struct SheetPlan {
    std::string sheet;
    std::string title;
    std::string source;  // source of the claims
    SheetScale scale = SheetScale::smoke;
    std::vector<Claim> claims;
    /// Above every table of the sheet: data sets, protocol, and which settings are not the paper's.
    std::vector<std::string> notes;
    Experiment experiment;
    std::vector<PlannedRow> rows;
    std::vector<Prediction> predictions;
    /// Seed by seed, so that times can be compared; the runs of a cohort share one time.
    bool sequential = false;
    /// If set, rows stop when they are settled, and their p values are those of this rule. The experiment names all
    /// seeds up to its cap.
    std::optional<SequentialDesign> stopping = {};
    GenerationSpeed writing;
    /// Known data sets that are not complete on disk. A plan that was read from a lab names none.
    std::vector<std::string> missing_sets;
    /// Multiples of the context, with 1. Runs with learned positions have no such losses.
    std::vector<std::int64_t> extensions;
    /// Sequences per lag; only runs whose retrieval a prediction concerns are tested. 0: none.
    std::int64_t retrieval_windows = 0;
};
/// Ascending, the fixed order in which a stopping rule uses them.
std::vector<std::int64_t> seeds_of(const SheetPlan& plan);
/// A sentence if the lab stored rules of an older version, else "".
std::string stored_rules_words(const SheetPlan& plan);
/// Kinds of the documents in which a lab stores a sheet and its predictions.
inline constexpr const char* sheet_document = "sheet";
inline constexpr const char* predictions_document = "predictions";

/// Without experiment and predictions, which a lab stores separately.
nlohmann::json to_json(const SheetPlan& plan);
nlohmann::json predictions_json(const SheetPlan& plan);
/// From predictions_json. Throws BadInput for malformed JSON.
std::vector<Prediction> predictions_from_json(const nlohmann::json& predictions);
/// From to_json, predictions_json and Experiment::to_json. Throws BadInput for malformed JSON.
SheetPlan sheet_plan_from_json(const nlohmann::json& sheet, const nlohmann::json& predictions,
                               const nlohmann::json& experiment);

struct SheetRequest {
    SheetScale scale = SheetScale::smoke;
    std::optional<std::int64_t> seeds;  // number of seeds per setting; none: the sheet's default
    std::filesystem::path data_dir;     // data directory, as --data-dir
    /// Rows stop when they are settled; the cap is then the largest number of seeds.
    std::optional<SequentialDesign> stopping = {};
    /// Nothing is trained: at `paper` scale, data that is not on disk is named in a note instead of refused.
    bool only_plans = false;
};

struct Sheet {
    std::string name;
    std::string title;
    /// Throws BadInput for fewer than two seeds, and MissingSet (core/data) at `paper` scale.
    std::function<SheetPlan(const SheetRequest& request)> plan;
};
const std::vector<Sheet>& sheets();
/// Throws BadInput, naming the nearest sheet, for an unknown name.
const Sheet& sheet(std::string_view name);

// One function per sheet, in the file of its paper in sheets/.
SheetPlan plan_theta_table_2(const SheetRequest& request);
SheetPlan plan_theta_table_3(const SheetRequest& request);
SheetPlan plan_theta_speed(const SheetRequest& request);
SheetPlan plan_partial_bands(const SheetRequest& request);
SheetPlan plan_nope_spikes(const SheetRequest& request);
SheetPlan plan_bpc(const SheetRequest& request);
SheetPlan plan_pre_post_norm(const SheetRequest& request);
SheetPlan plan_glu_variants(const SheetRequest& request);
SheetPlan plan_encodings(const SheetRequest& request);
/// Those of resources/published/recent.json, whose plans throw BadInput at `paper` scale.
std::vector<Sheet> sheets_of_data();

}  // namespace ropelab
