#include "core/results/results_compare.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>
#include <set>
#include <utility>

#include "core/base/numbers.h"
#include "core/contract/training_clock.h"
#include "core/settings/keys.h"
#include "core/stats/resampling.h"
#include "core/stats/t_test.h"

namespace ropelab {

namespace {

std::map<std::int64_t, std::string> sessions_of(const ResultGroup& group) {
    std::map<std::int64_t, std::string> result;
    for (std::size_t i = 0; i < group.seeds.size(); ++i)
        result[group.seeds[i]] = training_clock(group.clocks[i])->session;
    return result;
}

using Clocks = std::set<std::pair<std::string, std::int64_t>>;

// False if a run has no clock, a place that is not random, or a clock of another run.
bool add_own_clocks(const ResultGroup& group, Clocks& clocks) {
    return std::all_of(group.clocks.begin(), group.clocks.end(), [&](const std::string& text) {
        const auto clock = training_clock(text);
        return clock && clock->random_order && clocks.emplace(clock->session, clock->cohort).second;
    });
}

}  // namespace

bool is_training_time(std::size_t measure) {
    const std::string_view name = measures()[measure].name;
    return name == "seconds" || name == "tokens_per_second";
}

bool has_own_clocks(const ResultGroup& group) {
    Clocks clocks;
    return add_own_clocks(group, clocks) && !clocks.empty();
}

namespace {

// Of all settings in which the groups differ.
bool differ_only(const ResultGroup& a, const ResultGroup& b, const std::function<bool(const std::string&)>& in) {
    return std::all_of(a.settings.begin(), a.settings.end(), [&](const auto& setting) {
        return in(setting.first) || b.settings.at(setting.first) == setting.second;
    });
}

}  // namespace

bool decides_best_loss(const std::string& key) {
    return key == "evaluate_every" || key == "evaluation" || key == "evaluation_batches";
}

bool are_evaluated_alike(const ResultsTable& table) {
    std::set<std::size_t> evaluations;
    for (const ResultGroup& group : table.groups)
        evaluations.insert(group.evaluations.begin(), group.evaluations.end());
    return evaluations.size() < 2 && std::ranges::none_of(table.swept, decides_best_loss);
}

bool repeats(const ResultsTable& table, const ResultGroup& group) {
    return group.repeats && is_loss(measures()[table.compared]);
}

bool is_repeat(const ResultGroup& a, const ResultGroup& b) {
    return &a != &b && a.model == b.model;
}

bool is_testable(const ResultGroup& a, const ResultGroup& b, std::size_t measure) {
    const auto is_alike = [](const std::string& key) { return !decides_best_loss(key); };
    if (is_loss(measures()[measure]) && is_repeat(a, b)) return false;
    const bool is_unequal = a.evaluations.size() > 1 || a.evaluations != b.evaluations;
    if (measures()[measure].of_best && (is_unequal || !differ_only(a, b, is_alike))) return false;
    if (!is_training_time(measure)) return true;
    Clocks clocks;
    if (!add_own_clocks(a, clocks) || !add_own_clocks(b, clocks)) return false;
    const auto ours = sessions_of(a), theirs = sessions_of(b);
    std::set<std::string> our_sessions, their_sessions;
    for (const auto& [seed, session] : ours) {
        our_sessions.insert(session);
        if (theirs.contains(seed) && theirs.at(seed) != session) return false;
    }
    for (const auto& [seed, session] : theirs) their_sessions.insert(session);
    return our_sessions == their_sessions;
}

Description describe_measure(const ResultGroup& group, std::size_t measure) {
    const std::vector<double> values = group.values(measure);
    if (!is_training_time(measure) || has_own_clocks(group)) return describe(values);
    // Labs of older versions store no clocks, but only runs of one cohort have exactly equal times.
    std::map<std::pair<std::string, double>, std::vector<double>> by_clock;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) continue;
        by_clock[{group.clocks[i], group.clocks[i].empty() ? values[i] : 0}].push_back(values[i]);
    }
    std::vector<double> means;
    for (const auto& [clock, list] : by_clock) means.push_back(describe(list).mean);
    const double mean = describe(means).mean;
    return describe({&mean, 1});
}

namespace {

// For seeds that both groups have with a finite value, in the order of the group.
struct Pairs {
    std::vector<std::int64_t> seeds;
    std::vector<double> group, baseline;

