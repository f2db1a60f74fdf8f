#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "core/base/numbers.h"
#include "core/reproduce/rules/evaluate.h"
#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/rules/predictions.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

// Those of Prediction::low first.
std::vector<GroupKeys> groups_of(const Prediction& prediction) {
    std::vector<GroupKeys> groups = prediction.low;
    groups.insert(groups.end(), prediction.high.begin(), prediction.high.end());
    return groups;
}

std::vector<GroupValues> values_of_groups(std::span<const SheetRun> runs, const std::vector<GroupKeys>& groups,
                                          const std::string& measure) {
    std::vector<GroupValues> values;
    for (const GroupKeys& group : groups) values.push_back(values_of(runs, group, measure));
    return values;
}

// Empty if a group has no finite value or a run that has not ended or is not measured.
std::vector<Sample> complete_samples(const std::vector<GroupValues>& groups) {
    std::vector<Sample> samples;
    for (const GroupValues& group : groups) {
        samples.push_back(sample_of(group.values()));
        if (samples.back().n == 0 || group.open() > 0) return {};
    }
    return samples;
}

// `waiting` runs are still to train.
std::string missing_values_words(std::int64_t waiting, std::int64_t unmeasured) {
    std::string left;
    if (waiting > 0) left += counted(waiting, "run") + " to train";
    if (unmeasured > 0) left += (left.empty() ? "" : ", ") + counted(unmeasured, "run") + " to measure";
    return "Not all runs that the prediction concerns have a value yet" + (left.empty() ? "." : ": " + left + ".");
}

std::string missing_values_words(const std::vector<GroupValues>& groups) {
    std::int64_t waiting = 0, unmeasured = 0;
    for (const GroupValues& group : groups) {
        waiting += group.waiting;
        unmeasured += std::ssize(group.unmeasured);
    }
    return missing_values_words(waiting, unmeasured);
}

constexpr double order_level = 0.05;

// "theta = 500: 0.0830 ± 0.0290 nats (n = 3)".
std::string group_words(const ScoredPrediction::Group& group, const std::string& unit) {
    std::string words = (group.label.empty() ? "all runs" : group.label) + ": " + minus_text(group.sample.mean, 4);
    if (group.sample.n > 1) words += " ± " + fixed_text(group.sample.standard_deviation, 4);
    return words + (unit.empty() ? "" : " " + unit) + " (n = " + std::to_string(group.sample.n) + ")";
}

// order_rule 2.
ScoredPrediction::Outcome tested_order(const std::vector<ScoredPrediction::Group>& groups) {
    double pairs = 0;
    bool all_lower = true;
    double least_reversed = 1;  // p of the clearest reversed pair
    for (const auto& low : groups) {
        for (const auto& high : groups) {
            if (!low.low || high.low) continue;
            ++pairs;
            const auto test = welch_t_test(low.sample, high.sample);
            const double p = test ? test->p : 1;
            all_lower = all_lower && low.sample.mean < high.sample.mean && p < order_level;
            if (low.sample.mean > high.sample.mean) least_reversed = std::min(least_reversed, p);
        }
    }
    if (all_lower) return ScoredPrediction::Outcome::right;
    return least_reversed * pairs < order_level ? ScoredPrediction::Outcome::wrong
                                                : ScoredPrediction::Outcome::undecided;
}

// Sets the test of the closest groups.
std::string order_words(ScoredPrediction& scored) {
    const ScoredPrediction::Group* low = nullptr;
    const ScoredPrediction::Group* high = nullptr;
    std::string words = "Means of the groups ± standard deviations over seeds: ";
    const bool are_listed = scored.groups.size() <= most_listed;
    if (!are_listed) words += counted(std::ssize(scored.groups), "group") + ", which the JSON output lists";
    for (const auto& group : scored.groups) {
        if (are_listed) {
            words += (&group == &scored.groups.front() ? "" : "; ") + group_words(group, scored.unit) +
                     (group.low ? ", predicted low" : "");
        }
        if (group.low && (!low || group.sample.mean > low->sample.mean)) low = &group;
        if (!group.low && (!high || group.sample.mean < high->sample.mean)) high = &group;
    }
    scored.test = welch_t_test(low->sample, high->sample);
    if (!scored.test) {
        return words + ". The closest groups, " + low->label + " and " + high->label +
               ", cannot be tested: a test needs at least two seeds with different values in each group.";
    }
    return words + ". Welch's t test of the closest groups, " + low->label + " and " + high->label +
           ": t = " + minus_text(scored.test->t, 2) + ", " + p_words(scored.test->p) + ".";
}

