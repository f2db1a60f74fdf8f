#include "core/reproduce/rules/sheet.h"

#include <algorithm>
#include <span>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

std::string percent(double fraction) {
    return percent_text(fraction) + " %";
}

std::string test_words(TestKind test) {
    // Rows that are not paired are compared with separate variances.
    return test == TestKind::paired ? "t test paired by seed" : "Welch's t test";
}

// "theta = 500": keys that `other` lacks or has with another value.
std::string own_keys_text(const GroupKeys& group, const GroupKeys& other) {
    GroupKeys own;
    for (const auto& entry : group) {
        if (std::find(other.begin(), other.end(), entry) == other.end()) own.insert(entry);
    }
    return assignments_text(own);
}

}  // namespace

std::string minus_text(double value, int decimals) {
    const std::string text = fixed_text(value, decimals);
    return text.starts_with('-') ? "−" + text.substr(1) : text;
}

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
    using Kind = VerdictRule::Kind;
    const std::string level = number_text(rule.alpha);
    const std::string alpha = level + " after Holm's correction over the rows of the family \"" + rule.family + "\"";
    const std::string claimed = rule.direction < 0 ? "lower" : "higher";
    const std::string opposite = rule.direction < 0 ? "higher" : "lower";
    const std::string fewer = rule.direction < 0 ? "fewer" : "more";
    if (rule.kind == Kind::events) {
        const std::string claim = "Fisher's exact test, one-sided, p < " + alpha +
                                  ": the claim is reproduced if significantly " + fewer +
                                  " runs of the group have the event (a loss spike) than runs of the baseline";
        if (rule.version < 3) {
            return claim + ". It is not reproduced if significantly " + (rule.direction < 0 ? "more" : "fewer") +
                   " runs of the group have the event, and undecided otherwise.";
        }
        return claim + ". It is not reproduced if the probability of the event is " + claimed +
               " than the baseline's by significantly less than " + percent_text(rule.margin) +
               " percentage points or not at all (exact Clopper–Pearson bounds of both probabilities), even if the "
               "difference is significant. Otherwise the claim is undecided.";
    }
    if (rule.kind == Kind::proportion) {
        const std::string bound = percent(rule.bound);
        const std::string fisher =
            ", and significantly " + fewer + " runs of the group than of the baseline have it (Fisher's exact test)";
        const std::string exact = "Exact binomial test (one-sided Clopper–Pearson bounds), p < " + alpha + ": ";
        if (rule.direction > 0) {
            return exact +
                   "the claim is reproduced if every run of the group has the event (a loss spike), its probability is "
                   "significantly above " +
                   bound + fisher +
                   (rule.version > 3
                        ? ". It is not reproduced if a run of the group lacks the event, a counterexample to \"every "
                          "run\", and undecided otherwise."
                        : ". It is not reproduced if the probability is significantly below " + bound +
                              ", and undecided otherwise.");
        }
        return exact +
               "the claim is reproduced if the probability of the event (a loss spike) is significantly below " +
               bound + fisher + ". It is not reproduced if the probability is significantly above " + bound +
               ", and undecided otherwise. The row is not testable if no run of the baseline has the event.";
    }
    if (rule.kind == Kind::size) {
        const std::string range = number_text(rule.low) + " to " + number_text(rule.high);
        return "Two one-sided tests of the ratio of the means (" + test_words(rule.test) + "), p < " + alpha +
               ": the claim is reproduced if the group's mean divided by the baseline's lies significantly inside the "
               "range " +
               range + ", not reproduced if the ratio lies significantly outside (two-sided), and undecided otherwise.";
    }
    const std::string margin = percent(rule.margin) + " of the baseline's mean";
    if (rule.kind == Kind::equivalence) {
        return "Two one-sided tests (" + test_words(rule.test) + "), p < " + alpha +
               ": the claim is reproduced if the difference is significantly smaller than ±" + margin +
               ", not reproduced if it is significantly larger" + (rule.version > 1 ? " (two-sided)" : "") +
               ", and undecided otherwise.";
    }
    return "Two-sided " + test_words(rule.test) + ", p < " + alpha +
           ": the claim is reproduced if the group's mean is significantly " + claimed +
           " than the baseline's. It is not reproduced if the mean is significantly " + opposite +
           ", or if both are equivalent within ±" + margin +
           " (two one-sided tests), even if the difference is significant. Otherwise the claim is undecided.";
}