    std::vector<double> differences() const { return paired_differences(group, baseline); }
};

Pairs pairs_of(const ResultGroup& group, const ResultGroup& baseline, std::size_t measure) {
    const std::vector<double> ours = group.values(measure);
    const std::vector<double> theirs = baseline.values(measure);
    Pairs result;
    for (std::size_t i = 0; i < group.seeds.size(); ++i) {
        const auto found = std::find(baseline.seeds.begin(), baseline.seeds.end(), group.seeds[i]);
        if (found == baseline.seeds.end()) continue;
        const double other = theirs[static_cast<std::size_t>(found - baseline.seeds.begin())];
        if (!std::isfinite(ours[i]) || !std::isfinite(other)) continue;
        result.seeds.push_back(group.seeds[i]);
        result.group.push_back(ours[i]);
        result.baseline.push_back(other);
    }
    return result;
}

}  // namespace

std::vector<SeedDifference> seed_differences(const ResultGroup& group, const ResultGroup& reference,
                                             std::size_t measure) {
    const Pairs pairs = pairs_of(group, reference, measure);
    std::vector<SeedDifference> result;
    for (std::size_t i = 0; i < pairs.seeds.size(); ++i) {
        result.push_back({pairs.seeds[i], pairs.group[i] - pairs.baseline[i], pairs.baseline[i]});
    }
    return result;
}

std::optional<DifferenceInterval> difference_interval(const ResultGroup& group, const ResultGroup& reference,
                                                      std::size_t measure, TestKind test) {
    if (!is_testable(group, reference, measure)) {
        const Description ours = describe_measure(group, measure), theirs = describe_measure(reference, measure);
        if (ours.n == 0 || theirs.n == 0) return std::nullopt;
        return DifferenceInterval{ours.mean - theirs.mean, Description::unknown, Description::unknown, theirs.mean, 1};
    }
    if (is_by_seed(test)) {
        const Pairs pairs = pairs_of(group, reference, measure);
        const Description described = describe(pairs.differences());
        if (described.n == 0) return std::nullopt;
        const Interval interval = test == TestKind::paired
                                      ? Interval{described.confidence_low, described.confidence_high}
                                      : sign_flip_interval(pairs.differences());
        return DifferenceInterval{described.mean, interval.low, interval.high, describe(pairs.baseline).mean,
                                  static_cast<int>(described.n)};
    }
    const Sample a = sample_of(group.values(measure));
    const Sample b = sample_of(reference.values(measure));
    if (a.n == 0 || b.n == 0) return std::nullopt;
    DifferenceInterval result{.difference = a.mean - b.mean, .reference = b.mean, .values = static_cast<int>(a.n)};
    const auto error = test == TestKind::student ? student_error(a, b) : welch_error(a, b);
    if (!error) return result;
    const double half_width = t_quantile(error->degrees_of_freedom) * error->standard_error;
    result.low = result.difference - half_width;
    result.high = result.difference + half_width;
    return result;
}

std::optional<DifferenceInterval> interval_to_baseline(const ResultsTable& table, const ResultGroup& group,
                                                       std::size_t measure, TestKind test) {
    const ResultGroup* baseline = table.baseline_of(group);
    if (!baseline) return std::nullopt;
    if (measure == table.compared && group.paired.sequential) return group.paired.estimate;
    return difference_interval(group, *baseline, measure, test);
}

namespace {

std::optional<TTest> test_of(TestKind kind, const Sample& ours, const Sample& theirs, const Pairs& pairs) {
    if (kind == TestKind::student) return student_t_test(ours, theirs);
    if (kind == TestKind::welch) return welch_t_test(ours, theirs);
    auto test = paired_t_test(pairs.group, pairs.baseline);
    if (test && kind == TestKind::permutation) test->p = sign_flip_p(pairs.differences());
    return test;
}

bool share_seeds(const ResultGroup& a, const ResultGroup& b) {
    const auto is_shared = [&](std::int64_t seed) { return std::ranges::find(b.seeds, seed) != b.seeds.end(); };
    return std::ranges::any_of(a.seeds, is_shared);
}

// The same comparison counts once: of the groups that train the same models and have baselines that do, the largest.
void find_repeats(ResultsTable& table) {
    std::vector<std::size_t> order(table.groups.size());  // the most seeds first
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t i) { return table.groups[i].seeds.size(); });
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> compared;  // by the models of a group and its baseline
    for (const std::size_t i : order) {
        ResultGroup& group = table.groups[i];
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        const bool is_copy = is_repeat(group, *baseline);
        const std::size_t first =
            is_copy ? *group.against : compared.try_emplace({group.model, baseline->model}, i).first->second;
        if (first != i && (is_copy || share_seeds(group, table.groups[first]))) group.repeats = first;
    }
}

