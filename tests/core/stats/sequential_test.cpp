#include "core/stats/sequential.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "core/base/error.h"

namespace ropelab {
namespace {

using End = SequentialResult::End;

std::vector<double> sampled(std::uint64_t seed, std::size_t n, double mean, double deviation) {
    std::mt19937_64 generator(seed);
    std::normal_distribution<double> normal(mean, deviation);
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(normal(generator));
    return values;
}

SequentialRow row_of(const std::vector<double>& x, const std::vector<double>& y, double margin = 0.01) {
    return {statement_different(x, y), statement_ratio_inside(x, y, 1 - margin, 1 + margin),
            statement_different(x, y).sides.front().values, std::ssize(x)};
}

SequentialResult result_of(const SequentialDesign& design, const SequentialRow& row) {
    return replay(design, std::span(&row, 1)).front();
}

TEST(Sequential, PIsTheInverseOfTheLargestEvidence) {
    const std::vector<double> x = {1.0, 1.9, 1.1, 0.2, 1.4, 0.9}, y(6, 0.2);
    SequentialDesign design;
    design.cap = 6;
    design.futility = 0;
    SequentialRow row = row_of(x, y);
    row.refutation = {};
    const SequentialResult result = result_of(design, row);
    double largest = 0;
    for (std::size_t n = 3; n <= 6; ++n) {
        largest = std::max(largest,
                           log_t_mixture(sample_of(paired_differences(std::span(x).first(n), std::span(y).first(n)))));
    }
    EXPECT_NEAR(*result.p, std::exp(-largest), 1e-9);
    EXPECT_EQ(result.end, End::budget);
    EXPECT_EQ(result.pairs, 6);
    EXPECT_EQ(result.looks, 4);
    EXPECT_LT(result.interval.low, 0.883);
    EXPECT_GT(result.interval.high, 0.883);
}

TEST(Sequential, ARowEndsAtItsFirstVerdictWhateverExistsBeyond) {
    const std::vector<double> y = sampled(1, 12, 2, 0.1);
    std::vector<double> x = sampled(2, 12, 0, 0.01);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i] - 0.05;
    SequentialDesign design;
    design.cap = 12;
    const SequentialResult all = result_of(design, row_of(x, y, 0.001));
    EXPECT_EQ(all.end, End::claim);
    EXPECT_LT(all.pairs, 8);
    for (std::int64_t pairs = all.pairs; pairs <= 12; ++pairs) {
        SequentialRow part = row_of(x, y, 0.001);
        part.pairs = pairs;
        const SequentialResult result = result_of(design, part);
        EXPECT_EQ(result.pairs, all.pairs);
        EXPECT_EQ(*result.p, *all.p);
    }
    SequentialRow fewer = row_of(x, y, 0.001);
    fewer.pairs = all.pairs - 1;
    EXPECT_EQ(result_of(design, fewer).end, End::open) << "waits for its next pair";
    fewer.blocked = true;
    EXPECT_EQ(result_of(design, fewer).end, End::blocked);
}

// SciPy 1.17: E⁺ by quad over the prior of nct.pdf / t.pdf with n − 1 degrees of freedom, the bound by brentq.
TEST(Sequential, AMeanIsComparedWithATarget) {
    const std::vector<double> losses = {1.478, 1.485, 1.481, 1.479, 1.490, 1.476};
    SequentialDesign design;
    design.cap = 6;
    design.futility = 0;
    design.target = 1.5;
    EXPECT_NEAR(sequential_p(design, statement_below(losses, 1.5), 3), 0.0558549, 1e-6);
    EXPECT_NEAR(sequential_p(design, statement_below(losses, 1.5), 4), 0.0121516, 1e-6);
    EXPECT_NEAR(sequential_p(design, statement_below(losses, 1.5), 6), 0.0023969, 1e-6);
    EXPECT_NEAR(upper_bound(design, losses, 3, 0.05), 1.5041639, 1e-6);
    EXPECT_NEAR(upper_bound(design, losses, 6, 0.05), 1.4886800, 1e-6) << "the lowest of the looks is the second";
    EXPECT_NEAR(upper_bound(design, losses, 6, 0.01), 1.4940576, 1e-6);
    EXPECT_TRUE(std::isnan(upper_bound(design, losses, 2, 0.05)));
    const SequentialRow below{statement_below(losses, 1.5), statement_above(losses, 1.5), {}, 6};
    EXPECT_EQ(result_of(design, below).end, End::claim);
    EXPECT_EQ(result_of(design, below).pairs, 4);
    const SequentialRow above{statement_below(losses, 1.46), statement_above(losses, 1.46), {}, 6};
    EXPECT_EQ(result_of(design, above).end, End::refutation);
    design.alpha = 0.01;
    EXPECT_EQ(result_of(design, below).pairs, 5);
    design.target = -1;
    EXPECT_THROW(check(design), BadInput);
}

TEST(Sequential, EquivalenceAndFutilityAreDifferentEnds) {
    const std::vector<double> y = sampled(3, 42, 2, 0.1);
    std::vector<double> close = sampled(4, 42, 0, 0.002), wide = sampled(5, 42, 0, 0.2);
    for (std::size_t i = 0; i < y.size(); ++i) {
        close[i] += y[i];
        wide[i] += y[i];
    }
    const SequentialDesign design;
    EXPECT_EQ(result_of(design, row_of(close, y)).end, End::refutation);
    const SequentialResult futile = result_of(design, row_of(wide, y));
    EXPECT_EQ(futile.end, End::futile);
    EXPECT_LT(futile.pairs, 42);
    EXPECT_LT(futile.chance, design.futility);
    EXPECT_EQ(to_string(futile.end), "stopped for futility");
}

// A row that is not settled lacks its fourth pair: the other rows wait for it, so that Holm's correction is the same
// in whatever order runs end.
TEST(Sequential, RowsOfAFamilyAdvanceInStep) {
    const std::vector<double> y = sampled(6, 10, 2, 0.1);
    std::vector<SequentialRow> family;
    for (std::uint64_t seed = 7; seed < 10; ++seed) {
        std::vector<double> x = sampled(seed, 10, 0.02, 0.02);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
        family.push_back(row_of(x, y, 0.0001));
    }
    SequentialDesign design;
    design.cap = 10;
    design.futility = 0;
    family[1].pairs = 3;
    for (const SequentialResult& result : replay(design, family)) {
        EXPECT_EQ(result.end, End::open);
        EXPECT_EQ(result.pairs, 3);
    }
}

TEST(Sequential, GroupSequentialRowsAreTestedAtTheirLooksOnly) {
    const SequentialDesign design = group_sequential_design(10);
    EXPECT_EQ(design.looks.back(), 10);
    const std::vector<double> y(10, 0.0), x = sampled(11, 10, 1.2, 1);
    SequentialRow row = row_of(x, y);
    row.refutation = {};
    row.pairs = design.looks.front() - 1;
    EXPECT_EQ(result_of(design, row).looks, 0);
    row.pairs = 10;
    const SequentialResult result = result_of(design, row);
    EXPECT_EQ(result.looks, std::ranges::find(design.looks, result.pairs) - design.looks.begin() + 1);
    EXPECT_TRUE(std::isnan(result.e_value));
}

TEST(Sequential, EqualDifferencesAreCopiesAndNoEvidence) {
    const std::vector<double> y = sampled(12, 10, 2, 0.1);
    std::vector<double> x = y;
    for (double& value : x) value += 0.125;
    SequentialDesign design;
    design.cap = 10;
    EXPECT_EQ(*result_of(design, row_of(x, y)).p, 1);
}

TEST(Sequential, EventsHaveProcessesOfTheirOwn) {
    SequentialDesign design;
    design.cap = 40;
    const std::vector<double> always(40, 1.0);
    SequentialRow row{{{{EvidenceSide::Process::rate_above, always, 0.8}}, false}, {}, {}, 40};
    const SequentialResult result = result_of(design, row);
    EXPECT_EQ(result.end, End::claim);
    EXPECT_EQ(result.pairs, 20) << "(1 − 0.8ⁿ⁺¹) / (0.2·(n + 1)·0.8ⁿ) exceeds 20 first at n = 20";
    std::vector<double> once = always;
    once[4] = 0;
    row.refutation = {{{EvidenceSide::Process::counterexample, once}}, false};
    EXPECT_EQ(result_of(design, row).end, End::refutation);
    EXPECT_EQ(result_of(design, row).pairs, 5);
}

TEST(Sequential, RefusesDesignsOutOfRange) {
    SequentialDesign design;
    EXPECT_NO_THROW(check(design));
    design.cap = 2;
    EXPECT_THROW(check(design), BadInput);
    design = group_sequential_design(10);
    design.cap = 12;
    EXPECT_THROW(check(design), BadInput);
    design = {};
    design.prior_variance = 0;
    EXPECT_THROW(check(design), BadInput);
}

TEST(Sequential, PowerGrowsWithTheEffect) {
    SequentialDesign design;
    design.cap = 10;
    const SequentialPower weak = sequential_power(design, 1, 1), strong = sequential_power(design, 3, 1);
    EXPECT_GT(strong.settled, 0.95);
    EXPECT_LT(weak.settled, 0.55);
    EXPECT_LT(strong.mean_pairs, weak.mean_pairs);
}

}  // namespace
}  // namespace ropelab
