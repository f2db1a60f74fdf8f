#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/reproduce/rules/sheet.h"
#include "core/settings/run_spec.h"
#include "core/stats/sequential.h"
#include "core/stats/t_test.h"

namespace ropelab {

// Measures of rows beside those of measures(); the functions in measuring.h measure them.

/// Mean over the plan's samples (batch size 1, the prompt is the newline or the first token of the vocabulary).
inline constexpr const char* generated_per_second = "generated_tokens_per_second";
/// Engine::count_operations per token after the first, without CUDA graphs. NaN if the engine does not count.
inline constexpr const char* operations_per_training_step = "operations_per_training_step";
inline constexpr const char* operations_per_token = "operations_per_generated_token";
/// Nats per token: loss at the longest extension minus that at the context, on the same beginning of the split.
inline constexpr const char* extension_rise = "extension_rise";
/// Nats per token at four times the context, of evaluate_extrapolation: the lower loss with NTK-aware scaling and YaRN
/// if the frequencies can be scaled, else the loss without scaling.
inline constexpr const char* scaled_loss = "scaled_loss_at_4x";
/// Pair that rotates with the largest norm (ProbeResult::query_usage and key_usage of the last snapshot), mean over
/// layers, heads, queries and keys. NaN if the run has no such snapshot or does not rotate.
inline constexpr const char* band_place = "pair_of_largest_norm";
/// 1 or 0 (first_spike); NaN if the run failed for another reason.
inline constexpr const char* spiked = "spiked";
/// Spiked within the first `early` of the run's steps.
inline constexpr const char* spiked_early = "spiked_early";
/// Gradient norm of the last block's MLP at the first step (ProbeResult::gradient_norm of step 1), and its quotient by
/// that of the first block. NaN if the run has no such snapshot.
inline constexpr const char* first_gradient_at_end = "first_gradient_of_last_mlp";
inline constexpr const char* first_gradient_ratio = "first_gradient_ratio";

struct SheetRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<RunSummary> summary;
    std::map<std::string, double> measurements;  // measured values by measure name
};

/// `baseline` is a row without a rule that other rows are compared with, `shown` any other row without a rule.
enum class SheetVerdict { shown, baseline, unfinished, reproduced, not_reproduced, undecided, not_testable };
std::string to_string(SheetVerdict verdict);

/// The unit is that in which a figure compares rows.
struct RowEffect {
    /// `percent`: of the baseline's mean. `ratio`: of the means. `proportion`: of the group's runs, those with the
    /// event. `proportion_difference`: that minus the baseline's.
    enum class Scale { percent, ratio, proportion, proportion_difference } scale = Scale::percent;
    double value = 0;
    /// Confidence 1 − alpha, without correction: of the paired mean difference (or Welch's), Fieller's of a ratio,
    /// Clopper and Pearson's of a proportion, or proportion_difference of two; nullopt if there is none.
    std::optional<double> low, high;
    /// From −margin to +margin, the range of the ratio, or from the bound to 1 (or 0 to it); nullopt without a range.
    std::optional<double> range_low, range_high;
    std::optional<double> paper;  // the paper's value on the same scale; nullopt if it prints none
};
std::string to_string(RowEffect::Scale scale);

struct SheetRow {
    PlannedRow plan;
    std::optional<RunSpec> spec;  // of the group's first run; nullopt if the sheet trains no such run
    // For each ended run of the group; NaN for a run that failed without a value.
    std::vector<std::int64_t> seeds;
    std::vector<double> values;
    Sample ours;
    int failed = 0;           // number of seeds whose run of the group failed, diverged runs among them
    int baseline_failed = 0;  // as `failed`, of the baseline
    int waiting = 0;          // number of runs of group, baseline and control that have not ended or are not measured
    std::vector<double> baseline_values;  // values of the baseline's runs
    std::vector<double>
        paired_baseline_values;  // baseline value with the same seed as each of `values`; NaN if there is none
    Sample baseline;

    // nullopt if there is no baseline or the test has no result.
    /// If the test is paired, mean paired difference over common seeds; otherwise the difference of the means.
    std::optional<double> difference;
    std::optional<double> difference_low, difference_high;  // interval with the confidence 1 − alpha of the rule
    double reference = 0;                                   // mean of the baseline's values that enter `difference`
    std::optional<double> difference_percent;               // 100·difference / |reference|
    std::optional<double> p_student, p_welch, p_paired;     // two-tailed tests of equal means
    std::optional<double> p_equivalence;                    // equivalence within the rule's margin, by the rule's test
    std::optional<double> p_rule, p_holm;                   // p of the rule's test, raw and corrected
    std::optional<double> p_refutation;                     // p of the claim's refutation, corrected
    std::optional<RowEffect> effect;                        // nullopt for a row without a rule or a test
    SheetVerdict verdict = SheetVerdict::shown;
    /// If the sheet's scale withholds it (`verdict` is then `not_testable`).
    std::optional<SheetVerdict> by_rule;
    bool is_by_refutation = false;  // the verdict rests on p_refutation instead of p_holm
    std::string words;              // reason for the verdict, or for the verdict by the rule alone
    /// Between the control and the group that it is compared with, and the p of that test; nullopt without a control.
    std::optional<double> control_percent, control_p;
    /// Per group, for the observed difference and standard deviation; only if undecided.
    std::optional<std::int64_t> seeds_to_decide;
    /// With a stopping rule; `seeds`, `values` and the samples are then those that the row used.
    std::optional<SequentialResult> sequential;

    // Recomputed from the published means and standard deviations.
    std::optional<double> paper_difference_percent;
    std::optional<double> paper_p_student, paper_p_welch;
};

/// True if the run has all values of the group. Throws BadInput for an unknown key.
bool belongs(const RunSpec& spec, const GroupKeys& group);
/// "nats"; "" if the measure has none.
std::string unit_of(const std::string& measure);
/// Also for the increase of a loss.
bool is_loss(const std::string& measure);
/// "1.4728 ± 0.0016"; "–" for a sample without a finite mean.
std::string sample_text(const Sample& sample);

}  // namespace ropelab