// Of the estimate of the test that decides.
void set_difference(ResultGroup& group, const ResultsTable& table) {
    const auto& estimate = group.decided().estimate;
    if (!estimate) return;
    group.difference = estimate->difference;
    const double percent = 100 * estimate->difference / std::abs(estimate->reference);
    if (std::isfinite(percent)) {
        group.difference_percent = percent;
        group.improvement_percent = measures()[table.compared].more_is_better || percent == 0 ? percent : -percent;
    }
}

void compare(ResultGroup& group, const ResultGroup& baseline, const ResultsTable& table) {
    const Sample ours = sample_of(group.values(table.compared));
    const Sample theirs = sample_of(baseline.values(table.compared));
    const Pairs pairs = pairs_of(group, baseline, table.compared);
    group.pairs = static_cast<int>(pairs.seeds.size());
    // No two trainings end with equal losses by chance.
    const bool copies = is_loss(measures()[table.compared]) && group.pairs > 0 && pairs.group == pairs.baseline;
    const bool is_tested = is_testable(group, baseline, table.compared) && !repeats(table, group) && !copies;
    for (const TestKind kind : test_kinds) {
        if (kind == TestKind::permutation && group.test != kind) continue;  // it takes long
        Comparison& comparison = group.comparison(kind);
        if (is_tested) comparison.test = test_of(kind, ours, theirs, pairs);
        if (comparison.test) comparison.p = comparison.test->p;
        comparison.estimate = difference_interval(group, baseline, table.compared, kind);
        // Equal values are copies, so that the width of their interval is no uncertainty.
        if (comparison.estimate && !comparison.p) {
            comparison.estimate->low = comparison.estimate->high = Description::unknown;
        }
    }
    set_difference(group, table);
}

// Values of equal seeds in the fixed order of the seeds, up to the first seed that is missing.
struct SequentialPairs {
    std::vector<double> ours, theirs;
    bool blocked = false;  // a run of the next seed failed, or the user excluded it
};

SequentialPairs sequential_pairs(const ResultGroup& group, const ResultGroup& baseline, const ResultsTable& table,
                                 std::size_t measure) {
    SequentialPairs pairs;
    const std::vector<double> ours = group.values(measure), theirs = baseline.values(measure);
    const auto place_of = [](const std::vector<std::int64_t>& seeds, std::int64_t seed) {
        return static_cast<std::size_t>(std::ranges::find(seeds, seed) - seeds.begin());
    };
    const auto has = [](const std::vector<std::int64_t>& seeds, std::int64_t seed) {
        return std::ranges::find(seeds, seed) != seeds.end();
    };
    for (const std::int64_t seed : table.sequential->seeds) {
        const std::size_t a = place_of(group.seeds, seed), b = place_of(baseline.seeds, seed);
        const bool is_there = a < ours.size() && b < theirs.size();
        pairs.blocked = has(group.failed_seeds, seed) || has(baseline.failed_seeds, seed) ||
                        (is_there && !(std::isfinite(ours[a]) && std::isfinite(theirs[b])));
        if (pairs.blocked || !is_there) break;
        pairs.ours.push_back(ours[a]);
        pairs.theirs.push_back(theirs[b]);
    }
    return pairs;
}

