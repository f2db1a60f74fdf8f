#include "core/reproduce/rules/collapse.h"

#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/reproduce/rules/measuring.h"
#include "core/reproduce/sheets/building.h"
#include "core/results/results_cells.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

// Gains of one run.
struct RunGains {
    double near, far;
    std::optional<double> control;
};

// Gains of a group's finished runs by seed; if several runs share a seed, the last one counts.
struct GroupGains {
    std::map<std::int64_t, RunGains> by_seed;
    std::int64_t runs = 0;
    std::int64_t waiting = 0;           // number of runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds of finished runs that are not measured
};

GroupGains gains_of(std::span<const SheetRun> runs, const GroupProbe& probe) {
    const std::string near = retrieval_gain(probe.near_lag);
    const std::string far = retrieval_gain(probe.far_lag);
    const std::string control = retrieval_gain(probe.control_lag);
    const bool has_control = probe.control_lag > 0;
    GroupGains result;
    for (const SheetRun& run : runs) {
        if (!belongs(run.spec, probe.group)) continue;
        ++result.runs;
        const std::int64_t seed = run.spec.seed;
        if (run.state != RunState::finished && run.state != RunState::failed) {
            ++result.waiting;
            continue;
        }
        result.by_seed.erase(seed);
        result.unmeasured.erase(seed);
        if (run.state == RunState::failed) continue;
        const auto is_missing = [&](const std::string& name) { return !run.measurements.contains(name); };
        if (is_missing(near) || is_missing(far) || (has_control && is_missing(control))) {
            result.unmeasured.insert(seed);
        } else {
            result.by_seed[seed] = {measured_value(run, near), measured_value(run, far),
                                    has_control ? std::optional(measured_value(run, control)) : std::nullopt};
        }
    }
    return result;
}

CollapseTest test_of(const RetrievalRule& rule, const GroupProbe& probe, const GroupGains& gains) {
    LagGains lags;
    for (const auto& [seed, run] : gains.by_seed) {
        lags.near.push_back(run.near);
        lags.far.push_back(run.far);
        if (run.control) lags.control.push_back(*run.control);
    }
    CollapseTest test = collapse_test(rule, lags);
    if (!is_tested(rule, probe)) test.finding = Collapse::no_control;
    return test;
}

// Returns the statistics of the values with an interval of this confidence.
Description described_with(std::span<const double> values, double confidence) {
    Description result = describe(values);
    const Interval interval = mean_interval(result.mean, result.standard_error, result.n - 1, confidence);
    result.confidence_low = interval.low;
    result.confidence_high = interval.high;
    return result;
}

std::string mean_with_interval(const Description& described) {
    const std::string mean = fixed_text(described.mean, 3);
    if (!std::isfinite(described.confidence_low)) return mean;
    return mean + " [" + fixed_text(described.confidence_low, 3) + ", " + fixed_text(described.confidence_high, 3) +
           "]";
}

const char* finding_text(const CollapseTest& test) {
    switch (test.finding) {
        case Collapse::collapses:
            return "collapses";
        case Collapse::retrieves:
            return test.drop.confidence_low > 0 ? "retrieves, with a lower gain" : "retrieves, no distance effect";
        case Collapse::undecided:
            return test.seeds < 2 ? "undecided, because the test requires two seeds" : "undecided";
        case Collapse::declines:
            return "declines with distance also where B is higher, which is no collapse";
        case Collapse::no_control:
            return "not scored, because no lag separates distance and B";
        case Collapse::not_learned:
            return "has not learned retrieval and is not scored";
    }
    return "";
}

std::string finding_words(const GroupProbe& probe, const CollapseTest& test, double kept) {
    if (test.seeds == 0) return probe.label + ": no run has a gain";
    const std::string part = rough_text(100 * kept) + " %";
    const bool has_control = std::isfinite(test.control);
    return probe.label + ": gain " + fixed_text(test.near, 3) + " at distance " + std::to_string(probe.near_lag - 1) +
           ", " + fixed_text(test.far, 3) + " at distance " + std::to_string(probe.far_lag - 1) +
           (has_control ? ", " + fixed_text(test.control, 3) + " at the control distance " +
                              std::to_string(probe.control_lag - 1)
                        : "") +
           ", drop " + mean_with_interval(test.drop) + ", far gain minus " + part + " of the near gain " +
           mean_with_interval(test.excess) +
           (has_control ? ", minus " + part + " of the control gain " + mean_with_interval(test.over_control) : "") +
           ", n = " + std::to_string(test.seeds) + ": " + finding_text(test);
}

// Returns the finding on a group whose gain at the far lag is significantly lower than at the near lag.
Collapse finding_of_drop(const RetrievalRule& rule, const CollapseTest& test) {
    if (rule.version < 3) return Collapse::collapses;
    if (test.control < rule.least_gain || test.over_control.confidence_low > 0) return Collapse::declines;
    return test.over_control.confidence_high < 0 ? Collapse::collapses : Collapse::undecided;
}

}  // namespace

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

std::string missing_values_words(std::int64_t waiting, std::int64_t unmeasured) {
    std::string left;
    if (waiting > 0) left += runs_text(waiting) + " to train";
    if (unmeasured > 0) left += (left.empty() ? "" : ", ") + runs_text(unmeasured) + " to measure";
    return "Not all runs that the prediction concerns have a value" + (left.empty() ? "." : ": " + left + ".");
}

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
    for (std::size_t i = 0; i < rule.probes.size(); ++i) {
        const GroupGains gains = gains_of(runs, rule.probes[i]);
        waiting += gains.waiting;
        unmeasured += std::ssize(gains.unmeasured);
        is_missing = is_missing || gains.runs == 0;
        const CollapseTest test = test_of(rule, rule.probes[i], gains);
        findings += (findings.empty() ? "" : "; ") + finding_words(rule.probes[i], test, rule.kept);
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
    scored.chance = groups > 0 ? chance_of_set(groups, collapsing) : 1;
    scored.words = "Gains with " + confidence_text(rule) + " intervals" +
                   (tested_groups(rule) > 1 && rule.version > 2 ? " (95 % together, by Bonferroni's correction over " +
                                                                      std::to_string(tested_groups(rule)) + " groups)"
                                                                : "") +
                   ": " + findings + ".";
    if (tested_groups(rule) == 0) {
        scored.words += " In no group a lag separates distance and B.";
    } else if (groups == 0) {
        scored.words += " No group has learned retrieval, so that no group can collapse.";
    } else if (is_declining && !is_wrong) {
        scored.words +=
            " Where the gain declines with distance alone, distance and B are not separated, so that the prediction is "
            "not scored.";
    } else if (is_undecided && !is_wrong) {
        scored.words += " The intervals do not decide every group; more seeds are required.";
    } else if (scored.chance >= 1) {
        scored.words +=
            std::string(" The findings ") + (is_wrong ? "contradict" : "agree with") +
            " the prediction, but under its null model it has a chance level of 1, so that it is not scored.";
    } else {
        scored.outcome = is_wrong ? ScoredPrediction::Outcome::wrong : ScoredPrediction::Outcome::right;
    }
}

}  // namespace ropelab