namespace {

std::string baseline_words(const PlannedRow& row) {
    if (row.baseline_others.empty()) return own_keys_text(*row.baseline, row.group);
    std::string words = "the mean, seed by seed, of " + own_keys_text(*row.baseline, row.group);
    for (const GroupKeys& other : row.baseline_others) words += "; " + own_keys_text(other, row.group);
    return words;
}

std::string control_rule_words(const PlannedRow& row) {
    if (!row.control) return "";
    const VerdictRule& rule = *row.rule;
    const std::string control = own_keys_text(*row.control, row.control_reference.value_or(*row.baseline));
    const std::string test = " (" + test_words(rule.test) + ", p < " + number_text(rule.alpha) + ")";
    if (rule.version == 1) {
        return " The row is not testable unless the control (a group that must be worse if the test works), " +
               control + ", differs from the baseline by more than ±" + percent(rule.margin) + test +
               "; otherwise equal results are no evidence.";
    }
    const bool are_two = !row.control_reference && row.group != *row.control;
    const std::string one_sided = " (one-sided " + test_words(rule.test) + ", p < " + number_text(rule.alpha) +
                                  (are_two ? " after Bonferroni's correction over the two tests" : "") + ")";
    const std::string better = row.control_reference       ? own_keys_text(*row.control_reference, *row.control)
                               : row.group == *row.control ? "the baseline"
                                                           : "the baseline or the group";
    return " The row is not testable unless " + better +
           " has a mean that is lower than that of the control (a group that must be worse if the test works), " +
           control + ", by significantly more than " + percent(rule.margin) + one_sided + "; otherwise " +
           row.control_shows + ", and equal results are no evidence." +
           (rule.version > 2 && rule.kind == VerdictRule::Kind::difference
                ? " A significant difference that is not smaller than the margin requires no control."
                : "");
}

}  // namespace

std::string rule_words(const PlannedRow& row) {
    if (!row.rule || !row.baseline) return "";
    std::string words = rule_words(*row.rule) + " Baseline: " + baseline_words(row) + ".";
    if (row.rule->version > 1 && row.rule->kind != VerdictRule::Kind::events &&
        row.rule->kind != VerdictRule::Kind::proportion) {
        words += " A row with failed or diverged runs is undecided.";
    }
    words += control_rule_words(row);
    if (row.tuned) {
        words += " The same search tuned the learning rates of group and baseline.";
    } else if (row.keys.contains("iterations")) {
        words += " Learning rate and warm-up are the same for group and baseline and were tuned for neither.";
    }
    return row.rule->version < rules_version ? "By the older rule stored in this lab file: " + words : words;
}

std::vector<std::int64_t> seeds_of(const SheetPlan& plan) {
    std::vector<std::int64_t> seeds;
    for (const std::string& seed : plan.experiment.values("seed")) seeds.push_back(std::stoll(seed));
    std::ranges::sort(seeds);
    return seeds;
}

std::string stored_rules_words(const SheetPlan& plan) {
    const bool is_old = std::any_of(plan.rows.begin(), plan.rows.end(), [](const PlannedRow& row) {
        return row.rule && row.rule->version < rules_version;
    });
    if (!is_old) return "";
    return "The verdicts follow the rules that this lab file stores. The stored rules are older than the rules of this "
           "program, which a new lab file would use.";
}

