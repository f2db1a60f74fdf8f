#include "core/stats/results_compare.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/spec/error.h"
#include "core/stats/equivalence.h"
#include "core/stats/holm.h"
#include "core/stats/power.h"
#include "core/stats/results_clocks.h"
#include "core/stats/results_interval.h"

namespace ropelab {

namespace {

constexpr std::array<TestKind, 3> test_kinds = {TestKind::student, TestKind::welch, TestKind::paired};
constexpr double family_level = 0.05;  // two-sided level of all comparisons with a baseline together

// Values of the compared measure for the seeds that both groups have, in the same order.
struct Pairs {
    std::vector<double> group, baseline;
};

Pairs pairs_of(const ResultGroup& group, const ResultGroup& baseline, std::size_t measure) {
    const std::vector<double> ours = group.values(measure);
    const std::vector<double> theirs = baseline.values(measure);
    Pairs result;
    for (std::size_t i = 0; i < group.seeds.size(); ++i) {
        const auto found = std::find(baseline.seeds.begin(), baseline.seeds.end(), group.seeds[i]);
        if (found == baseline.seeds.end()) continue;
        result.group.push_back(ours[i]);
        result.baseline.push_back(theirs[static_cast<std::size_t>(found - baseline.seeds.begin())]);
    }
    return result;
}

std::optional<TTest> test_of(TestKind kind, const Sample& ours, const Sample& theirs, const Pairs& pairs) {
    if (kind == TestKind::student) return student_t_test(ours, theirs);
    return kind == TestKind::welch ? welch_t_test(ours, theirs) : paired_t_test(pairs.group, pairs.baseline);
}

void compare(ResultGroup& group, const ResultGroup& baseline, const ResultsTable& table) {
    const Sample ours = sample_of(group.values(table.compared));
    const Sample theirs = sample_of(baseline.values(table.compared));
    const Pairs pairs = pairs_of(group, baseline, table.compared);
    group.pairs = static_cast<int>(paired_differences(pairs.group, pairs.baseline).size());
    for (const TestKind kind : test_kinds) {
        Comparison& comparison = group.comparison(kind);
        if (is_testable(group, baseline, table.compared)) comparison.test = test_of(kind, ours, theirs, pairs);
        if (comparison.test) comparison.p = comparison.test->p;
        comparison.estimate = difference_interval(group, baseline, table.compared, kind);
        // Equal values are copies, so that the width of their interval is no uncertainty.
        if (comparison.estimate && !comparison.p) {
            comparison.estimate->low = comparison.estimate->high = Description::unknown;
        }
    }
    const auto& estimate = group.comparison(table.test).estimate;
    if (!estimate) return;
    group.difference = estimate->difference;
    const double percent = 100 * estimate->difference / estimate->reference;
    if (std::isfinite(percent)) {
        group.difference_percent = percent;
        group.improvement_percent = measures()[table.compared].more_is_better || percent == 0 ? percent : -percent;
    }
}

// Computes the power of one kind of test, whose level depends on the number of comparisons with the baseline.
void add_power(ResultGroup& group, const ResultGroup& baseline, std::size_t measure, TestKind kind, int comparisons) {
    Comparison& comparison = group.comparison(kind);
    if (!comparison.p) return;  // without a test there is no detectable difference
    const PowerRule rule{family_level / comparisons, 0.8};
    const double difference = comparison.estimate->difference;
    if (kind == TestKind::paired) {
        const Pairs pairs = pairs_of(group, baseline, measure);
        const Sample differences = sample_of(paired_differences(pairs.group, pairs.baseline));
        comparison.detectable = detectable_difference_of_pairs(differences, rule);
        comparison.seeds_needed = pairs_to_detect(difference, differences.standard_deviation, rule);
        return;
    }
    const Sample ours = sample_of(group.values(measure));
    const Sample theirs = sample_of(baseline.values(measure));
    if (kind == TestKind::welch) {
        comparison.detectable = detectable_difference_welch(ours, theirs, rule);
        comparison.seeds_needed =
            seeds_to_detect_welch(difference, ours.standard_deviation, theirs.standard_deviation, rule);
        return;
    }
    comparison.detectable = detectable_difference(ours, theirs, rule);
    const double pooled = standard_error_of_difference(ours, theirs) /
                          std::sqrt(1 / static_cast<double>(ours.n) + 1 / static_cast<double>(theirs.n));
    comparison.seeds_needed = seeds_to_detect(difference, pooled, rule);
}

}  // namespace

void compare_groups(ResultsTable& table) {
    std::map<std::size_t, std::vector<ResultGroup*>> families;  // groups by the index of their baseline
    for (ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        compare(group, *baseline, table);
        families[*group.against].push_back(&group);
    }
    for (const auto& [baseline, family] : families) {
        for (const TestKind kind : test_kinds) {
            std::vector<std::optional<double>> raw;
            for (const ResultGroup* group : family) raw.push_back(group->comparison(kind).p);
            const auto corrected = holm(raw);
            const auto count =
                static_cast<int>(std::count_if(raw.begin(), raw.end(), [](const auto& p) { return p.has_value(); }));
            for (std::size_t i = 0; i < family.size(); ++i) {
                family[i]->comparison(kind).p_holm = corrected[i];
                add_power(*family[i], table.groups[baseline], table.compared, kind, count);
                // A significant difference needs no more seeds.
                if (corrected[i] && *corrected[i] < family_level) family[i]->comparison(kind).seeds_needed.reset();
            }
        }
    }
}

std::optional<TTest> test_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure, TestKind kind) {
    if (!is_testable(a, b, measure)) return std::nullopt;
    return test_of(kind, sample_of(a.values(measure)), sample_of(b.values(measure)), pairs_of(a, b, measure));
}

const ResultGroup* ResultsTable::baseline_of(const ResultGroup& group) const {
    return group.against ? &groups[*group.against] : nullptr;
}

bool ResultsTable::compares_survivors(const ResultGroup& group) const {
    const ResultGroup* other = baseline_of(group);
    return other && other != &group && (group.failed > 0 || other->failed > 0);
}

int ResultsTable::comparisons_beside(const ResultGroup& group) const {
    return static_cast<int>(std::count_if(groups.begin(), groups.end(), [&](const ResultGroup& other) {
        return other.against == group.against && other.comparison(test).p.has_value();
    }));
}

const Comparison& ResultGroup::comparison(TestKind test) const {
    if (test == TestKind::student) return student;
    return test == TestKind::welch ? welch : paired;
}

Comparison& ResultGroup::comparison(TestKind test) {
    return const_cast<Comparison&>(std::as_const(*this).comparison(test));
}

int ResultsTable::comparisons() const {
    return static_cast<int>(std::count_if(groups.begin(), groups.end(), [this](const ResultGroup& group) {
        return group.comparison(test).p.has_value();
    }));
}

std::string to_string(TestKind test) {
    if (test == TestKind::student) return "student";
    return test == TestKind::welch ? "welch" : "paired";
}

std::optional<TestKind> test_kind(const std::string& word) {
    if (word == "auto") return std::nullopt;
    for (const TestKind test : {TestKind::student, TestKind::welch, TestKind::paired}) {
        if (to_string(test) == word) return test;
    }
    throw BadInput("\"" + word + "\" is not a t test of the results table; it must be auto, student, welch or paired.");
}

}  // namespace ropelab