// p, interval and estimate of each comparison of a family, from the seeds that the stopping rule lets it use.
void compare_sequentially(const std::vector<ResultGroup*>& family, const ResultsTable& table) {
    std::vector<ResultGroup*> compared;
    std::vector<SequentialPairs> pairs;
    std::vector<SequentialRow> rows;
    const double margin = table.margin_percent / 100;
    for (ResultGroup* group : family) {
        const ResultGroup* baseline = table.baseline_of(*group);
        const bool is_compared =
            baseline && baseline != group && !repeats(table, *group) && is_testable(*group, *baseline, table.compared);
        if (!is_compared) continue;
        compared.push_back(group);
        const auto& [ours, theirs, blocked] =
            pairs.emplace_back(sequential_pairs(*group, *baseline, table, table.compared));
        SequentialRow& row = rows.emplace_back();
        row.claim = statement_different(ours, theirs);
        row.differences = row.claim.sides.front().values;
        if (margin > 0) row.refutation = statement_ratio_inside(ours, theirs, 1 - margin, 1 + margin);
        row.pairs = std::ssize(ours);
        row.blocked = blocked;
    }
    const std::vector<SequentialResult> results = replay(table.sequential->design, rows);
    for (std::size_t i = 0; i < compared.size(); ++i) {
        ResultGroup& group = *compared[i];
        const SequentialResult& result = results[i];
        const auto used = static_cast<std::size_t>(result.pairs);
        const auto ours = std::span(pairs[i].ours).first(used), theirs = std::span(pairs[i].theirs).first(used);
        group.pairs = static_cast<int>(used);
        group.difference = group.difference_percent = group.improvement_percent = std::nullopt;
        Comparison& comparison = group.paired;
        comparison.sequential = result;
        comparison.p = paired_t_test(ours, theirs) ? result.p : std::nullopt;
        // A test for a fixed number of seeds does not hold for a number that the results chose.
        for (const TestKind kind : test_kinds) {
            group.comparison(kind).test.reset();
            if (kind != TestKind::paired) group.comparison(kind).p.reset();
        }
        comparison.estimate.reset();
        if (used == 0) continue;
        comparison.estimate = DifferenceInterval{describe(paired_differences(ours, theirs)).mean, result.interval.low,
                                                 result.interval.high, describe(theirs).mean, static_cast<int>(used)};
        set_difference(group, table);
    }
}

SequentialPairs values_in_order(const ResultsTable& table, const ResultGroup& group) {
    return sequential_pairs(group, group, table, measure_index(target_measure));
}

void compare_with_target(ResultsTable& table) {
    const double target = *table.target();
    std::vector<SequentialPairs> values;
    std::vector<SequentialRow> rows;
    for (const ResultGroup& group : table.groups) {
        const auto& [ours, same, blocked] = values.emplace_back(values_in_order(table, group));
        rows.push_back({statement_below(ours, target), statement_above(ours, target), {}, std::ssize(ours), blocked});
        for (const double value : ours) rows.back().differences.push_back(value - target);
    }
    const std::vector<SequentialResult> results = replay(table.sequential->design, rows);
    for (std::size_t i = 0; i < results.size(); ++i) {
        ResultGroup& group = table.groups[i];
        group.against.reset();
        group.test = TestKind::paired;
        group.comparisons = static_cast<int>(results.size());
        group.pairs = static_cast<int>(results[i].pairs);
        Comparison& comparison = group.paired;
        comparison.sequential = results[i];
        if (results[i].pairs == 0) continue;
        const bool is_below = results[i].end != SequentialResult::End::refutation;
        comparison.p = is_below ? results[i].p : results[i].p_refutation;
        comparison.p_holm = is_below ? results[i].p_holm : results[i].p_refutation_holm;
        const double mean = describe(std::span(values[i].ours).first(static_cast<std::size_t>(group.pairs))).mean;
        comparison.estimate =
            DifferenceInterval{mean - target, results[i].interval.low, results[i].interval.high, target, group.pairs};
    }
    table.test = TestKind::paired;
}

// `needed` is for the observed standard deviation times a factor.
void add_seeds(Comparison& comparison, bool is_decided,
               const std::function<std::optional<std::int64_t>(double factor)>& needed) {
    // A significant difference needs no more seeds.
    if (comparison.p_holm && *comparison.p_holm < family_level) return;
    comparison.seeds_needed = needed(1);
    if (!is_decided) return;
    const auto [low, high] = deviation_factors(comparison.test->degrees_of_freedom);
    comparison.seeds_needed_low = needed(low);
    comparison.seeds_needed_high = needed(high);
}

// The level depends on the number of comparisons on the data set.
void add_power(ResultGroup& group, const ResultGroup& baseline, std::size_t measure, TestKind kind, int comparisons) {
    Comparison& comparison = group.comparison(kind);
    if (comparison.sequential || (kind == TestKind::permutation && cannot_decide(group))) return;
    const PowerRule rule{family_level / comparisons, 0.8};
    const double difference = comparison.estimate->difference;
    const bool is_decided = kind == group.test;
    if (is_by_seed(kind)) {
        const Sample differences = sample_of(pairs_of(group, baseline, measure).differences());
        comparison.detectable = detectable_difference_of_pairs(differences, rule);
        return add_seeds(comparison, is_decided, [&](double factor) {
            return pairs_to_detect(difference, factor * differences.standard_deviation, rule);
        });
    }
    const Sample ours = sample_of(group.values(measure));
    const Sample theirs = sample_of(baseline.values(measure));
    if (kind == TestKind::welch) {
        comparison.detectable = detectable_difference_welch(ours, theirs, rule);
        return add_seeds(comparison, is_decided, [&](double factor) {
            return seeds_to_detect_welch(difference, factor * ours.standard_deviation,
                                         factor * theirs.standard_deviation, rule);
        });
    }
    comparison.detectable = detectable_difference(ours, theirs, rule);
    const double pooled = student_error(ours, theirs)->standard_error /
                          std::sqrt(1 / static_cast<double>(ours.n) + 1 / static_cast<double>(theirs.n));
    add_seeds(comparison, is_decided,
              [&](double factor) { return seeds_to_detect(difference, factor * pooled, rule); });
}

}  // namespace

