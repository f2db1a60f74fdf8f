#include "core/reproduce/published/source_tests.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <optional>

#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/reproduce/published/published.h"
#include "core/results/results_cells.h"
#include "core/stats/kendall.h"
#include "core/stats/t_test.h"

namespace ropelab {

// Tests of the partial-RoPE paper's claims on its Table 3: accuracy on ten benchmarks.

namespace {

using nlohmann::json;

constexpr double benchmark_level = 0.05;
constexpr double smallest_above_zero = -1;
constexpr double compared_fraction = 0.1;

// "10% RoPE" is 0.1. Rows with QK-Norm are another model.
std::optional<double> fraction_of(const json& row) {
    const auto rope = row.at("rope").get<std::string>();
    if (rope.find("QK-Norm") != std::string::npos) return std::nullopt;
    return parse_number(rope.substr(0, rope.find('%'))) / 100;
}

// Null if the setting has none.
const json* accuracy_row(const std::string& config, double fraction) {
    const json* found = nullptr;
    double smallest = 1;
    for (const json& row : partial_rope_paper().at("benchmark_accuracy")) {
        const auto own = fraction_of(row);
        if (!own || row.at("config") != config) continue;
        if (fraction != smallest_above_zero) {
            if (std::abs(*own - fraction) < 1e-9) return &row;
        } else if (*own > 0 && *own < std::min(smallest, compared_fraction)) {
            smallest = *own;
            found = &row;
        }
    }
    return found;
}

std::vector<std::string> benchmark_configs() {
    std::vector<std::string> names;
    for (const json& row : partial_rope_paper().at("benchmark_accuracy")) {
        const auto name = row.at("config").get<std::string>();
        if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    }
    return names;
}

// Two-sided, two independent proportions of `n` questions each, binomial standard errors; nullopt if both are 0 or 1.
std::optional<double> binomial_p(double a, double b, int n) {
    const double variance = (a * (1 - a) + b * (1 - b)) / n;
    if (!(variance > 0)) return std::nullopt;
    return 2 * boost::math::cdf(boost::math::complement(boost::math::normal(), std::abs(a - b) / std::sqrt(variance)));
}

struct AccuracyPairs {
    std::vector<double> partial, full;
};

AccuracyPairs accuracies_of(std::size_t benchmark, double fraction) {
    AccuracyPairs pairs;
    for (const std::string& config : benchmark_configs()) {
        const json* partial = accuracy_row(config, fraction);
        const json* full = accuracy_row(config, 1);
        if (partial == nullptr || full == nullptr) continue;
        pairs.partial.push_back(partial->at("accuracy").at(benchmark).get<double>());
        pairs.full.push_back(full->at("accuracy").at(benchmark).get<double>());
    }
    return pairs;
}

std::string points(double difference) {
    return fixed_text(100 * difference, 2);
}

std::string joined_names(const std::vector<std::string>& names) {
    return names.empty() ? "none" : enumerated(names, " and ");
}

// The claim "on 9 of 10 benchmarks" holds if nine are equivalent, and fails if two differ by more than the margin.
SourceVerdict nine_of_ten(std::size_t equivalent, std::size_t different) {
    if (equivalent >= 9) return SourceVerdict::holds;
    return different >= 2 ? SourceVerdict::fails : SourceVerdict::undecided;
}

std::string benchmark_claim() {
    return partial_rope_paper().at("wording").at("benchmarks").get<std::string>();
}

SourceTest ten_percent_test() {
    std::vector<std::string> others;
    std::size_t equivalent = 0, different = 0;
    for (const BenchmarkComparison& each : benchmark_comparisons(compared_fraction)) {
        equivalent += each.p_equivalence < benchmark_level ? 1 : 0;
        different += each.p_outside < benchmark_level ? 1 : 0;
        if (each.p_equivalence < benchmark_level) continue;
        others.push_back(each.benchmark + " (" + points(each.difference) + " points, 90 % interval " +
                         points(each.low) + " to " + points(each.high) + ", " + p_words(each.p_equivalence) + ")");
    }
    return {benchmark_claim() + " [10 % against 100 %]",
            "Equivalence of RoPE on 10 % and on 100 % of the channels within 2 percentage points on each benchmark: "
            "two one-sided paired t tests over the paper's seven settings. The claim holds if nine benchmarks are "
            "equivalent at the 5 % level, and fails if two differ by significantly more than this margin. The t test "
            "is used because seven pairs with ties, rounded to 1 point, leave Wilcoxon's test few attainable p values.",
            "Equivalent on " + std::to_string(equivalent) +
                " of 10 benchmarks; the accuracies differ by more than the margin on " + std::to_string(different) +
                "; undecided: " + joined_names(others) + ".",
            nine_of_ten(equivalent, different)};
}

SourceTest all_fractions_test() {
    const std::vector<double> fractions = {smallest_above_zero, 0.1, 0.25, 0.5, 0.75};
    const std::size_t benchmarks = partial_rope_paper().at("benchmarks").size();
    std::vector<double> equivalence(benchmarks, 0), outside(benchmarks, 1);
    std::vector<std::string> names;
    for (const double fraction : fractions) {
        const auto comparisons = benchmark_comparisons(fraction);
        for (std::size_t i = 0; i < benchmarks; ++i) {
            equivalence[i] = std::max(equivalence[i], comparisons[i].p_equivalence);
            outside[i] = std::min(outside[i], comparisons[i].p_outside);
        }
    }
    const auto comparisons = benchmark_comparisons(compared_fraction);
    std::size_t equivalent = 0, different = 0;
    for (std::size_t i = 0; i < benchmarks; ++i) {
        if (equivalence[i] < benchmark_level) {
            ++equivalent;
            names.push_back(comparisons[i].benchmark);
        }
        different += outside[i] * static_cast<double>(fractions.size()) < benchmark_level ? 1 : 0;
    }
    return {
        benchmark_claim() + " [all fractions above 0]",
        "Every fraction above 0 (the smallest one, 10, 25, 50 and 75 %) is tested for equivalence with 100 % within 2 "
        "percentage points. A benchmark is equivalent if all five fractions are equivalent at the 5 % level; it "
        "differs if one fraction differs by significantly more than the margin after Bonferroni's correction.",
        "Equivalent on " + std::to_string(equivalent) + " of 10 benchmarks (" + joined_names(names) +
            "); the accuracies differ by more than the margin on " + std::to_string(different) + ".",
        nine_of_ten(equivalent, different)};
}

SourceTest mean_test() {
    std::vector<double> differences;
    for (const BenchmarkComparison& each : benchmark_comparisons(compared_fraction)) {
        if (each.benchmark != "WSC") differences.push_back(each.difference);
    }
    const std::vector<double> zeros(differences.size(), 0.0);
    const auto test = paired_equivalence(differences, zeros, benchmark_margin);
    SourceVerdict verdict = SourceVerdict::undecided;
    std::string result = "The differences do not vary, so no test is possible.";
    if (test) {
        if (test->p < benchmark_level) verdict = SourceVerdict::holds;
        if (test->p_outside < benchmark_level) verdict = SourceVerdict::fails;
        result = "Mean difference " + points(test->difference) + " percentage points over " +
                 std::to_string(differences.size()) + " benchmarks, " + p_words(test->p) +
                 ". A mean over benchmarks can hide differences of opposite sign.";
    }
    return {"RoPE variants perform similarly on most MCQ benchmarks. [mean over the benchmarks without WSC]",
            "Equivalence of RoPE on 10 % and on 100 % of the channels within 2 percentage points on average: two "
            "one-sided paired t tests over the differences of the benchmarks.",
            result, verdict};
}

SourceTest single_test() {
    const json& benchmarks = partial_rope_paper().at("benchmarks");
    std::vector<std::optional<double>> p;
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
        const AccuracyPairs pairs = accuracies_of(i, compared_fraction);
        for (std::size_t j = 0; j < pairs.full.size(); ++j) {
            p.push_back(binomial_p(pairs.partial[j], pairs.full[j], benchmarks[i].at("questions").get<int>()));
        }
    }
    const auto count = [](const std::vector<std::optional<double>>& values) {
        return std::count_if(values.begin(), values.end(),
                             [](const auto& value) { return value && *value < benchmark_level; });
    };
    const auto corrected = count(holm(p));
    return {
        "RoPE on 10 % and on 100 % of the channels reach the same accuracy in each model and benchmark. [each pair "
        "alone]",
        "Two-sided z test per model and benchmark with binomial standard errors from the number of questions, "
        "Holm's correction over all pairs. The models answer the same questions, so the true standard errors of "
        "the differences are smaller, but the paper does not print them. The claim of equality fails if a pair differs "
        "significantly, and is undecided otherwise: an insignificant difference is no evidence of equality.",
        std::to_string(count(p)) + " of " + std::to_string(p.size()) +
            " pairs of accuracies differ at the 5 % level (" +
            fixed_text(benchmark_level * static_cast<double>(p.size()), 1) + " expected by chance), " +
            std::to_string(corrected) + " after Holm's correction.",
        corrected > 0 ? SourceVerdict::fails : SourceVerdict::undecided};
}

}  // namespace

