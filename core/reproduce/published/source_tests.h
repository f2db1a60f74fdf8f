#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ropelab {

// They complement paper_checks(), which only recompute printed numbers.

enum class SourceVerdict { holds, fails, undecided };
std::string to_string(SourceVerdict verdict);

struct SourceTest {
    std::string claim;   // the source's words
    std::string test;    // the test, its margin and the rule of the verdict
    std::string result;  // the numbers, and what they show
    SourceVerdict verdict = SourceVerdict::undecided;
};

/// Only the sheets of the partial-RoPE paper have some.
std::vector<SourceTest> source_tests(const std::string& sheet);
/// Table 3 of the partial-RoPE paper.
std::vector<SourceTest> benchmark_tests();
/// Table 4 of the partial-RoPE paper, perplexity on LAMBADA.
std::vector<SourceTest> perplexity_tests();

/// Accuracies with 10 % and 100 % of the channels, over the paper's settings (one run each).
struct BenchmarkComparison {
    std::string benchmark;
    int questions = 0;
    int settings = 0;          // number of pairs
    double difference = 0;     // mean over the settings, as a fraction of the questions
    double low = 0, high = 0;  // its 90 % interval, which lies within the margin if the equivalence test rejects
    double p_equivalence = 1;
    double p_outside = 1;  // p of the hypothesis that the difference is within the margin, on both sides
    int significant = 0;   // settings whose difference is significant (binomial, two-sided 5 %, uncorrected)
};
/// As Table 3, against full RoPE. `fraction`: 0 is NoPE without QK-Norm; −1 the smallest above 0 (4 % or 1 %).
std::vector<BenchmarkComparison> benchmark_comparisons(double fraction);
/// 2 percentage points.
inline constexpr double benchmark_margin = 0.02;

/// Table 3 of the partial-RoPE paper: `benchmarks` with their number of questions, and `rows` with `config`, `rope`,
/// `accuracy` and `stderr` per benchmark; null for other sheets.
nlohmann::json benchmark_table_json(const std::string& sheet);
/// With Table 3 for the partial-RoPE paper; "" if there are no tests.
std::string source_tests_text(const std::string& sheet);
/// List of `claim`, `test`, `result` and `verdict`.
nlohmann::json source_tests_json(const std::string& sheet);

}  // namespace ropelab
