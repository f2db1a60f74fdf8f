#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/stats/evidence.h"
#include "core/stats/group_sequential.h"

namespace ropelab {

/// When the comparisons of a family stop, fixed before the first run. Pairs are counted in the fixed order of the
/// seeds.
struct SequentialDesign {
    /// `group_sequential`: t tests at `looks`, for a known largest number of pairs. `anytime`: e-processes after every
    /// pair.
    enum class Kind { group_sequential, anytime } kind = Kind::anytime;
    std::int64_t cap = 42;                 // largest number of pairs
    std::int64_t first = 3;                // pairs that are trained before the first look of `anytime`
    std::vector<std::int64_t> looks = {};  // of `group_sequential`, the last one is the cap
    Spending spending = Spending::obrien_fleming;
    double prior_variance = default_prior_variance;  // of `anytime`
    double alpha = 0.05;                             // of the family, after Holm's correction
    /// A comparison stops for futility if the predicted probability that it is settled at the cap is lower. This only
    /// lowers the probability of a false verdict. 0: never.
    double futility = 0.125;
    /// In nats per token: the mean of each setting is compared with it, instead of pairs with a baseline; a "pair" is
    /// then one run.
    std::optional<double> target = {};
    /// Of the runs that chose the settings; comparisons with the target never use them.
    std::vector<std::int64_t> tuning_seeds = {};

    bool operator==(const SequentialDesign&) const = default;
    bool is_look(std::int64_t pairs) const;
    /// Smallest number of pairs above `pairs` at which the comparison is looked at.
    std::int64_t next_look(std::int64_t pairs) const;
};
/// Throws BadInput for numbers out of range.
void check(const SequentialDesign& design);
/// Group-sequential with at most five looks, evenly spaced from about 0.4·cap on; at least 3 pairs.
SequentialDesign group_sequential_design(std::int64_t cap);
/// "Paired t-mixture e-process (prior variance 4), 3 to 42 seeds, …".
std::string words_of(const SequentialDesign& design);

/// Evidence for "the mean of the values is not 0" (`different`) or above 0, or for probabilities of events; a value of
/// 0 is a `counterexample` to "every run has the event".
struct EvidenceSide {
    enum class Process {
        different,
        above,
        rate_above,
        rate_below,
        balance_below,
        counterexample
    } process = Process::different;
    std::vector<double> values;  // one per pair; events are 0 or 1, and −1 to 1 for `balance_below`
    double bound = 0;            // of rates and balance
    double rounding = 0;         // a standard error below it counts as 0, as in the t tests
};
/// A statement that is shown if all of its sides are (p: the largest), or else if any is (p: the smallest times their
/// number). Without sides, there is no test.
struct Statement {
    std::vector<EvidenceSide> sides;
    bool all = false;
};
// Statements on the differences and ratios of the means of pairs (x, y) of positive values.
Statement statement_different(std::span<const double> x, std::span<const double> y);
/// mean(x) / mean(y) between `low` and `high`, from x − low·y and high·y − x, which is exact for a ratio of means.
Statement statement_ratio_inside(std::span<const double> x, std::span<const double> y, double low, double high);
Statement statement_ratio_outside(std::span<const double> x, std::span<const double> y, double low, double high);
/// The mean is below or above the target.
Statement statement_below(std::span<const double> values, double target);
Statement statement_above(std::span<const double> values, double target);

struct SequentialRow {
    Statement claim, refutation;
    std::vector<double> differences = {};  // for the interval; empty for events
    std::int64_t pairs = 0;                // pairs available without a gap from the first seed on
    bool blocked = false;  // the next pair has a diverged run, so that the row stops: such runs are no random sample
};

struct SequentialResult {
    /// `open`: more pairs are needed. `futile`: settling by the cap is improbable, which shows nothing about the means.
    enum class End { open, claim, refutation, futile, budget, blocked } end = End::open;
    std::int64_t pairs = 0;  // used
    std::int64_t looks = 0;
    double e_value = 1;  // of the claim at the last look; NaN for group-sequential tests
    /// At any look, which is 1 / p.
    double largest_e_value() const { return std::isnan(e_value) || !p ? e_value : 1 / *p; }
    std::optional<double> p, p_holm, p_refutation, p_refutation_holm;
    double chance = 1;  // predicted probability of settling by the cap, at the last look
    Interval interval;  // of the mean difference, valid at all looks together, with confidence 1 − alpha
};
std::string to_string(SequentialResult::End end);

/// All open rows advance in step, so that neither the order in which runs end nor the number of pairs that happen to
/// exist matters: the results are a function of each row's pairs in the order of the seeds. If a row that is not
/// settled lacks the pairs for its next look, the family waits.
std::vector<SequentialResult> replay(const SequentialDesign& design, std::span<const SequentialRow> family);

/// p of a statement at all looks up to `pairs` pairs, without other comparisons.
double sequential_p(const SequentialDesign& design, const Statement& statement, std::int64_t pairs);

/// One-sided upper bound of the mean at level `alpha` for all looks up to `pairs` values together: the lowest of the
/// looks. It is at most the target exactly if sequential_p of statement_below is at most alpha. NaN without a look.
double upper_bound(SequentialDesign design, std::span<const double> values, std::int64_t pairs, double alpha);

/// Probability that a comparison with standardized difference `effect` is settled by the cap, and its expected number
/// of pairs, by simulation of `repeats` families of `rows` comparisons that share a baseline (with a target: that are
/// `effect` standard deviations of the seeds below it) and all have this effect.
struct SequentialPower {
    double settled = 0;
    double mean_pairs = 0;
};
SequentialPower sequential_power(const SequentialDesign& design, double effect, int rows, int repeats = 400);

}  // namespace ropelab