std::vector<BenchmarkComparison> benchmark_comparisons(double fraction) {
    std::vector<BenchmarkComparison> comparisons;
    const json& benchmarks = partial_rope_paper().at("benchmarks");
    for (std::size_t i = 0; i < benchmarks.size(); ++i) {
        const AccuracyPairs pairs = accuracies_of(i, fraction);
        BenchmarkComparison comparison;
        comparison.benchmark = benchmarks[i].at("name").get<std::string>();
        comparison.questions = benchmarks[i].at("questions").get<int>();
        comparison.settings = static_cast<int>(pairs.full.size());
        if (const auto test = paired_equivalence(pairs.partial, pairs.full, benchmark_margin)) {
            const double reach =
                test->standard_error *
                boost::math::quantile(boost::math::students_t(test->degrees_of_freedom), 1 - benchmark_level);
            comparison.difference = test->difference;
            comparison.low = test->difference - reach;
            comparison.high = test->difference + reach;
            comparison.p_equivalence = test->p;
            comparison.p_outside = test->p_outside;
        }
        for (std::size_t j = 0; j < pairs.full.size(); ++j) {
            const auto p = binomial_p(pairs.partial[j], pairs.full[j], comparison.questions);
            comparison.significant += p && *p < benchmark_level ? 1 : 0;
        }
        comparisons.push_back(std::move(comparison));
    }
    return comparisons;
}

