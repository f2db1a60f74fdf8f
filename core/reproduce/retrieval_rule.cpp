// The words of retrieval rules and of the null models of predictions.
#include "core/reproduce/building.h"
#include "core/reproduce/sheet.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

constexpr const char* gain_words =
    "The gain is the accuracy on repeated tokens minus the accuracy on their first occurrence, where nothing can be "
    "retrieved.";

std::string percent_of(double fraction) {
    return rough_text(100 * fraction) + " %";
}

// Returns the condition of the rule of earlier versions, which compares all groups at the longest lag.
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

}  // namespace

std::string rule_words(const RetrievalRule& rule) {
    if (rule.probes.empty()) return earlier_rule_words(rule);
    std::string probes;
    for (const GroupProbe& probe : rule.probes) probes += (probes.empty() ? "" : "; ") + probe_words(probe);
    const std::string kept = percent_of(rule.kept);
    return "Each group is compared with itself: its gain at the lag where its B is lowest with its gain at the lag "
           "where its B is highest. A lag tests the distance lag − 1, at which an induction head attends. The lags "
           "are " +
           probes + ". A group collapses if the 95 % confidence interval of the lower-B gain minus " + kept +
           " of the higher-B gain, paired by seed, lies below 0, and retrieves if it lies above 0. " + gain_words +
           " A group with a mean gain below " + percent_of(rule.least_gain) +
           " at its highest B has not learned retrieval and is not scored.";
}

bool has_earlier_rule(const Prediction& prediction) {
    return prediction.retrieval && prediction.retrieval->probes.empty();
}

std::string null_model_words(const Prediction& prediction) {
    const std::size_t all = prediction.low.size() + prediction.high.size();
    const std::string count = std::to_string(all);
    if (has_earlier_rule(prediction)) {
        return "Null model stored with the lab: each of the " + count + " groups fails with probability 1/2.";
    }
    if (!prediction.retrieval) {
        const std::string low = std::to_string(prediction.low.size());
        return "Null model: all orders of the " + count + " groups are equally likely, so that the " + low +
               " predicted to be lowest are the lowest with probability 1/C(" + count + ", " + low + ").";
    }
    const std::string k = std::to_string(prediction.high.size());
    std::string words = "Null model: the number of collapsing groups is given, and the " + k +
                        " that collapse are any " + k + " of the " + count + " groups; the chance is 1/C(" + count +
                        ", " + k + ").";
    if (prediction.high.empty() || prediction.low.empty()) {
        words += " A prediction that " + std::string(prediction.high.empty() ? "no" : "every") +
                 " group collapses has a chance level of 1 and is not scored.";
    }
    return words;
}

}  // namespace ropelab
