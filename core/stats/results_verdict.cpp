#include <cmath>
#include <iterator>
#include <utility>

#include "core/stats/results_cells.h"
#include "core/stats/results_clocks.h"
#include "core/stats/results_table.h"

namespace ropelab {

namespace {

constexpr double level = 0.05;

// Returns "3 seeds per group", "3 and 5 seeds" or "3 pairs of seeds".
std::string seeds_words(const ResultsTable& table, const ResultGroup& group) {
    if (table.test == TestKind::paired) return std::to_string(group.pairs) + " pairs of seeds";
    const auto ours = group.described[table.compared].n;
    const auto theirs = table.baseline_of(group)->described[table.compared].n;
    if (ours == theirs) return std::to_string(ours) + (ours == 1 ? " seed" : " seeds") + " per group";
    return std::to_string(ours) + " and " + std::to_string(theirs) + " seeds";
}

// Returns the size, direction and interval of a difference: "0.0061 nats lower than the baseline (95 % interval -0.0095
// … -0.0027 nats)".
std::string difference_words(const ResultsTable& table, const DifferenceInterval& estimate) {
    const std::string unit = " " + std::string(measures()[table.compared].unit);
    std::string words = rough_text(std::abs(estimate.difference)) + unit +
                        (estimate.difference < 0 ? " lower" : " higher") + " than the baseline";
    if (std::isfinite(estimate.low)) {
        words += " (95 % interval " + rough_text(estimate.low) + " … " + rough_text(estimate.high) + unit + ")";
    }
    return words;
}

std::string why_untested(const ResultsTable& table, const ResultGroup& group) {
    const auto ours = group.described[table.compared].n;
    const ResultGroup* baseline = table.baseline_of(group);
    if (!baseline) return "No test: no group on this data set has the other settings of the baseline.";
    const auto theirs = baseline->described[table.compared].n;
    if (ours == 0)
        return "No test: no run of the group has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (theirs == 0)
        return "No test: no run of the baseline has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (!is_testable(group, *baseline, table.compared)) {
        return "No test: training times are one measurement per group, because runs of a cohort share one clock and "
               "the "
               "load of the machine differs between cohorts and sessions.";
    }
    if (table.test == TestKind::paired && group.pairs < 2) {
        return "No test: a paired test needs at least two seeds that both groups have, but there " +
               (group.pairs == 1 ? std::string("is 1.") : "are " + std::to_string(group.pairs) + ".");
    }
    if (ours < 2 || theirs < 2) return "No test: a test needs at least two seeds in the group and in the baseline.";
    const bool varies = group.described[table.compared].standard_deviation > 0;
    if (table.test == TestKind::paired && varies && group.difference.value_or(0) != 0) {
        return "No test: all pairs of seeds have the same difference, which leaves no variation to test against.";
    }
    return "No test: all seeds have equal values, so they are copies and not independent measurements.";
}

// Returns how the observed difference compares with the one that the test detects, as the end of a sentence: ", which
// is less than the 0.032 nats that …"; "" if it is unknown.
std::string power_words(const ResultsTable& table, const ResultGroup& group) {
    const Comparison& comparison = group.comparison(table.test);
    if (!comparison.detectable || !(std::abs(comparison.estimate->difference) < *comparison.detectable)) return {};
    const bool paired = table.test == TestKind::paired;
    const int count = table.comparisons_beside(group);
    std::string result = "; this difference is smaller than the " + rough_text(*comparison.detectable) + " " +
                         std::string(measures()[table.compared].unit) +
                         " that the test detects with 80 % power, given " + seeds_words(table, group) +
                         ", their standard deviations and the 5 % level";
    if (count > 1) {
        result += " divided by " + std::to_string(count) + " comparisons (the first and strictest step of Holm's " +
                  "correction)";
    }
    if (comparison.seeds_needed) {
        result += "; about " + std::to_string(*comparison.seeds_needed) +
                  (paired ? " pairs of seeds" : " seeds per group") + " would be needed to detect it";
    }
    return result;
}

// Returns a sentence on the runs that the comparison lacks because they failed; "" if there are none.
std::string survivor_words(const ResultsTable& table, const ResultGroup& group) {
    const ResultGroup& baseline = *table.baseline_of(group);
    if (!table.compares_survivors(group)) return {};
    std::string lost;
    for (const auto& [each, name] : {std::pair(&group, "group"), std::pair(&baseline, "baseline")}) {
        if (each->failed == 0) continue;
        lost += (lost.empty() ? "" : " and ") + std::to_string(each->failed) + " of " +
                runs_text(std::ssize(each->members)) + " of the " + name;
    }
    return " The comparison covers only the surviving runs: " + lost + " failed or diverged.";
}

}  // namespace

Verdict verdict_of(const ResultsTable& table, const ResultGroup& group) {
    if (table.is_baseline(group)) return {Verdict::Kind::baseline, "This group is the baseline of the comparison."};
    const Comparison& comparison = group.comparison(table.test);
    if (!comparison.p || !comparison.p_holm || !comparison.estimate) {
        return {Verdict::Kind::untested, why_untested(table, group)};
    }
    const int count = table.comparisons_beside(group);
    const std::string test_words =
        " (" + test_title(table.test) + ", " + std::to_string(count) + (count == 1 ? " comparison)" : " comparisons)");
    const std::string difference = difference_words(table, *comparison.estimate);
    const std::string survivors = survivor_words(table, group);
    if (*comparison.p_holm < level) {
        const bool higher = comparison.estimate->difference > 0;
        const bool better = higher == measures()[table.compared].more_is_better;
        return {better ? Verdict::Kind::better : Verdict::Kind::worse,
                std::string(better ? "Better: " : "Worse: ") + difference + ", " + p_words(*comparison.p_holm) +
                    " after Holm's correction" + test_words + "." + survivors};
    }
    std::string words = "Not significant: " + difference + ", ";
    if (*comparison.p < level) words += p_words(*comparison.p) + " without correction, but ";
    words += p_words(*comparison.p_holm) + " after Holm's correction" + test_words;
    return {Verdict::Kind::undecided, words + power_words(table, group) + "." + survivors};
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