const std::vector<Sheet>& sheets() {
    static const std::vector<Sheet> all = [] {
        std::vector<Sheet> sheets = {
            {"theta-table-2", "Huang et al. 2025, table 2: best validation loss of six bases on three data sets",
             plan_theta_table_2},
            {"theta-table-3", "Huang et al. 2025, table 3: losses and speeds of six bases on Tiny Shakespeare",
             plan_theta_table_3},
            {"theta-speed", "Huang et al. 2025, speeds: does every θ other than 10,000 halve the speed?",
             plan_theta_speed},
            {"partial-bands", "Khan et al., partial RoPE: does RoPE on 10 % of the channels match full RoPE?",
             plan_partial_bands},
            {"nope-spikes", "Khan et al., partial RoPE: loss spikes without position encoding, and their remedies",
             plan_nope_spikes},
            {"bpc", "Brahmachary 2025: bits per character on enwik8, with and without RoPE", plan_bpc},
            {"pre-post-norm", "Xiong et al. 2020: pre-norm or post-norm, gradients by layer and warm-up",
             plan_pre_post_norm},
            {"glu-variants",
             "Shazeer 2020: do gated feed-forward networks have a lower loss at equal numbers of weights?",
             plan_glu_variants},
            {"encodings",
             "Huang et al. 2025, table 1: six position encodings, trained and evaluated beyond the training context",
             plan_encodings},
        };
        for (Sheet& sheet : sheets_of_data()) sheets.push_back(std::move(sheet));
        return sheets;
    }();
    return all;
}

const Sheet& sheet(std::string_view name) {
    return item_named(sheets(), name, "reproduction");
}

namespace {

constexpr const char* gain_words =
    "The gain is the accuracy on repeated tokens minus the accuracy on their first occurrence, where nothing can be "
    "retrieved.";

std::string percent_of(double fraction) {
    return rough_text(100 * fraction) + " %";
}

constexpr double together = 0.05;  // probability that an interval of any group misses its value

// To which an induction head attends if a token repeats after `lag` tokens.
std::string distance_text(std::int64_t lag) {
    return "distance " + std::to_string(lag - 1);
}

// Version 1 compares all groups at the longest lag.
std::string earlier_rule_words(const RetrievalRule& rule) {
    const std::string shortest = distance_text(rule.shortest_lag);
    return "A group fails in retrieval if its mean gain at " + distance_text(rule.longest_lag) + " is below " +
           percent_of(rule.kept) + " of the highest gain at " + shortest + ". " + gain_words + " If no group gains " +
           percent_of(rule.least_gain) + " at " + shortest + ", the prediction is not scored.";
}

std::string probe_words(const GroupProbe& probe) {
    return probe.label + ": " + distance_text(probe.far_lag) + " (B = " + minus_text(probe.far_bound, 2) +
           ") against " + distance_text(probe.near_lag) + " (B = " + minus_text(probe.near_bound, 2) + ")";
}

std::string control_lag_words(const GroupProbe& probe) {
    if (probe.control_lag == 0) return " without a control";
    return " and control " + distance_text(probe.control_lag) + " (B = " + minus_text(probe.control_bound, 2) + ")";
}

}  // namespace

std::string rule_words(const RetrievalRule& rule) {
    if (rule.probes.empty()) return earlier_rule_words(rule);
    const bool has_controls = rule.version > 2;
    const std::string probes =
        joined(std::span(rule.probes).first(std::min(most_listed, rule.probes.size())), "; ",
               [&](const GroupProbe& probe) {
                   return probe_words(probe) + (has_controls ? control_lag_words(probe) : "");
               }) +
        (rule.probes.size() > most_listed ? "; those of the other " + std::to_string(rule.probes.size() - most_listed) +
                                                " groups are in the lab file and in the JSON output"
                                          : "");
    const std::string kept = percent_of(rule.kept);
    const std::string least = percent_of(rule.least_gain);
    const std::string lags =
        "Each group is compared with itself: its gain at the distance with the lowest context bound B (the mean logit "
        "advantage of a similar key) against its gain at the distance with the highest B. The distance is that at "
        "which an induction head attends to the token after an earlier copy. The distances are " +
        probes + ".";
    const std::string unlearned = " A group with a mean gain below " + least +
                                  " at the distance with its highest B has not learned retrieval and is not scored.";
    if (!has_controls) {
        return lags +
               " The retrieval of a group collapses if the 95 % confidence interval of the gain at the lowest B "
               "minus " +
               kept +
               " of the gain at the highest B, paired by seed, lies below 0; the group retrieves if the interval lies "
               "above 0. " +
               gain_words + unlearned;
    }
    return lags + " A group retrieves if the confidence interval of the gain at the lowest B minus " + kept +
           " of the gain at the highest B, paired by seed, lies above 0. Its retrieval collapses if this interval and "
           "the interval of the gain at the lowest B minus " +
           kept +
           " of the gain at the control distance lie below 0. At the control distance, which is about as long, B is "
           "positive and clearly higher, so that a plain decline with distance is no collapse. The intervals have " +
           confidence_text(rule) + " confidence each and 95 % together (Bonferroni's correction over " +
           counted(static_cast<std::int64_t>(tested_groups(rule)), "group") + "). " + gain_words + unlearned +
           " A group without a control distance is not scored, because the effects of distance and of B cannot be "
           "separated.";
}

