// The words of retrieval rules and of the null models of predictions.
#include <algorithm>

#include "core/reproduce/sheet.h"
#include "core/reproduce/sheets/building.h"
#include "core/results/results_cells.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

constexpr const char* gain_words =
    "The gain is the accuracy on repeated tokens minus the accuracy on their first occurrence, where nothing can be "
    "retrieved.";

std::string percent_of(double fraction) {
    return rough_text(100 * fraction) + " %";
}

constexpr double together = 0.05;  // probability that an interval of any group misses its value

// Returns the condition of the rule of version 1, which compares all groups at the longest lag.
std::string earlier_rule_words(const RetrievalRule& rule) {
    const std::string shortest = std::to_string(rule.shortest_lag);
    return "A group fails in retrieval if its mean gain at lag " + std::to_string(rule.longest_lag) + " is below " +
           percent_of(rule.kept) + " of the highest gain at lag " + shortest + ". " + gain_words +
           " If no group gains " + percent_of(rule.least_gain) + " at lag " + shortest +
           ", the prediction is not scored.";
}

std::string probe_words(const GroupProbe& probe) {
    return probe.label + ": lag " + std::to_string(probe.far_lag) + " (B = " + fixed_text(probe.far_bound, 2) +
           ") against lag " + std::to_string(probe.near_lag) + " (B = " + fixed_text(probe.near_bound, 2) + ")";
}

std::string groups_text(std::size_t count) {
    return std::to_string(count) + (count == 1 ? " group" : " groups");
}

std::string control_lag_words(const GroupProbe& probe) {
    if (probe.control_lag == 0) return " without a control";
    return " and control lag " + std::to_string(probe.control_lag) + " (B = " + fixed_text(probe.control_bound, 2) +
           ")";
}

}  // namespace

std::string rule_words(const RetrievalRule& rule) {
    if (rule.probes.empty()) return earlier_rule_words(rule);
    const bool has_controls = rule.version > 2;
    std::string probes;
    for (const GroupProbe& probe : rule.probes) {
        probes += (probes.empty() ? "" : "; ") + probe_words(probe) + (has_controls ? control_lag_words(probe) : "");
    }
    const std::string kept = percent_of(rule.kept);
    const std::string least = percent_of(rule.least_gain);
    const std::string lags =
        "Each group is compared with itself: its gain at the lag where its B is lowest with its gain at the lag where "
        "its B is highest. A lag tests the distance lag − 1, at which an induction head attends. The lags are " +
        probes + ".";
    const std::string unlearned =
        " A group with a mean gain below " + least + " at its highest B has not learned retrieval and is not scored.";
    if (!has_controls) {
        return lags + " A group collapses if the 95 % confidence interval of the lower-B gain minus " + kept +
               " of the higher-B gain, paired by seed, lies below 0, and retrieves if it lies above 0. " + gain_words +
               unlearned;
    }
    return lags + " A group retrieves if the confidence interval of the lower-B gain minus " + kept +
           " of the higher-B gain, paired by seed, lies above 0. It collapses if this interval and that of the lower-B "
           "gain minus " +
           kept +
           " of the gain at the control lag lie below 0. At the control lag, at about the same distance, B is "
           "positive and clearly higher, so that a plain decline with distance is no collapse. The intervals have " +
           confidence_text(rule) + " confidence each and 95 % together (Bonferroni's correction over " +
           groups_text(tested_groups(rule)) + "). " + gain_words + unlearned +
           " For a group without a control lag, distance and B cannot be separated, and it is not scored.";
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
        return "Null model stored with the lab: each of the " + count + " groups fails with probability 1/2.";
    }
    if (!prediction.retrieval) {
        const std::string low = std::to_string(prediction.low.size());
        return "Null model: all orders of the " + count + " groups are equally likely, so that the " + low +
               " predicted to be lowest are the lowest with probability 1/C(" + count + ", " + low + ").";
    }
    const std::string k = std::to_string(groups.high);
    std::string words = "Null model: the number of collapsing groups is given, and the " + k +
                        " that collapse are any " + k + " of the " + count + " groups; the chance is 1/C(" + count +
                        ", " + k + ").";
    if (groups.all < prediction.low.size() + prediction.high.size()) {
        words += " Groups without a control lag are not counted.";
    }
    if (groups.high == 0 || groups.high == groups.all) {
        words += " A prediction that " + std::string(groups.high == 0 ? "no" : "every") +
                 " group collapses has a chance level of 1 and is not scored.";
    }
    return words;
}

}  // namespace ropelab
