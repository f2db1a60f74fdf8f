#include "core/reproduce/sheet.h"

#include <algorithm>
#include <cmath>

#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

std::string percent(double fraction) {
    return percent_text(fraction) + " %";
}

std::string test_words(TestKind test) {
    if (test == TestKind::paired) return "t test paired by seed";
    return test == TestKind::welch ? "Welch's t test" : "Student's t test";
}

// Returns the keys of a group that `other` lacks or has with another value, as text: "theta = 500".
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
    throw BadInput("\"" + word + "\" is not a scale; the scale must be smoke, laptop or paper.");
}

std::string rule_words(const VerdictRule& rule) {
    const std::string alpha =
        number_text(rule.alpha) + " after Holm's correction over the family \"" + rule.family + "\"";
    const std::string claimed = rule.direction < 0 ? "lower" : "higher";
    const std::string opposite = rule.direction < 0 ? "higher" : "lower";
    if (rule.kind == VerdictRule::Kind::events) {
        return "Fisher's exact test, one-sided, p < " + alpha + ": the claim is reproduced if significantly " +
               (rule.direction < 0 ? "fewer" : "more") +
               " runs of the group have the event than runs of the baseline, not reproduced if significantly " +
               (rule.direction < 0 ? "more" : "fewer") + " do, and undecided otherwise.";
    }
    const std::string margin = percent(rule.margin) + " of the baseline's mean";
    if (rule.kind == VerdictRule::Kind::equivalence) {
        return "Two one-sided tests (" + test_words(rule.test) + "), p < " + alpha +
               ": the claim is reproduced if the difference is significantly smaller than ±" + margin +
               ", not reproduced if it is significantly larger, and undecided otherwise.";
    }
    return "Two-sided " + test_words(rule.test) + ", p < " + alpha +
           ": the claim is reproduced if the group's mean is significantly " + claimed +
           " than the baseline's. It is not reproduced if the mean is significantly " + opposite +
           ", or if both are equivalent within ±" + margin +
           " (two one-sided tests), even if the difference is significant. Otherwise the claim is undecided.";
}

std::string rule_words(const PlannedRow& row) {
    if (!row.rule || !row.baseline) return "";
    const VerdictRule& rule = *row.rule;
    std::string words = rule_words(rule) + " Baseline: " + own_keys_text(*row.baseline, row.group) + ".";
    if (row.control) {
        words += " The row is not testable unless the control, " + own_keys_text(*row.control, *row.baseline) +
                 ", differs from the baseline by more than ±" + percent(rule.margin) + " (" + test_words(rule.test) +
                 ", p < " + number_text(rule.alpha) + "); otherwise equal results show nothing.";
    }
    return words;
}

const std::vector<Sheet>& sheets() {
    static const std::vector<Sheet> all = {
        {"theta-table-2", "Huang et al. 2025, table 2: best validation loss of six bases on three data sets",
         plan_theta_table_2},
        {"theta-table-3", "Huang et al. 2025, table 3: losses and speeds of six bases on Tiny Shakespeare",
         plan_theta_table_3},
        {"theta-speed", "Huang et al. 2025, speeds: does every θ other than 10,000 halve the speed?", plan_theta_speed},
        {"partial-bands", "Khan et al., partial RoPE: does RoPE on 10 % of the channels match full RoPE?",
         plan_partial_bands},
        {"nope-spikes", "Khan et al., partial RoPE: loss spikes without position encoding, and their remedies",
         plan_nope_spikes},
        {"bpc", "Brahmachary 2025: bits per character on enwik8, with and without RoPE", plan_bpc},
    };
    return all;
}

const Sheet& sheet(std::string_view name) {
    return item_named(sheets(), name, "sheet");
}

}  // namespace ropelab