bool is_tested(const RetrievalRule& rule, const GroupProbe& probe) {
    return rule.version < 3 || probe.control_lag > 0;
}

std::size_t tested_groups(const RetrievalRule& rule) {
    return static_cast<std::size_t>(std::count_if(rule.probes.begin(), rule.probes.end(),
                                                  [&](const GroupProbe& probe) { return is_tested(rule, probe); }));
}

double group_confidence(const RetrievalRule& rule) {
    const std::size_t groups = rule.version < 3 ? 1 : std::max<std::size_t>(1, tested_groups(rule));
    return 1 - together / static_cast<double>(groups);
}

std::string confidence_text(const RetrievalRule& rule) {
    const double percent = 100 * group_confidence(rule);
    return fixed_text(percent, percent == 95 ? 0 : 2) + " %";
}

bool has_earlier_rule(const Prediction& prediction) {
    return prediction.retrieval && (compares_groups(prediction) || prediction.retrieval->version < 3);
}

bool compares_groups(const Prediction& prediction) {
    return prediction.retrieval && prediction.retrieval->probes.empty();
}

RetrievalGroups retrieval_groups(const Prediction& prediction) {
    RetrievalGroups groups{prediction.low.size() + prediction.high.size(), prediction.high.size()};
    if (!prediction.retrieval || prediction.retrieval->probes.empty()) return groups;
    const RetrievalRule& rule = *prediction.retrieval;
    groups = {tested_groups(rule), 0};
    for (std::size_t i = prediction.low.size(); i < rule.probes.size(); ++i) {
        groups.high += is_tested(rule, rule.probes[i]) ? 1 : 0;
    }
    return groups;
}

std::string null_model_words(const Prediction& prediction) {
    const RetrievalGroups groups = retrieval_groups(prediction);
    const std::string count = std::to_string(groups.all);
    if (compares_groups(prediction)) {
        return "Null model (the model of chance) stored in the lab file: each of the " + count +
               " groups fails with probability 1/2.";
    }
    if (!prediction.retrieval) {
        const std::string low = std::to_string(prediction.low.size());
        return "Null model (the model of chance): all orders of the " + count +
               " groups are equally likely, so that the " + low +
               " predicted to be lowest are the lowest with probability 1/C(" + count + ", " + low + ").";
    }
    const std::string k = std::to_string(groups.high);
    std::string words = "Null model (the model of chance): the number of collapsing groups is known, and the " + k +
                        " that collapse are any " + k + " of the " + count +
                        " groups with equal probability; the prediction is right by chance with probability 1/C(" +
                        count + ", " + k + ").";
    if (groups.all < prediction.low.size() + prediction.high.size()) {
        words +=
            " Groups without a control distance, which separates the effects of distance and of the context bound B, "
            "are "
            "not counted.";
    }
    if (groups.high == 0 || groups.high == groups.all) {
        words += " A prediction that " + std::string(groups.high == 0 ? "no" : "every") +
                 " group collapses cannot be wrong by this model, so it is not scored.";
    }
    return words;
}

}  // namespace ropelab