void score_order(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const Prediction& prediction = scored.prediction;
    const std::vector<GroupKeys> groups = groups_of(prediction);
    const std::vector<GroupValues> values = values_of_groups(runs, groups, prediction.measure);
    const std::vector<Sample> samples = complete_samples(values);
    if (samples.empty() || prediction.low.empty() || prediction.high.empty()) {
        scored.words = missing_values_words(values);
        return;
    }
    std::size_t failed = 0;
    double highest_low = samples.front().mean, lowest_high = samples.back().mean;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const bool low = i < prediction.low.size();
        scored.groups.push_back({differing_text(groups, i), samples[i], low});
        failed += values[i].failed.size();
        if (low) highest_low = std::max(highest_low, samples[i].mean);
        if (!low) lowest_high = std::min(lowest_high, samples[i].mean);
    }
    scored.unit = unit_of(prediction.measure);
    scored.words = order_words(scored);
    if (failed > 0) {
        scored.words = counted(failed, "run") +
                       " of the groups failed or diverged, so the means compare only the surviving runs. " +
                       scored.words;
    } else if (prediction.order_rule >= 2) {
        scored.outcome = tested_order(scored.groups);
        if (scored.outcome == ScoredPrediction::Outcome::undecided) {
            scored.words += " The differences may be due to chance, so the prediction is neither right nor wrong.";
        }
    } else {
        scored.outcome =
            highest_low < lowest_high ? ScoredPrediction::Outcome::right : ScoredPrediction::Outcome::wrong;
        scored.words += " The rule stored in the lab file compares the means without a test.";
        if (!scored.test || scored.test->p >= order_level) scored.words += " The difference may be due to chance.";
    }
}

// Version 1 compares all groups at the longest lag.
void score_earlier_rule(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const RetrievalRule& rule = *scored.prediction.retrieval;
    const std::vector<GroupKeys> groups = groups_of(scored.prediction);
    const auto gains_at = [&](std::int64_t lag) {
        return complete_samples(values_of_groups(runs, groups, retrieval_gain(lag)));
    };
    const std::vector<Sample> near = gains_at(rule.shortest_lag), far = gains_at(rule.longest_lag);
    if (near.empty() || far.empty()) {
        scored.words = missing_values_words(values_of_groups(runs, groups, scored.prediction.measure));
        return;
    }
    const double highest = std::ranges::max(near, {}, &Sample::mean).mean;
    const std::string nearest = std::to_string(rule.shortest_lag - 1);
    const std::string farthest = std::to_string(rule.longest_lag - 1);
    if (highest < rule.least_gain) {
        scored.words = "No group retrieves repeated tokens even at distance " + nearest +
                       ": the highest gain in accuracy is " + minus_text(highest, 3) +
                       ", so no group can fail and the prediction is not scored.";
        return;
    }
    const double limit = rule.kept * highest;
    bool is_right = true;
    std::string gains;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        is_right = is_right && (far[i].mean < limit) == (i >= scored.prediction.low.size());
        gains += (i == 0 ? "" : ", ") + minus_text(far[i].mean, 3) + " (" + differing_text(groups, i) + ")";
    }
    scored.outcome = is_right ? ScoredPrediction::Outcome::right : ScoredPrediction::Outcome::wrong;
    scored.words = "The highest gain in accuracy on repeated tokens at distance " + nearest + " is " +
                   fixed_text(highest, 3) + ". Groups with a gain below " + fixed_text(limit, 3) + " at distance " +
                   farthest + " fail; the gains at this distance are " + gains + ".";
}

struct GroupGains {
    LagGains lags;
    bool has_runs = false;
    std::int64_t waiting = 0;           // number of runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds of finished runs that are not measured at every lag
};

