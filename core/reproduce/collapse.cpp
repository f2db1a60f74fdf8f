#include "core/reproduce/collapse.h"

#include <cmath>
#include <set>
#include <utility>

#include "core/reproduce/building.h"
#include "core/reproduce/measuring.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

// Gains of a group's finished runs by seed; if several runs share a seed, the last one counts.
struct GroupGains {
    std::map<std::int64_t, std::pair<double, double>> by_seed;  // near, far
    std::int64_t runs = 0;
    std::int64_t waiting = 0;           // number of runs that have not ended
    std::set<std::int64_t> unmeasured;  // seeds of finished runs that are not measured
};

GroupGains gains_of(std::span<const SheetRun> runs, const GroupProbe& probe) {
    const std::string near = retrieval_gain(probe.near_lag);
    const std::string far = retrieval_gain(probe.far_lag);
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
        if (!run.measurements.contains(near) || !run.measurements.contains(far)) {
            result.unmeasured.insert(seed);
        } else {
            result.by_seed[seed] = {measured_value(run, near), measured_value(run, far)};
        }
    }
    return result;
}

CollapseTest test_of(const RetrievalRule& rule, const GroupGains& gains) {
    std::vector<double> near;
    std::vector<double> far;
    for (const auto& [seed, pair] : gains.by_seed) {
        near.push_back(pair.first);
        far.push_back(pair.second);
    }
    return collapse_test(rule, near, far);
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
        case Collapse::not_learned:
            return "has not learned retrieval and is not scored";
    }
    return "";
}

std::string finding_words(const GroupProbe& probe, const CollapseTest& test, double kept) {
    if (test.seeds == 0) return probe.label + ": no run has a gain";
    return probe.label + ": gain " + fixed_text(test.near, 3) + " at distance " + std::to_string(probe.near_lag - 1) +
           ", " + fixed_text(test.far, 3) + " at distance " + std::to_string(probe.far_lag - 1) + ", drop " +
           mean_with_interval(test.drop) + ", far gain minus " + rough_text(100 * kept) + " % of the near gain " +
           mean_with_interval(test.excess) + ", n = " + std::to_string(test.seeds) + ": " + finding_text(test);
}

}  // namespace

CollapseTest collapse_test(const RetrievalRule& rule, std::span<const double> near, std::span<const double> far) {
    std::vector<double> near_gains;
    std::vector<double> far_gains;
    std::vector<double> drops;
    std::vector<double> excesses;
    for (std::size_t i = 0; i < near.size(); ++i) {
        if (!std::isfinite(near[i]) || !std::isfinite(far[i])) continue;
        near_gains.push_back(near[i]);
        far_gains.push_back(far[i]);
        drops.push_back(near[i] - far[i]);
        excesses.push_back(far[i] - rule.kept * near[i]);
    }
    CollapseTest test;
    test.near = describe(near_gains).mean;
    test.far = describe(far_gains).mean;
    test.drop = describe(drops);
    test.excess = describe(excesses);
    test.seeds = test.drop.n;
    if (test.seeds == 0 || test.near < rule.least_gain) {
        test.finding = Collapse::not_learned;
    } else if (test.excess.confidence_high < 0) {  // false for a NaN: fewer than two seeds
        test.finding = Collapse::collapses;
    } else if (test.excess.confidence_low > 0) {
        test.finding = Collapse::retrieves;
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
    bool is_wrong = false;
    std::string findings;
    for (std::size_t i = 0; i < rule.probes.size(); ++i) {
        const GroupGains gains = gains_of(runs, rule.probes[i]);
        waiting += gains.waiting;
        unmeasured += std::ssize(gains.unmeasured);
        is_missing = is_missing || gains.runs == 0;
        const CollapseTest test = test_of(rule, gains);
        findings += (findings.empty() ? "" : "; ") + finding_words(rule.probes[i], test, rule.kept);
        if (test.finding == Collapse::not_learned) continue;
        const bool is_predicted = i >= prediction.low.size();
        ++groups;
        collapsing += is_predicted ? 1 : 0;
        is_undecided = is_undecided || test.finding == Collapse::undecided;
        is_wrong = is_wrong || test.finding == (is_predicted ? Collapse::retrieves : Collapse::collapses);
    }
    if (waiting > 0 || unmeasured > 0 || is_missing) {
        scored.words = missing_values_words(waiting, unmeasured);
        return;
    }
    scored.chance = groups > 0 ? chance_of_set(groups, collapsing) : 1;
    scored.words = "Gains with 95 % intervals: " + findings + ".";
    if (groups == 0) {
        scored.words += " No group has learned retrieval, so that no group can collapse.";
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
