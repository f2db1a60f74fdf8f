#include "core/experiment/sheets/sheet.h"

#include <algorithm>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

std::string percent(double share) {
    return percent_text(share) + " %";
}

std::string test_words(TestKind test) {
    if (test == TestKind::paired) return "t test paired by seed";
    return test == TestKind::welch ? "Welch's t test" : "Student's t test";
}

// The keys of a group that another one has not, or has with another value: "theta = 500".
std::string own_keys_text(const GroupKeys& group, const GroupKeys& other) {
    GroupKeys own;
    for (const auto& entry : group) {
        if (std::find(other.begin(), other.end(), entry) == other.end()) own.insert(entry);
    }
    return assignments_text(own);
}

}  // namespace

std::string to_string(SheetScale scale) {
    if (scale == SheetScale::smoke) return "smoke";
    return scale == SheetScale::laptop ? "laptop" : "paper";
}

SheetScale sheet_scale(const std::string& word) {
    for (const SheetScale scale : {SheetScale::smoke, SheetScale::laptop, SheetScale::paper}) {
        if (to_string(scale) == word) return scale;
    }
    throw BadInput("\"" + word + "\" is no scale of a sheet; it must be smoke, laptop or paper.");
}

std::string rule_words(const VerdictRule& rule) {
    const std::string alpha = number_text(rule.alpha) + " after Holm over \"" + rule.family + "\"";
    const std::string claimed = rule.direction < 0 ? "lower" : "higher";
    if (rule.kind == VerdictRule::Kind::events) {
        return "Fisher's exact test, one-sided, p < " + alpha + ": reproduced where " +
               (rule.direction < 0 ? "fewer" : "more") +
               " runs have the event than in the baseline, not reproduced the other way round, else undecided.";
    }
    const std::string margin = percent(rule.margin) + " of the baseline's mean";
    if (rule.kind == VerdictRule::Kind::equivalence) {
        return "Two one-sided tests (" + test_words(rule.test) + "), p < " + alpha + ": reproduced where within ±" +
               margin + ", not reproduced where beyond that, else undecided.";
    }
    return "Two-sided " + test_words(rule.test) + ", p < " + alpha + ": reproduced where " + claimed +
           " than the baseline; not reproduced the other way round, or where equivalent within ±" + margin +
           " (two one-sided tests), also where the difference is significant; else undecided.";
}

std::string rule_words(const PlannedRow& row) {
    if (!row.rule || !row.baseline) return "";
    const VerdictRule& rule = *row.rule;
    std::string words = rule_words(rule) + " Baseline: " + own_keys_text(*row.baseline, row.group) + ".";
    if (row.control) {
        words += " Not testable unless the control, " + own_keys_text(*row.control, *row.baseline) +
                 ", differs from the baseline by more than ±" + percent(rule.margin) + " (" + test_words(rule.test) +
                 ", p < " + number_text(rule.alpha) + "): where that makes no difference, likeness shows nothing.";
    }
    return words;
}

std::string rule_words(const RetrievalRule& rule) {
    const std::string shortest = std::to_string(rule.shortest_lag);
    return "A group fails where its mean gain at lag " + std::to_string(rule.longest_lag) + " is below " +
           percent(rule.kept) + " of the highest at lag " + shortest +
           "; the gain is the share of copied symbols that a model tells, less the share where nothing tells them. "
           "Where no group gains " +
           percent(rule.least_gain) + " at lag " + shortest + ", it is not scored.";
}

const std::vector<Sheet>& sheets() {
    static const std::vector<Sheet> all = {
        {"theta-table-2", "The theta paper's table 2: the best validation loss of six bases on three texts",
         plan_theta_table_2},
        {"theta-table-3", "The theta paper's table 3: losses and speed of six bases on Tiny Shakespeare",
         plan_theta_table_3},
        {"theta-speed", "Does any θ but 10,000 halve the speed?", plan_theta_speed},
        {"partial-bands", "The partial-RoPE paper: is 10 % as good as all, and are there two bands?",
         plan_partial_bands},
        {"nope-spikes", "The partial-RoPE paper: loss spikes without positions, and what removes them",
         plan_nope_spikes},
        {"bpc", "The post: bits per character on enwik8 with and without RoPE", plan_bpc},
    };
    return all;
}

const Sheet& sheet(std::string_view name) {
    return item_named(sheets(), name, "sheet");
}

}  // namespace ropelab
