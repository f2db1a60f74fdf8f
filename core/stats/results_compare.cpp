#include "core/stats/results_compare.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/spec/error.h"
#include "core/stats/holm.h"
#include "core/stats/power.h"

namespace ropelab {

namespace {

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

Comparison comparison_of(const std::optional<TTest>& test) {
    Comparison result;
    result.test = test;
    if (test) result.p = test->p;
    return result;
}

void compare(ResultGroup& group, const ResultGroup& baseline, std::size_t measure) {
    const std::vector<double> values = group.values(measure);
    const Sample ours = sample_of(values);
    const Sample theirs = sample_of(baseline.values(measure));
    const double difference = ours.mean - theirs.mean;
    if (std::isfinite(difference)) group.difference = difference;
    const double percent = 100 * difference / theirs.mean;
    if (std::isfinite(percent)) {
        group.difference_percent = percent;
        group.improvement_percent = measures()[measure].more_is_better || percent == 0 ? percent : -percent;
    }
    group.student = comparison_of(student_t_test(ours, theirs));
    group.welch = comparison_of(welch_t_test(ours, theirs));
    const Pairs pairs = pairs_of(group, baseline, measure);
    group.paired = comparison_of(paired_t_test(pairs.group, pairs.baseline));
    const Sample differences = sample_of(paired_differences(pairs.group, pairs.baseline));
    group.pairs = static_cast<int>(differences.n);
    // Without a test there is no detectable difference.
    if (group.student.p) {
        group.detectable = detectable_difference(ours, theirs);
        const double deviation = standard_error_of_difference(ours, theirs) /
                                 std::sqrt(1 / static_cast<double>(ours.n) + 1 / static_cast<double>(theirs.n));
        group.seeds_needed = seeds_to_detect(difference, deviation);
    }
    if (group.paired.p) group.detectable_paired = detectable_difference_of_pairs(differences);
}

}  // namespace

void compare_groups(ResultsTable& table) {
    std::map<std::size_t, std::vector<ResultGroup*>> families;  // groups by the index of their baseline
    for (ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        compare(group, *baseline, table.compared);
        families[*group.against].push_back(&group);
    }
    for (const auto& [baseline, family] : families) {
        for (Comparison ResultGroup::*const test : {&ResultGroup::student, &ResultGroup::welch, &ResultGroup::paired}) {
            std::vector<std::optional<double>> raw;
            for (const ResultGroup* group : family) raw.push_back((group->*test).p);
            const auto corrected = holm(raw);
            for (std::size_t i = 0; i < family.size(); ++i) (family[i]->*test).p_holm = corrected[i];
        }
    }
}

const ResultGroup* ResultsTable::baseline_of(const ResultGroup& group) const {
    return group.against ? &groups[*group.against] : nullptr;
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

int ResultsTable::comparisons() const {
    return static_cast<int>(std::count_if(groups.begin(), groups.end(), [this](const ResultGroup& group) {
        return group.comparison(test).p.has_value();
    }));
}

std::string to_string(TestKind test) {
    if (test == TestKind::student) return "student";
    return test == TestKind::welch ? "welch" : "paired";
}

TestKind test_kind(const std::string& word) {
    for (const TestKind test : {TestKind::student, TestKind::welch, TestKind::paired}) {
        if (to_string(test) == word) return test;
    }
    throw BadInput("\"" + word + "\" is not a t test of the results table; it must be student, welch or paired.");
}

}  // namespace ropelab