GroupGains gains_of(std::span<const SheetRun> runs, const GroupProbe& probe) {
    const auto at = [&](std::int64_t lag) { return values_of(runs, probe.group, retrieval_gain(lag)); };
    const bool has_control = probe.control_lag > 0;
    const GroupValues near = at(probe.near_lag), far = at(probe.far_lag);
    const GroupValues control = has_control ? at(probe.control_lag) : GroupValues{};
    GroupGains result;
    result.has_runs = near.waiting > 0 || !near.by_seed.empty();
    result.waiting = near.waiting;
    for (const GroupValues* each : {&near, &far, &control}) {
        result.unmeasured.insert(each->unmeasured.begin(), each->unmeasured.end());
    }
    for (const auto& [seed, gain] : near.by_seed) {
        if (near.failed.contains(seed) || result.unmeasured.contains(seed)) continue;
        result.lags.near.push_back(gain);
        result.lags.far.push_back(far.by_seed.at(seed));
        if (has_control) result.lags.control.push_back(control.by_seed.at(seed));
    }
    return result;
}

Description described_with(std::span<const double> values, double confidence) {
    Description result = describe(values);
    const Interval interval = mean_interval(result.mean, result.standard_error, result.n - 1, confidence);
    result.confidence_low = interval.low;
    result.confidence_high = interval.high;
    return result;
}

std::string mean_with_interval(const Description& described) {
    const std::string mean = minus_text(described.mean, 3);
    if (!std::isfinite(described.confidence_low)) return mean;
    return mean + " [" + minus_text(described.confidence_low, 3) + ", " + minus_text(described.confidence_high, 3) +
           "]";
}

const char* finding_text(const CollapseTest& test) {
    switch (test.finding) {
        case Collapse::collapses:
            return "collapses";
        case Collapse::retrieves:
            return test.drop.confidence_low > 0 ? "retrieves, with a lower gain" : "retrieves, no distance effect";
        case Collapse::undecided:
            return test.seeds < 2 ? "undecided, because the test requires at least two seeds" : "undecided";
        case Collapse::declines:
            return "declines with distance even where the context bound B is higher, which is no collapse";
        case Collapse::no_control:
            return "not scored, because no measured distance separates the effects of distance and of the context "
                   "bound B";
        case Collapse::not_learned:
            return "has not learned retrieval and is not scored";
    }
    return "";
}

std::string finding_words(const GroupProbe& probe, const CollapseTest& test, double kept) {
    if (test.seeds == 0) return probe.label + ": no run has a measured gain";
    const std::string part = rough_text(100 * kept) + " %";
    const bool has_control = std::isfinite(test.control);
    return probe.label + ": gain " + minus_text(test.near, 3) + " at distance " + std::to_string(probe.near_lag - 1) +
           ", " + minus_text(test.far, 3) + " at distance " + std::to_string(probe.far_lag - 1) +
           (has_control ? ", " + minus_text(test.control, 3) + " at the control distance " +
                              std::to_string(probe.control_lag - 1)
                        : "") +
           ", drop of the gain " + mean_with_interval(test.drop) + ", gain at distance " +
           std::to_string(probe.far_lag - 1) + " minus " + part + " of the gain at distance " +
           std::to_string(probe.near_lag - 1) + " " + mean_with_interval(test.excess) +
           (has_control ? ", gain at distance " + std::to_string(probe.far_lag - 1) + " minus " + part +
                              " of the gain at the control distance " + mean_with_interval(test.over_control)
                        : "") +
           ", n = " + std::to_string(test.seeds) + ": " + finding_text(test);
}

// The gain at the far lag is significantly lower than at the near lag.
Collapse finding_of_drop(const RetrievalRule& rule, const CollapseTest& test) {
    if (rule.version < 3) return Collapse::collapses;
    if (test.control < rule.least_gain || test.over_control.confidence_low > 0) return Collapse::declines;
    return test.over_control.confidence_high < 0 ? Collapse::collapses : Collapse::undecided;
}