std::vector<SourceTest> benchmark_tests() {
    return {ten_percent_test(), all_fractions_test(), mean_test(), single_test()};
}

namespace {

constexpr double test_level = 0.05;

bool has_tables(const std::string& sheet) {
    return sheet == "partial-bands" || sheet == "nope-spikes";
}

// `only_upper`: without fractions below 10 %; otherwise x says which.
std::vector<KendallStratum> perplexities(const std::string& version, bool only_upper) {
    std::vector<KendallStratum> strata;
    std::string config;
    for (const json& row : partial_rope_paper().at("lambada_perplexity")) {
        const auto fraction = fraction_of(row);
        if (!fraction) continue;
        if (row.at("config") != config) {
            config = row.at("config").get<std::string>();
            strata.emplace_back();
        }
        if (only_upper && *fraction < compared_fraction) continue;
        strata.back().x.push_back(only_upper ? *fraction : (*fraction >= compared_fraction ? 1 : 0));
        strata.back().y.push_back(row.at(version).at("mean").get<double>());
    }
    return strata;
}

// Geometric mean over the settings of the perplexity with 100 % relative to 10 %.
double last_to_first(const std::vector<KendallStratum>& strata) {
    double sum = 0;
    for (const KendallStratum& stratum : strata) sum += std::log(stratum.y.back() / stratum.y.front());
    return std::exp(sum / static_cast<double>(strata.size()));
}

std::string version_title(const std::string& version) {
    return version == "openai" ? "LAMBADA (OpenAI)" : "LAMBADA (Standard)";
}

SourceTest drop_test(const std::string& version) {
    const KendallTrend trend = kendall_trend(perplexities(version, false));
    return {partial_rope_paper().at("wording").at("perplexity_drop").get<std::string>() + " [" +
                version_title(version) + "]",
            "Exact rank-sum test, stratified by setting, of whether the perplexity is lower with RoPE on 10 % or more "
            "of the channels than on fewer. There is one run per setting; runs with QK-Norm are left out. The claim "
            "holds if the one-sided p is below 5 %. The test shows the direction, not how sharp the drop is.",
            "Kendall's S = " + std::to_string(trend.score) + " over 7 settings, " + p_words(trend.p_falling) + ".",
            trend.p_falling < test_level  ? SourceVerdict::holds
            : trend.p_rising < test_level ? SourceVerdict::fails
                                          : SourceVerdict::undecided};
}

// One run per setting gives no estimate of noise, so no equivalence test: trends can be shown, similarity cannot.
SourceTest level_test(const std::string& version) {
    const auto strata = perplexities(version, true);
    const KendallTrend trend = kendall_trend(strata);
    const bool has_trend = trend.p < test_level;
    return {partial_rope_paper().at("wording").at("perplexity_level").get<std::string>() + " [" +
                version_title(version) + "]",
            "Kendall's test for a trend of the perplexity from 10 % to 100 % of rotated channels, exact and stratified "
            "by setting, two-sided. One run per setting gives no estimate of the noise, so only a test for a trend is "
            "possible, which cannot show that the claim holds.",
            "Kendall's S = " + std::to_string(trend.score) + " over 7 settings, " + p_words(trend.p) + ". " +
                (has_trend ? (trend.score < 0 ? "The perplexity falls further from 10 % to 100 % of rotated channels"
                                              : "The perplexity rises from 10 % to 100 % of rotated channels")
                           : "No trend is found, which does not show that the perplexities are similar") +
                "; RoPE on 100 % of the channels has " + fixed_text(last_to_first(strata), 3) +
                " times the perplexity of RoPE on 10 % (geometric mean)." +
                (has_trend ? " The claim does not state up to which ratio perplexities are largely similar." : ""),
            SourceVerdict::undecided};
}

// A line per setting and fraction, accuracy and standard error in percent per benchmark.
std::string benchmark_table_text() {
    std::string text = "\nPublished accuracy [%] (standard error), Table 3 of Khan et al.:\n";
    const json& benchmarks = partial_rope_paper().at("benchmarks");
    for (const json& row : partial_rope_paper().at("benchmark_accuracy")) {
        text += "  " + row.at("config").get<std::string>() + ", " + row.at("rope").get<std::string>() + ": ";
        for (std::size_t i = 0; i < benchmarks.size(); ++i) {
            text += (i == 0 ? "" : ", ") + benchmarks[i].at("name").get<std::string>() + ' ' +
                    fixed_text(100 * row.at("accuracy")[i].get<double>(), 0) + " (" +
                    fixed_text(100 * row.at("stderr")[i].get<double>(), 0) + ')';
        }
        text += '\n';
    }
    text += "\nAccuracy with 10 % minus accuracy with 100 % [percentage points], mean over the settings:\n";
    for (const BenchmarkComparison& each : benchmark_comparisons(0.1)) {
        text += "  " + each.benchmark + " (" + std::to_string(each.questions) +
                " questions): " + fixed_text(100 * each.difference, 2) + ", 90 % interval " +
                fixed_text(100 * each.low, 2) + " to " + fixed_text(100 * each.high, 2) +
                ", equivalence within 2 points: " + p_words(each.p_equivalence) + "; " +
                std::to_string(each.significant) + " of " + std::to_string(each.settings) +
                " settings differ at the 5 % level (binomial standard errors)\n";
    }
    return text;
}

}  // namespace

