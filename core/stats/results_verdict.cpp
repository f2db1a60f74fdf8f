#include <cmath>

#include "core/stats/results_cells.h"
#include "core/stats/results_table.h"

namespace ropelab {

namespace {

constexpr double level = 0.05;

std::string title_of(TestKind test) {
    if (test == TestKind::student) return "Student's t test";
    return test == TestKind::welch ? "Welch's t test" : "t test paired by seed";
}

// Returns "3 seeds per group", "3 and 5 seeds" or "3 pairs of seeds".
std::string seeds_words(const ResultsTable& table, const ResultGroup& group) {
    if (table.test == TestKind::paired) return std::to_string(group.pairs) + " pairs of seeds";
    const auto ours = group.described[table.compared].n;
    const auto theirs = table.baseline_of(group)->described[table.compared].n;
    if (ours == theirs) return std::to_string(ours) + (ours == 1 ? " seed" : " seeds") + " per group";
    return std::to_string(ours) + " and " + std::to_string(theirs) + " seeds";
}

// Returns the size and the direction of a difference: "0.0061 nats lower".
std::string difference_words(const ResultsTable& table, double difference) {
    return rough_text(std::abs(difference)) + " " + std::string(measures()[table.compared].unit) +
           (difference < 0 ? " lower" : " higher");
}

std::string why_untested(const ResultsTable& table, const ResultGroup& group) {
    const auto ours = group.described[table.compared].n;
    const ResultGroup* baseline = table.baseline_of(group);
    if (!baseline) return "No test: no group on this data set has the other settings of the baseline.";
    const auto theirs = baseline->described[table.compared].n;
    if (ours == 0)
        return "No test: no run of this group has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (theirs == 0)
        return "No test: no run of the baseline has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (table.test == TestKind::paired && group.pairs < 2) {
        return "No test: a paired test needs at least two seeds that both groups have, but there " +
               (group.pairs == 1 ? std::string("is 1.") : "are " + std::to_string(group.pairs) + ".");
    }
    if (ours < 2 || theirs < 2) return "No test: a test needs at least two seeds in this group and in the baseline.";
    const std::string_view measure = measures()[table.compared].name;
    if (measure == "seconds" || measure == "tokens_per_second") {
        return "No test: runs of a cohort share one clock, so their times are a single measurement; train the runs "
               "sequentially to compare times.";
    }
    return "No test: all seeds have equal values, so they are copies and not independent measurements.";
}

std::string power_words(const ResultsTable& table, const ResultGroup& group) {
    const bool paired = table.test == TestKind::paired;
    const auto& detectable = paired ? group.detectable_paired : group.detectable;
    std::string result;
    if (detectable) {
        result = " With " + seeds_words(table, group) + ", a difference below " + rough_text(*detectable) + " " +
                 std::string(measures()[table.compared].unit) + " cannot be detected (80 % power at the 5 % level)";
        // The power is computed without Holm's correction, so the group may have the needed seeds already.
        result += !paired && group.seeds_needed && *group.seeds_needed > group.described[table.compared].n
                      ? "; the observed difference would need about " + std::to_string(*group.seeds_needed) +
                            " seeds per group."
                      : ".";
    }
    return result;
}

}  // namespace

Verdict verdict_of(const ResultsTable& table, const ResultGroup& group) {
    if (table.is_baseline(group)) return {Verdict::Kind::baseline, "This group is the baseline of the comparison."};
    const Comparison& comparison = group.comparison(table.test);
    if (!comparison.p || !comparison.p_holm || !group.difference) {
        return {Verdict::Kind::untested, why_untested(table, group)};
    }
    const int count = table.comparisons_beside(group);
    const std::string test_words =
        " (" + title_of(table.test) + ", " + std::to_string(count) + (count == 1 ? " comparison)" : " comparisons)");
    if (*comparison.p_holm < level) {
        const bool higher = *group.difference > 0;
        const bool better = higher == measures()[table.compared].more_is_better;
        return {better ? Verdict::Kind::better : Verdict::Kind::worse,
                std::string(better ? "Better: " : "Worse: ") + difference_words(table, *group.difference) +
                    " than the baseline, " + p_words(*comparison.p_holm) + " after Holm's correction" + test_words +
                    "."};
    }
    std::string words = "Not significant: " + difference_words(table, *group.difference) + " than the baseline, ";
    words += *comparison.p < level ? p_words(*comparison.p) + " without correction, but " +
                                         p_words(*comparison.p_holm) + " after Holm's correction" + test_words + "."
                                   : p_words(*comparison.p_holm) + " after Holm's correction" + test_words + ".";
    return {Verdict::Kind::undecided, words + power_words(table, group)};
}

std::string to_string(Verdict::Kind kind) {
    switch (kind) {
        case Verdict::Kind::baseline:
            return "baseline";
        case Verdict::Kind::untested:
            return "no test";
        case Verdict::Kind::undecided:
            return "not significant";
        case Verdict::Kind::better:
            return "better";
        case Verdict::Kind::worse:
            return "worse";
    }
    return {};
}

}  // namespace ropelab