// The prediction is right if every scored group collapses or retrieves as predicted, wrong if one of them does not, and
// not scored if one is undecided or declines with distance alone. Groups without a control lag and groups that have not
// learned retrieval are left out, and the chance is that of the others; with chance 1 nothing is scored.
void score_collapse(ScoredPrediction& scored, std::span<const SheetRun> runs) {
    const Prediction& prediction = scored.prediction;
    const RetrievalRule& rule = *prediction.retrieval;
    std::int64_t waiting = 0;
    std::int64_t unmeasured = 0;
    std::size_t groups = 0;
    std::size_t collapsing = 0;  // number of scored groups that are predicted to collapse
    bool is_missing = false;     // a group has no runs yet
    bool is_undecided = false;
    bool is_declining = false;
    bool is_wrong = false;
    std::string findings;
    std::map<std::string, std::string> labels;  // of the groups of each finding
    for (std::size_t i = 0; i < rule.probes.size(); ++i) {
        const GroupGains gains = gains_of(runs, rule.probes[i]);
        waiting += gains.waiting;
        unmeasured += std::ssize(gains.unmeasured);
        is_missing = is_missing || !gains.has_runs;
        CollapseTest test = collapse_test(rule, gains.lags);
        if (!is_tested(rule, rule.probes[i])) test.finding = Collapse::no_control;
        findings += (findings.empty() ? "" : "; ") + finding_words(rule.probes[i], test, rule.kept);
        std::string& same = labels[test.seeds == 0 ? "no run has a measured gain" : finding_text(test)];
        same += (same.empty() ? "" : ", ") + rule.probes[i].label;
        if (test.finding == Collapse::not_learned || test.finding == Collapse::no_control) continue;
        const bool is_predicted = i >= prediction.low.size();
        ++groups;
        collapsing += is_predicted ? 1 : 0;
        is_undecided = is_undecided || test.finding == Collapse::undecided;
        is_declining = is_declining || test.finding == Collapse::declines;
        is_wrong = is_wrong || test.finding == (is_predicted ? Collapse::retrieves : Collapse::collapses);
    }
    if (waiting > 0 || unmeasured > 0 || is_missing) {
        scored.words = missing_values_words(waiting, unmeasured);
        return;
    }
    if (rule.probes.size() > most_listed)
        findings = joined(labels, "; ", [](const auto& entry) { return entry.first + ": " + entry.second; });
    scored.chance = groups > 0 ? chance_of_set(groups, collapsing) : 1;
    scored.words = "Gains in accuracy on repeated tokens with " + confidence_text(rule) + " intervals" +
                   (tested_groups(rule) > 1 && rule.version > 2 ? " (95 % together, by Bonferroni's correction over " +
                                                                      std::to_string(tested_groups(rule)) + " groups)"
                                                                : "") +
                   ": " + findings + ".";
    if (tested_groups(rule) == 0) {
        scored.words +=
            " In no group does a measured distance separate the effects of distance and of the context bound B.";
    } else if (groups == 0) {
        scored.words += " No group has learned retrieval, so no group can collapse.";
    } else if (is_declining && !is_wrong) {
        scored.words +=
            " In a group whose gain declines even where the context bound B is higher, the effects of distance and of "
            "B are not separated, so the prediction is not scored.";
    } else if (is_undecided && !is_wrong) {
        scored.words += " The confidence intervals leave at least one group undecided; more seeds are required.";
    } else if (scored.chance >= 1) {
        scored.words += std::string(" The findings ") + (is_wrong ? "contradict" : "agree with") +
                        " the prediction, but the prediction would be right by chance with probability 1 (null model), "
                        "so it is not scored.";
    } else {
        scored.outcome = is_wrong ? ScoredPrediction::Outcome::wrong : ScoredPrediction::Outcome::right;
    }
}

}  // namespace

std::string to_string(ScoredPrediction::Outcome outcome) {
    static constexpr std::array words = {"right", "wrong", "undecided",
                                         "not scored"};  // in the order of the enumeration
    return words.at(static_cast<std::size_t>(outcome));
}

CollapseTest collapse_test(const RetrievalRule& rule, const LagGains& gains) {
    const bool has_control = !gains.control.empty();
    LagGains finite;
    std::vector<double> drops, excesses, over_control;
    for (std::size_t i = 0; i < gains.near.size(); ++i) {
        const double near = gains.near[i];
        const double far = gains.far[i];
        const double control = has_control ? gains.control[i] : 0;
        if (!std::isfinite(near) || !std::isfinite(far) || !std::isfinite(control)) continue;
        finite.near.push_back(near);
        finite.far.push_back(far);
        drops.push_back(near - far);
        excesses.push_back(far - rule.kept * near);
        if (!has_control) continue;
        finite.control.push_back(control);
        over_control.push_back(far - rule.kept * control);
    }
    const double confidence = group_confidence(rule);
    CollapseTest test;
    test.near = describe(finite.near).mean;
    test.far = describe(finite.far).mean;
    test.control = describe(finite.control).mean;
    test.drop = described_with(drops, confidence);
    test.excess = described_with(excesses, confidence);
    test.over_control = described_with(over_control, confidence);
    test.seeds = test.drop.n;
    if (test.seeds == 0 || test.near < rule.least_gain) {
        test.finding = Collapse::not_learned;
    } else if (test.excess.confidence_low > 0) {  // false for a NaN: fewer than two seeds
        test.finding = Collapse::retrieves;
    } else if (test.excess.confidence_high < 0) {
        test.finding = finding_of_drop(rule, test);
    }
    return test;
}

