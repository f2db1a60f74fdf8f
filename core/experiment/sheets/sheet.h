#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/stats/results_table.h"
#include "core/stats/t_test.h"

namespace ropelab {

// A reproduction sheet: what was published, what is trained to see it, and by which rules it will be judged. All of it
// is settled before the first run starts and kept in the lab file.

/// `smoke`: two seeds, seconds a run, to see that a sheet works; `laptop`: small models; `paper`: the published shape.
enum class SheetScale { smoke, laptop, paper };
/// "smoke", "laptop", "paper".
std::string to_string(SheetScale scale);
/// The inverse. Throws BadInput for any other word.
SheetScale sheet_scale(const std::string& word);

/// One group of runs: keys with the values that its runs have, as typed ({"theta", "500"}, {"fraction", "2 ch"}).
using GroupKeys = std::map<std::string, std::string>;

/// How the verdict on a row is reached.
struct VerdictRule {
    /// `difference`: a t test of no difference. `equivalence`: two one-sided t tests against the margin. `events`:
    /// Fisher's exact test, one-sided, of how many runs of either group had an event.
    enum class Kind { difference, equivalence, events } kind = Kind::difference;
    /// What is claimed of the group against the baseline: −1 lower, +1 higher; 0 for an equivalence.
    int direction = -1;
    /// Share of the baseline's mean below which a difference counts as none; not read for events.
    double margin = 0.01;
    TestKind test = TestKind::paired;
    double alpha = 0.05;  // after Holm's correction over the family
    double power = 0.8;   // for the number of seeds that would decide
    std::string family;   // rows of one family are corrected together

    bool operator==(const VerdictRule&) const = default;
};
/// One sentence: by which test is compared, and what each verdict takes.
std::string rule_words(const VerdictRule& rule);

/// What a row of a sheet will compare.
struct PlannedRow {
    std::string claim;    // its id
    nlohmann::json keys;  // flat, for readers: {"theta": 500, "data": "enwik8"}
    /// A name of measures(), or of a LabFile measurement (sheets/measuring.h).
    std::string measure;
    GroupKeys group;
    std::optional<GroupKeys> baseline;  // what the group is compared with
    /// A group that has to differ from the baseline by more than the margin before the row is judged: where what is
    /// compared makes no difference at all, likeness shows nothing.
    std::optional<GroupKeys> control;
    std::optional<VerdictRule> rule;       // none: shown, not judged
    std::optional<Sample> paper;           // as published; standard deviation NaN where none was
    std::optional<Sample> paper_baseline;  // the same of the baseline
    std::optional<double> paper_printed;   // the difference in percent as published; negative is lower
    std::string out_of_reach;              // not testable at this scale: what it would take
};
/// Its rule, with the baseline and the control that it is judged with, by the keys in which they differ; "" for a row
/// that is only shown.
std::string rule_words(const PlannedRow& row);

struct Claim {
    std::string id;
    std::string words;

    bool operator==(const Claim&) const = default;
};

/// When a group fails in retrieval. Its gain at a lag is the share of copied symbols that a run tells there, less the
/// share at the copy's first stand, where nothing tells them (core/spec/probe.h): the mean over its runs.
struct RetrievalRule {
    std::int64_t shortest_lag = 0;
    std::int64_t longest_lag = 0;
    /// It fails where its gain at the longest lag is below this share of the highest gain of any group at the shortest,
    double kept = 0.5;
    /// which has to be this high: else nothing has been learned that could fail.
    double least_gain = 0.1;

    bool operator==(const RetrievalRule&) const = default;
};
/// The same in one sentence.
std::string rule_words(const RetrievalRule& rule);

/// What a theory says before the runs: each group of `low` measures below each of `high`; with a retrieval rule, each
/// group of `high` fails and none of `low`.
struct Prediction {
    std::string theory;    // "context bound (Men et al. 2024)"
    std::string words;     // one sentence
    std::string quantity;  // what the theory speaks of: "retrieval by distance"
    std::string measure;   // that is taken for it; empty where the sheet measures none
    std::vector<GroupKeys> low, high;
    /// Of being right by luck. For what says which groups fail in retrieval, however many: each fails or not with equal
    /// chance, 1/2^n for n groups. Else every order of the groups is as likely.
    double chance = 1;
    std::optional<RetrievalRule> retrieval;
    std::string unmeasured;  // why the quantity is not measured, where it is not

    bool operator==(const Prediction&) const = default;
};

/// What is measured of a run after its training by writing text.
struct WritingSpeed {
    std::int64_t samples = 0;  // 0: not measured
    std::int64_t length = 500;
    double temperature = 0.8;
    std::int64_t top_k = 200;

    bool operator==(const WritingSpeed&) const = default;
};

struct SheetPlan {
    std::string sheet;
    std::string title;
    std::string source;  // of the claims
    SheetScale scale = SheetScale::smoke;
    std::vector<Claim> claims;
    /// What every table of the sheet has to say: texts, protocol, what is not the paper's.
    std::vector<std::string> notes;
    Experiment experiment;
    std::vector<PlannedRow> rows;
    std::vector<Prediction> predictions;
    /// Runs train alone, seed by seed, because their times are compared; runs of a cohort share one clock.
    bool one_by_one = false;
    WritingSpeed writing;
    /// Losses are also measured at these multiples of the context (1 among them); needs runs without learned positions.
    std::vector<std::int64_t> extensions;
    /// Windows for each lag at which runs of which a prediction says that they fail in retrieval, or do not, are looked
    /// into; 0: none.
    std::int64_t retrieval_windows = 0;
};
/// All but the experiment and the predictions, which a lab keeps by themselves.
nlohmann::json to_json(const SheetPlan& plan);
nlohmann::json predictions_json(const SheetPlan& plan);
/// Its inverse. Throws BadInput for what is none.
std::vector<Prediction> predictions_from_json(const nlohmann::json& predictions);
/// The inverse of the two and of Experiment::to_json. Throws BadInput for what is none.
SheetPlan sheet_plan_from_json(const nlohmann::json& sheet, const nlohmann::json& predictions,
                               const nlohmann::json& experiment);

/// What a sheet is made for.
struct SheetRequest {
    SheetScale scale = SheetScale::smoke;
    std::optional<std::int64_t> seeds;  // else the sheet's own number
    std::filesystem::path data_dir;     // as --data-dir
};

struct Sheet {
    std::string name;
    std::string title;
    /// Throws BadInput for fewer than two seeds, and at `paper` scale where a text is not there in full.
    SheetPlan (*plan)(const SheetRequest& request);
};
/// theta-table-2, theta-table-3, theta-speed, partial-bands, nope-spikes, bpc.
const std::vector<Sheet>& sheets();
/// Throws BadInput, naming the nearest, for an unknown name.
const Sheet& sheet(std::string_view name);

// One function a sheet; each in a file of its own.
SheetPlan plan_theta_table_2(const SheetRequest& request);
SheetPlan plan_theta_table_3(const SheetRequest& request);
SheetPlan plan_theta_speed(const SheetRequest& request);
SheetPlan plan_partial_bands(const SheetRequest& request);
SheetPlan plan_nope_spikes(const SheetRequest& request);
SheetPlan plan_bpc(const SheetRequest& request);

}  // namespace ropelab
