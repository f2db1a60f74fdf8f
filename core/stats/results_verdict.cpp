#include <cmath>

#include "core/stats/results_cells.h"
#include "core/stats/results_table.h"

namespace ropelab {

namespace {

constexpr double level = 0.05;

std::string title_of(TestKind test) {
    if (test == TestKind::student) return "Student";
    return test == TestKind::welch ? "Welch" : "paired by seed";
}

// "3 seeds", "3 and 5 seeds", "3 pairs of seeds".
std::string seeds_words(const ResultsTable& table, const ResultGroup& group) {
    if (table.test == TestKind::paired) return std::to_string(group.pairs) + " pairs of seeds";
    const auto ours = group.described[table.compared].n;
    const auto theirs = table.baseline_of(group)->described[table.compared].n;
    if (ours == theirs) return std::to_string(ours) + (ours == 1 ? " seed" : " seeds");
    return std::to_string(ours) + " and " + std::to_string(theirs) + " seeds";
}

// "0.0061 nats lower"
std::string difference_words(const ResultsTable& table, double difference) {
    return rough_text(std::abs(difference)) + " " + std::string(measures()[table.compared].unit) +
           (difference < 0 ? " lower" : " higher");
}

std::string why_untested(const ResultsTable& table, const ResultGroup& group) {
    const auto ours = group.described[table.compared].n;
    const ResultGroup* baseline = table.baseline_of(group);
    if (!baseline) return "No test: no group on this text has the baseline's other settings.";
    const auto theirs = baseline->described[table.compared].n;
    if (ours == 0) return "No run of this group has a finite " + std::string(measures()[table.compared].name) + " yet.";
    if (theirs == 0) return "The baseline has no finite " + std::string(measures()[table.compared].name) + " yet.";
    if (table.test == TestKind::paired && group.pairs < 2) {
        return "No test: pairs need two seeds that both groups have, and there " +
               (group.pairs == 1 ? std::string("is 1.") : "are " + std::to_string(group.pairs) + ".");
    }
    if (ours < 2 || theirs < 2) return "No test: it needs two seeds or more in this group and in the baseline.";
    const std::string_view measure = measures()[table.compared].name;
    if (measure == "seconds" || measure == "tokens_per_second") {
        return "No test: runs that train together share one clock, so that their times are one measurement; train them "
               "one by one to compare times.";
    }
    return "No test: the seeds do not differ at all, so that they are copies rather than measurements.";
}

std::string power_words(const ResultsTable& table, const ResultGroup& group) {
    const bool paired = table.test == TestKind::paired;
    const auto& detectable = paired ? group.detectable_paired : group.detectable;
    std::string result;
    if (detectable) {
        result = " With " + seeds_words(table, group) + " a difference below " + rough_text(*detectable) + " " +
                 std::string(measures()[table.compared].unit) + " cannot be detected (80 % power at 5 %)";
        // Before correction, as many may be there already.
        result += !paired && group.seeds_needed && *group.seeds_needed > group.described[table.compared].n
                      ? "; one as large as seen takes about " + std::to_string(*group.seeds_needed) + " seeds a group."
                      : ".";
    }
    return result;
}

}  // namespace

Verdict verdict_of(const ResultsTable& table, const ResultGroup& group) {
    if (table.is_baseline(group)) return {Verdict::Kind::baseline, "The baseline of the comparison."};
    const Comparison& comparison = group.comparison(table.test);
    if (!comparison.p || !comparison.p_holm || !group.difference) {
        return {Verdict::Kind::untested, why_untested(table, group)};
    }
    const int count = table.comparisons_beside(group);
    const std::string judged =
        " (" + title_of(table.test) + ", " + std::to_string(count) + (count == 1 ? " comparison)" : " comparisons)");
    if (*comparison.p_holm < level) {
        const bool higher = *group.difference > 0;
        const bool better = higher == measures()[table.compared].more_is_better;
        return {better ? Verdict::Kind::better : Verdict::Kind::worse,
                std::string(better ? "Better: " : "Worse: ") + difference_words(table, *group.difference) +
                    " than the baseline, " + p_words(*comparison.p_holm) + " after Holm" + judged + "."};
    }
    std::string words = "Not significant: " + difference_words(table, *group.difference) + " than the baseline, ";
    words += *comparison.p < level ? p_words(*comparison.p) + " by itself, but " + p_words(*comparison.p_holm) +
                                         " after Holm" + judged + "."
                                   : p_words(*comparison.p_holm) + " after Holm" + judged + ".";
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