int fewest_pairs(int comparisons) {
    return 1 + static_cast<int>(std::ceil(std::log2(comparisons / family_level)));
}

bool cannot_decide(const ResultGroup& group) {
    return group.comparisons > 0 && group.pairs < fewest_pairs(group.comparisons);
}

TestKind test_kind_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure) {
    const std::size_t pairs = pairs_of(a, b, measure).seeds.size();
    return pairs >= 2 && 2 * pairs >= std::min(a.seeds.size(), b.seeds.size()) ? TestKind::paired : TestKind::welch;
}

double target_bound(const ResultsTable& table, const ResultGroup& group) {
    const SequentialDesign& design = table.sequential->design;
    return upper_bound(design, values_in_order(table, group).ours, group.pairs,
                       design.alpha / static_cast<double>(table.groups.size()));
}

void compare_groups(ResultsTable& table, std::optional<TestKind> test) {
    if (table.sequential) table.ignored_test = test;
    if (table.target()) return compare_with_target(table);
    find_repeats(table);
    if (table.sequential) test = TestKind::paired;
    std::vector<std::vector<ResultGroup*>> families;  // the groups of each data set
    std::set<TestKind> kinds;
    for (ResultGroup& group : table.groups) {
        auto family = std::find_if(families.begin(), families.end(),
                                   [&](const auto& known) { return same_data(*known.front(), group, table.compared); });
        if (family == families.end()) family = families.emplace(family);
        family->push_back(&group);
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        group.test = test ? *test : test_kind_between(group, *baseline, table.compared);
        compare(group, *baseline, table);
        if (group.decided().p) kinds.insert(group.test);
    }
    const TestKind first_kind = kinds.empty() ? TestKind::welch : *kinds.begin();
    table.test = kinds.size() > 1 ? std::nullopt : std::optional(test.value_or(first_kind));
    for (const std::vector<ResultGroup*>& family : families) {
        if (table.sequential) compare_sequentially(family, table);
        const auto correct = [&](const std::function<TestKind(const ResultGroup&)>& kind_of, bool is_decided) {
            std::vector<std::optional<double>> raw;
            for (const ResultGroup* group : family) raw.push_back(group->comparison(kind_of(*group)).p);
            const auto corrected = holm(raw);
            const auto count = static_cast<int>(std::count_if(raw.begin(), raw.end(), std::identity{}));
            for (std::size_t i = 0; i < family.size(); ++i) {
                family[i]->comparisons = count;
                if (!raw[i]) continue;
                const TestKind kind = kind_of(*family[i]);
                family[i]->comparison(kind).p_holm = corrected[i];
                if (is_decided || kind != family[i]->test)
                    add_power(*family[i], *table.baseline_of(*family[i]), table.compared, kind, count);
            }
        };
        for (const TestKind kind : test_kinds) correct([kind](const ResultGroup&) { return kind; }, false);
        correct([](const ResultGroup& group) { return group.test; }, true);
        // The rule also corrects for comparisons that ended before their first look.
        const auto count = std::ranges::count_if(
            family, [](const ResultGroup* group) { return group->paired.sequential.has_value(); });
        for (ResultGroup* group : family) {
            if (table.sequential) group->comparisons = static_cast<int>(count);
            if (group->paired.p && group->paired.sequential) group->paired.p_holm = group->paired.sequential->p_holm;
        }
    }
}

std::optional<TTest> test_between(const ResultGroup& a, const ResultGroup& b, std::size_t measure, TestKind kind) {
    if (!is_testable(a, b, measure)) return std::nullopt;
    return test_of(kind, sample_of(a.values(measure)), sample_of(b.values(measure)), pairs_of(a, b, measure));
}

}  // namespace ropelab
