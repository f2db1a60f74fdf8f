#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/stats/t_test.h"

namespace ropelab {

/// What was published, as the files of resources/published have it, each with its `source`.
const nlohmann::json& theta_paper();
const nlohmann::json& partial_rope_paper();
const nlohmann::json& post();

/// One row of the theta paper's tables: `table` is a list of such rows. Throws std::out_of_range for another theta.
const nlohmann::json& row_of_theta(const nlohmann::json& table, double theta);

/// {"mean": …, "std": …} of `n` values; a plain number has no standard deviation (NaN).
Sample published_sample(const nlohmann::json& value, std::int64_t n);

/// Something that a source says of its own numbers, beside what these numbers give.
struct PaperCheck {
    std::string what;
    std::string printed;
    std::string recomputed;
    bool agrees = true;
};
/// Of the source that a sheet is about, every one, those that agree too; empty for an unknown sheet.
std::vector<PaperCheck> paper_checks(const std::string& sheet);

/// 100·(1 − mean/baseline) in percent, and how far off rounding of what is printed (half a unit of the last digit, of
/// losses with four digits after the point and of percentages with two) can put it.
struct Improvement {
    double percent = 0;
    double rounding = 0;
};
Improvement improvement_of(double mean, double baseline);

/// What letters cost in bits where A has probability `p_a` and B the rest: −log₂ p, and the mean over both (F35).
struct LetterBits {
    double a = 0;
    double b = 0;
    double average = 0;
};
/// Throws BadInput where `p_a` is not between 0 and 1.
LetterBits letter_bits(double p_a);
/// What the post prints of that, and at which p(A).
struct PrintedLetterBits {
    double p_a = 0;
    LetterBits bits;
};
PrintedLetterBits printed_letter_bits();

}  // namespace ropelab
