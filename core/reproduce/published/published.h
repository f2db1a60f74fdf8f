#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/contract/event.h"
#include "core/data/text_source.h"
#include "core/settings/run_spec.h"
#include "core/stats/t_test.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// From resources/published: theta paper (Huang et al. 2025), the partial-RoPE paper (Khan et al.), the post
/// (Brahmachary 2025) and the table of feed-forward networks (Shazeer 2020), and the protocol of Xiong et al. 2020,
/// from the files of resources/published. Each has a member `source`.
const nlohmann::json& theta_paper();
const nlohmann::json& partial_rope_paper();
const nlohmann::json& post();
const nlohmann::json& pre_post_norm_paper();
const nlohmann::json& glu_variants();
/// The sheets of 2025 and 2026: their claims, notes, groups and rows (core/reproduce/sheets/recent_sheets.cpp).
const nlohmann::json& recent_sheets();

/// Throws std::out_of_range if there is no such row.
const nlohmann::json& row_of_theta(const nlohmann::json& table, double theta);

/// Means over all bases of a theta paper's table but the baseline 10,000.
struct PublishedRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
};
PublishedRange range_of_other_bases(const nlohmann::json& table, const std::string& measure);

/// {"mean": …, "std": …}; for a plain number the standard deviation is NaN.
Sample published_sample(const nlohmann::json& value, std::int64_t n);

/// A statement of a source about its own numbers, with the recomputed value.
struct PaperCheck {
    std::string what;
    std::string printed;
    std::string recomputed;
    bool agrees = true;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(PaperCheck, what, printed, recomputed, agrees)
/// Agreeing ones included; empty for an unknown sheet.
std::vector<PaperCheck> paper_checks(const std::string& sheet);

/// 100·(1 − mean/baseline), and the largest rounding error (losses have four decimals, percentages two).
struct Improvement {
    double percent = 0;
    double rounding = 0;
};
Improvement improvement_of(double mean, double baseline);

/// Bits (formula 35): A has probability `p_a`, B the rest; −log₂ p for each letter, and the mean over both.
struct LetterBits {
    double a = 0;
    double b = 0;
    double average = 0;
};
/// Throws BadInput if `p_a` is not between 0 and 1.
LetterBits letter_bits(double p_a);
struct PrintedLetterBits {
    double p_a = 0;
    LetterBits bits;
};
PrintedLetterBits printed_letter_bits();

struct PublishedValue {
    std::string source;   // "Huang et al. 2025, table 2"
    std::string data;     // name of the data set: "tinyshakespeare"
    std::string key;      // "theta"
    double at = 0;        // the setting's value
    std::string measure;  // "best_validation_loss"
    Sample sample;
};

struct ComparableRun {
    RunSpec spec;
    RunState state = RunState::waiting;
    std::optional<TextMark> text;  // nullopt if it is unknown
};

struct PublishedResults {
    std::vector<PublishedValue> values;
    /// One sentence per data set whose values are left out.
    std::vector<std::string> omitted;
};

/// Best validation losses of Huang et al. 2025, by θ, in nats and in bits: mean and sample standard deviation over its
/// seeds. A data set is left out if a run trained on a part of it or if the model or the training of a run with RoPE
/// differs from the paper's, because the losses are not comparable.
PublishedResults published_results(std::span<const ComparableRun> runs);

/// One line per value, or the reasons why losses are left out; "" if the paper used none of the data sets.
std::string published_text(std::span<const RunRecord> runs);

}  // namespace ropelab