std::string to_string(SourceVerdict verdict) {
    static constexpr std::array words = {"holds", "fails", "undecided"};  // in the order of the enumeration
    return words.at(static_cast<std::size_t>(verdict));
}

std::vector<SourceTest> perplexity_tests() {
    return {drop_test("openai"), drop_test("standard"), level_test("openai"), level_test("standard")};
}

std::vector<SourceTest> source_tests(const std::string& sheet) {
    if (!has_tables(sheet)) return {};
    std::vector<SourceTest> tests = benchmark_tests();
    for (SourceTest& test : perplexity_tests()) tests.push_back(std::move(test));
    return tests;
}

json benchmark_table_json(const std::string& sheet) {
    if (!has_tables(sheet)) return {};
    return {{"benchmarks", partial_rope_paper().at("benchmarks")},
            {"rows", partial_rope_paper().at("benchmark_accuracy")}};
}

std::string source_tests_text(const std::string& sheet) {
    const auto tests = source_tests(sheet);
    if (tests.empty()) return "";
    std::string text = benchmark_table_text() + "\nClaims of Khan et al., tested on the paper's own numbers:\n";
    for (const SourceTest& test : tests) {
        text += "  " + to_string(test.verdict) + ": “" + test.claim + "” " + test.result + " Test: " + test.test + '\n';
    }
    return text;
}

json source_tests_json(const std::string& sheet) {
    return json_list(source_tests(sheet), [](const SourceTest& test) -> json {
        return {
            {"claim", test.claim}, {"test", test.test}, {"result", test.result}, {"verdict", to_string(test.verdict)}};
    });
}

}  // namespace ropelab