std::vector<ScoredPrediction> score(const SheetPlan& plan, std::span<const SheetRun> all_runs) {
    std::vector<ScoredPrediction> result;
    // The number of seeds of a stopping rule depends on the data, that of its first look does not.
    std::vector<SheetRun> runs(all_runs.begin(), all_runs.end());
    if (plan.stopping) {
        const std::int64_t last = seeds_of(plan).at(static_cast<std::size_t>(plan.stopping->next_look(0) - 1));
        std::erase_if(runs, [&](const SheetRun& run) { return run.spec.seed > last; });
    }
    for (const Prediction& prediction : plan.predictions) {
        ScoredPrediction& scored = result.emplace_back();
        scored.prediction = prediction;
        scored.chance = prediction.chance;
        if (prediction.measure.empty()) {
            scored.words = prediction.unmeasured;
            continue;
        }
        if (plan.scale == SheetScale::smoke) {
            scored.words =
                "Runs of the scale \"smoke\" (a quick check) are too short to learn, so the prediction is not tested.";
            continue;
        }
        if (compares_groups(prediction)) {
            score_earlier_rule(scored, runs);
            scored.words +=
                " The older rule stored in the lab file scores this prediction; the rule does not compare retrieval "
                "within each group.";
        } else {
            prediction.retrieval ? score_collapse(scored, runs) : score_order(scored, runs);
        }
        if (has_earlier_rule(prediction) && !compares_groups(prediction)) {
            scored.words +=
                " The older rule stored in the lab file scores this prediction: the intervals are not corrected over "
                "the groups, and a decline with distance alone counts as a collapse.";
        }
    }
    return result;
}

double at_least_by_chance(std::span<const double> chances, int least) {
    std::vector<double> probability = {1};  // of 0, 1, 2 … successes
    for (const double chance : chances) {
        probability.push_back(0);
        for (std::size_t i = probability.size() - 1; i > 0; --i) {
            probability[i] = probability[i] * (1 - chance) + probability[i - 1] * chance;
        }
        probability[0] *= 1 - chance;
    }
    const auto first = std::clamp<std::ptrdiff_t>(least, 0, std::ssize(probability));
    return std::accumulate(probability.begin() + first, probability.end(), 0.0);
}

Calibration calibration_of(std::span<const ScoredPrediction> predictions) {
    using Outcome = ScoredPrediction::Outcome;
    Calibration result;
    std::vector<double> chances;
    for (const ScoredPrediction& each : predictions) {
        const bool has_score = each.outcome == Outcome::right || each.outcome == Outcome::wrong;
        if (!has_score || each.chance >= 1 || compares_groups(each.prediction)) continue;
        ++result.scored;
        if (each.outcome == Outcome::right) ++result.right;
        result.expected += each.chance;
        chances.push_back(each.chance);
    }
    result.p = at_least_by_chance(chances, result.right);
    return result;
}

std::string calibration_words(const Calibration& calibration) {
    if (calibration.scored == 0) return {};
    const std::string right = std::to_string(calibration.right);
    return "Calibration: " + right + " of " + std::to_string(calibration.scored) +
           (calibration.scored == 1 ? " prediction with a score is right; " : " predictions with a score are right; ") +
           fixed_text(calibration.expected, 2) + " would be expected by chance. At least " + right +
           " would be right by chance with probability " + p_text(calibration.p) +
           " if the predictions were independent; predictions on the same runs are not independent.";
}

nlohmann::json calibration_json(const Calibration& calibration) {
    return {{"scored", calibration.scored},
            {"right", calibration.right},
            {"expected_by_chance", calibration.expected},
            {"p_at_least_as_many", calibration.scored > 0 ? nlohmann::json(calibration.p) : nlohmann::json()},
            {"words", calibration_words(calibration)}};
}

}  // namespace ropelab
