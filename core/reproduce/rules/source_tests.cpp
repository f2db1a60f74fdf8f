#include "core/reproduce/rules/source_tests.h"

#include <cmath>

#include "core/reproduce/sheets/published.h"
#include "core/results/results_cells.h"
#include "core/spec/numbers.h"
#include "core/stats/kendall.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr double test_level = 0.05;

bool has_tables(const std::string& sheet) {
    return sheet == "partial-bands" || sheet == "nope-spikes";
}

double rope_percent(const json& row) {
    const auto rope = row.at("rope").get<std::string>();
    return parse_number(rope.substr(0, rope.find('%')));
}

// Returns the perplexities of each setting over its fractions. `only_upper` leaves out fractions below 10 %;
// otherwise x says whether the fraction is 10 % or more. Rows with QK-Norm are another model.
std::vector<KendallStratum> perplexities(const std::string& version, bool only_upper) {
    std::vector<KendallStratum> strata;
    std::string config;
    for (const json& row : partial_rope_paper().at("lambada_perplexity")) {
        if (row.at("rope").get<std::string>().find("QK-Norm") != std::string::npos) continue;
        if (row.at("config") != config) {
            config = row.at("config").get<std::string>();
            strata.emplace_back();
        }
        const double percent = rope_percent(row);
        if (only_upper && percent < 10) continue;
        strata.back().x.push_back(only_upper ? percent : (percent >= 10 ? 1 : 0));
        strata.back().y.push_back(row.at(version).at("mean").get<double>());
    }
    return strata;
}

// Returns the geometric mean over the settings of the perplexity with 100 % relative to 10 %.
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
            "Exact rank-sum test, stratified by setting, of whether the perplexity is lower with 10 % or more of the "
            "channels than with fewer. There is one run per setting; runs with QK-Norm are left out. The claim holds "
            "if the one-sided p is below 5 %. The test shows the direction, not how sharp the drop is.",
            "Kendall's S = " + std::to_string(trend.score) + " over 7 settings, " + p_words(trend.p_falling) + ".",
            trend.p_falling < test_level  ? SourceVerdict::holds
            : trend.p_rising < test_level ? SourceVerdict::fails
                                          : SourceVerdict::undecided};
}

// With one run per setting there is no estimate of the noise, so no equivalence test: a trend can be shown, similarity
// cannot.
SourceTest level_test(const std::string& version) {
    const auto strata = perplexities(version, true);
    const KendallTrend trend = kendall_trend(strata);
    const bool has_trend = trend.p < test_level;
    return {partial_rope_paper().at("wording").at("perplexity_level").get<std::string>() + " [" +
                version_title(version) + "]",
            "Kendall's test for a trend of the perplexity from 10 % to 100 %, exact and stratified by setting, "
            "two-sided. One run per setting gives no estimate of the noise, so only a test for a trend is possible, "
            "which cannot show that the claim holds.",
            "Kendall's S = " + std::to_string(trend.score) + " over 7 settings, " + p_words(trend.p) + ". " +
                (has_trend ? (trend.score < 0 ? "The perplexity falls further from 10 % to 100 %"
                                              : "The perplexity rises from 10 % to 100 %")
                           : "No trend is found, which does not show similarity") +
                "; 100 % has " + fixed_text(last_to_first(strata), 3) +
                " times the perplexity of 10 % (geometric mean)." +
                (has_trend ? " The claim does not state up to which ratio perplexities are largely similar." : ""),
            SourceVerdict::undecided};
}

// Returns Table 3: a line per setting and fraction, accuracy and standard error in percent per benchmark.
std::string benchmark_table_text() {
    std::string text = "\nPublished accuracy [%] (standard error), Table 3:\n";
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
                " settings differ at 5 % (binomial)\n";
    }
    return text;
}

}  // namespace

std::string to_string(SourceVerdict verdict) {
    switch (verdict) {
        case SourceVerdict::holds:
            return "holds";
        case SourceVerdict::fails:
            return "fails";
        case SourceVerdict::undecided:
            break;
    }
    return "undecided";
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
    std::string text = benchmark_table_text() + "\nClaims of the source, tested on its own numbers:\n";
    for (const SourceTest& test : tests) {
        text += "  " + to_string(test.verdict) + ": “" + test.claim + "” " + test.result + " Test: " + test.test + '\n';
    }
    return text;
}

json source_tests_json(const std::string& sheet) {
    json tests = json::array();
    for (const SourceTest& test : source_tests(sheet)) {
        tests.push_back({{"claim", test.claim},
                         {"test", test.test},
                         {"result", test.result},
                         {"verdict", to_string(test.verdict)}});
    }
    return tests;
}

}  // namespace ropelab
