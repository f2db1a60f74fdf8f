#include "core/stats/sequential.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/base/random_stream.h"

namespace ropelab {

namespace {

using Kind = SequentialDesign::Kind;
using Process = EvidenceSide::Process;
using End = SequentialResult::End;

bool is_mean(Process process) {
    return process == Process::different || process == Process::above;
}

// Tables of boundaries cost a tenth of a second, and most families of a program have the same looks.
const SequentialP& table_of(const SequentialDesign& design, bool one_sided) {
    static std::mutex mutex;
    static std::map<std::tuple<std::vector<std::int64_t>, Spending, bool>, std::unique_ptr<SequentialP>> tables;
    const std::lock_guard lock(mutex);
    auto& table = tables[{design.looks, design.spending, one_sided}];
    if (!table) table = std::make_unique<SequentialP>(design.looks, design.spending, one_sided);
    return *table;
}

double upper_tail(double t, double freedom) {
    if (std::isinf(t)) return t > 0 ? 0 : 1;
    return boost::math::cdf(boost::math::complement(boost::math::students_t(freedom), t));
}

// One side in the course of the pairs.
class SideState {
 public:
    SideState(const SequentialDesign& design, const EvidenceSide& side, double cap_critical)
        : design_(design), side_(side), cap_critical_(cap_critical) {}

    void add(std::size_t pair) {
        const double value = side_.values[pair];
        ++n_;
        const double from_mean = value - mean_;
        mean_ += from_mean / static_cast<double>(n_);
        squares_ += from_mean * (value - mean_);
        ++counts_[value < 0 ? 0 : value > 0 ? 2 : 1];
    }

    void look() {
        if (design_.kind == Kind::group_sequential && is_mean(side_.process)) {
            const Sample sample = this->sample();
            log_e_ = Description::unknown;
            if (!(sample.standard_deviation > 0)) return;
            const double t = sample.mean * std::sqrt(static_cast<double>(n_)) / sample.standard_deviation;
            const bool one_sided = side_.process == Process::above;
            const double freedom = static_cast<double>(n_) - 1;
            const double nominal = one_sided ? upper_tail(t, freedom) : 2 * upper_tail(std::abs(t), freedom);
            const auto found = std::ranges::find(design_.looks, n_);
            p_ = std::min(
                p_, table_of(design_, one_sided)(static_cast<std::size_t>(found - design_.looks.begin()), nominal));
        } else {
            log_e_ = evidence();
            p_ = std::min(p_, std::exp(-log_e_));
        }
    }

    // Of reaching the critical value at the cap, if the standard deviation stayed: the mean of the further pairs has
    // Student's t distribution around the mean so far. 1 if it was reached, and for events.
    double chance() const {
        const Sample sample = this->sample();
        if (p_ <= design_.alpha || !is_mean(side_.process)) return 1;
        if (n_ >= design_.cap) return 0;
        if (!(sample.standard_deviation > 0)) return 1;
        const auto n = static_cast<double>(n_), cap = static_cast<double>(design_.cap);
        const double spread = (cap - n) * std::sqrt(1 / (cap - n) + 1 / n);
        const double sum = cap * sample.mean / sample.standard_deviation;
        const double needed = cap_critical_ * std::sqrt(cap);
        const double above = upper_tail((needed - sum) / spread, n - 1);
        return side_.process == Process::above ? above : above + upper_tail((needed + sum) / spread, n - 1);
    }

    double p() const { return p_; }
    double log_e() const { return log_e_; }

 private:
    // A deviation below the rounding of the values counts as 0, as in the t tests.
    Sample sample() const {
        Sample sample{n_, mean_, n_ > 1 ? std::sqrt(squares_ / static_cast<double>(n_ - 1)) : 0};
        if (sample.standard_deviation <= side_.rounding * std::sqrt(static_cast<double>(n_)))
            sample.standard_deviation = 0;
        return sample;
    }

    double evidence() const {
        switch (side_.process) {
            case Process::different:
                return log_t_mixture(sample(), design_.prior_variance);
            case Process::above:
                return log_t_mixture_above(sample(), design_.prior_variance);
            case Process::rate_above:
                return log_rate_above(counts_[2], n_, side_.bound);
            case Process::rate_below:
                return log_rate_below(counts_[2], n_, side_.bound);
            case Process::counterexample:
                return counts_[1] > 0 ? std::numeric_limits<double>::infinity() : 0;
            case Process::balance_below:
                break;
        }
        return log_balance_below(counts_[0], counts_[1], counts_[2], side_.bound);
    }

    const SequentialDesign& design_;
    const EvidenceSide& side_;
    double cap_critical_;
    std::int64_t n_ = 0;
    double mean_ = 0, squares_ = 0;
    std::array<std::int64_t, 3> counts_ = {0, 0, 0};  // of values below, at and above 0
    double log_e_ = 0, p_ = 1;
};

// |t| at which a design decides at a look.
double critical_t(const SequentialDesign& design, std::int64_t pairs, bool one_sided) {
    if (design.kind == Kind::anytime) {
        return t_mixture_critical(pairs, design.alpha, one_sided, design.prior_variance);
    }
    const auto found = std::ranges::find(design.looks, pairs);
    const double nominal =
        table_of(design, one_sided).nominal(static_cast<std::size_t>(found - design.looks.begin()), design.alpha);
    if (!(nominal > 0)) return std::numeric_limits<double>::infinity();
    return boost::math::quantile(boost::math::complement(boost::math::students_t(static_cast<double>(pairs) - 1),
                                                         one_sided ? nominal : nominal / 2));
}

class StatementState {
 public:
    StatementState(const SequentialDesign& design, const Statement& statement, const std::array<double, 2>& critical)
        : all_(statement.all) {
        for (const EvidenceSide& side : statement.sides)
            sides_.emplace_back(design, side, critical[side.process == Process::above ? 1 : 0]);
    }
    void add(std::size_t pair) {
        for (SideState& side : sides_) side.add(pair);
    }
    void look() {
        for (SideState& side : sides_) side.look();
    }
    std::optional<double> p() const {
        if (sides_.empty()) return std::nullopt;
        double result = all_ ? 0 : 1;
        for (const SideState& side : sides_) result = all_ ? std::max(result, side.p()) : std::min(result, side.p());
        return all_ ? result : std::min(1.0, result * static_cast<double>(sides_.size()));
    }
    double e_value() const {
        if (sides_.empty()) return Description::unknown;
        double result = sides_.front().log_e();
        for (const SideState& side : sides_)
            result = all_ ? std::min(result, side.log_e()) : std::max(result, side.log_e());
        return std::exp(result) / (all_ ? 1 : static_cast<double>(sides_.size()));
    }
    // At least (Fréchet's bound) for a statement about all sides, at most for one about any.
    double chance() const {
        if (sides_.empty()) return 0;
        double sum = 0;
        for (const SideState& side : sides_) sum += side.chance();
        return all_ ? std::max(0.0, sum - static_cast<double>(sides_.size() - 1)) : std::min(1.0, sum);
    }

 private:
    std::vector<SideState> sides_;
    bool all_;
};

Interval interval_of(std::span<const double> differences, std::int64_t pairs, double critical) {
    if (differences.empty() || !std::isfinite(critical)) return {};
    const Sample sample = sample_of(differences.first(static_cast<std::size_t>(pairs)));
    const double half = critical * sample.standard_deviation / std::sqrt(static_cast<double>(pairs));
    return {sample.mean - half, sample.mean + half};
}

void narrow(Interval& interval, const Interval& by) {
    if (!std::isfinite(by.low)) return;
    interval.low = std::isfinite(interval.low) ? std::max(interval.low, by.low) : by.low;
    interval.high = std::isfinite(interval.high) ? std::min(interval.high, by.high) : by.high;
}

double rounding_of(std::span<const double> x, std::span<const double> y) {
    double scale = 0;
    for (std::size_t i = 0; i < x.size(); ++i) scale = std::max({scale, std::abs(x[i]), std::abs(y[i])});
    return 10 * std::numeric_limits<double>::epsilon() * scale;
}

EvidenceSide side_of(Process process, std::span<const double> x, std::span<const double> y, double of_x, double of_y) {
    EvidenceSide side{process, {}, 0, rounding_of(x, y)};
    for (std::size_t i = 0; i < x.size(); ++i) side.values.push_back(of_x * x[i] + of_y * y[i]);
    return side;
}

}  // namespace

bool SequentialDesign::is_look(std::int64_t pairs) const {
    return kind == Kind::anytime ? pairs >= first && pairs <= cap : std::ranges::find(looks, pairs) != looks.end();
}

std::int64_t SequentialDesign::next_look(std::int64_t pairs) const {
    std::int64_t next = pairs + 1;
    while (next < cap && !is_look(next)) ++next;
    return next;
}

void check(const SequentialDesign& design) {
    const auto refuse = [](const std::string& what) { throw BadInput("The stopping rule is not possible: " + what); };
    if (design.cap < 3 || design.cap > max_seeds)
        refuse("the largest number of seeds is " + std::to_string(design.cap) + "; it must be from 3 to 10,000.");
    if (design.first < 2 || design.first > design.cap)
        refuse("the first look is at " + std::to_string(design.first) + " seeds; it must be from 2 to " +
               std::to_string(design.cap) + ".");
    if (!(design.prior_variance > 0 && design.prior_variance <= 1e6))
        refuse("the prior variance is " + number_text(design.prior_variance) + "; it must be above 0, at most 1e6.");
    if (!(design.alpha > 0 && design.alpha < 0.5))
        refuse("the level is " + number_text(design.alpha) + "; it must be above 0 and below 0.5.");
    if (!(design.futility >= 0 && design.futility < 1))
        refuse("the probability of futility is " + number_text(design.futility) + "; it must be from 0 to below 1.");
    if (design.target && !(*design.target > 0 && std::isfinite(*design.target)))
        refuse("the target loss is " + number_text(*design.target) + "; it must be a positive number of nats.");
    if (design.kind == Kind::anytime) return;
    if (design.looks.empty() || design.looks.back() != design.cap)
        refuse("the last look must be at the largest number of seeds, " + std::to_string(design.cap) + ".");
    table_of(design, false);
}

SequentialDesign group_sequential_design(std::int64_t cap) {
    SequentialDesign design;
    design.kind = Kind::group_sequential;
    design.cap = cap;
    constexpr int most_looks = 5;
    for (int i = 0; i < most_looks; ++i) {
        const double fraction = 0.4 + 0.6 * i / (most_looks - 1);
        const auto look = std::max<std::int64_t>(3, std::llround(fraction * static_cast<double>(cap)));
        if (design.looks.empty() || look > design.looks.back()) design.looks.push_back(look);
    }
    design.first = design.looks.front();
    return design;
}

std::string words_of(const SequentialDesign& design) {
    const std::string of = design.target ? " on the mean of the whole validation loss against the target of " +
                                               number_text(*design.target) + " nats"
                                         : "";
    const std::string held_out =
        design.tuning_seeds.empty()
            ? ""
            : "; the seeds that chose the settings are not used (" +
                  joined(design.tuning_seeds, ", ", [](auto seed) { return std::to_string(seed); }) + ")";
    const std::string level = ", level " + percent_text(design.alpha) + " % after Holm's correction";
    const std::string futility =
        design.futility > 0 ? "; stops for futility if the predicted probability of a verdict by " +
                                  std::to_string(design.cap) + " seeds is below " + percent_text(design.futility) + " %"
                            : "";
    if (design.kind == Kind::anytime) {
        return "anytime-valid t-mixture e-process" + (design.target ? of : " on differences of equal seeds") +
               " (prior variance " + number_text(design.prior_variance) + "), after each seed from " +
               std::to_string(design.first) + " to at most " + std::to_string(design.cap) + level + futility + held_out;
    }
    return "group-sequential " + std::string(design.target ? "t tests" : "paired t tests") + of + " (" +
           to_string(design.spending) + " spending) at " +
           joined(design.looks, ", ", [](std::int64_t look) { return std::to_string(look); }) + " seeds" + level +
           futility + held_out;
}

Statement statement_different(std::span<const double> x, std::span<const double> y) {
    return {{side_of(Process::different, x, y, 1, -1)}, false};
}

Statement statement_ratio_inside(std::span<const double> x, std::span<const double> y, double low, double high) {
    return {{side_of(Process::above, x, y, 1, -low), side_of(Process::above, x, y, -1, high)}, true};
}

Statement statement_ratio_outside(std::span<const double> x, std::span<const double> y, double low, double high) {
    return {{side_of(Process::above, x, y, -1, low), side_of(Process::above, x, y, 1, -high)}, false};
}

Statement statement_below(std::span<const double> values, double target) {
    return {{side_of(Process::above, values, std::vector<double>(values.size(), target), -1, 1)}, false};
}

Statement statement_above(std::span<const double> values, double target) {
    return {{side_of(Process::above, values, std::vector<double>(values.size(), target), 1, -1)}, false};
}

std::string to_string(End end) {
    constexpr std::array words = {
        "open", "settled", "refuted", "stopped for futility", "budget spent", "diverged or excluded run"};
    return words[static_cast<std::size_t>(end)];
}

std::vector<SequentialResult> replay(const SequentialDesign& design, std::span<const SequentialRow> family) {
    const std::array<double, 2> at_cap = {critical_t(design, design.cap, false), critical_t(design, design.cap, true)};
    std::vector<StatementState> claims, refutations;
    for (const SequentialRow& row : family) {
        claims.emplace_back(design, row.claim, at_cap);
        refutations.emplace_back(design, row.refutation, at_cap);
    }
    std::vector<SequentialResult> results(family.size());
    const auto correct = [&] {
        for (const auto& [raw, corrected] :
             {std::pair(&SequentialResult::p, &SequentialResult::p_holm),
              std::pair(&SequentialResult::p_refutation, &SequentialResult::p_refutation_holm)}) {
            std::vector<std::optional<double>> p;
            for (const SequentialResult& result : results) p.push_back(result.*raw);
            const auto adjusted = holm(p);
            for (std::size_t i = 0; i < results.size(); ++i) results[i].*corrected = adjusted[i];
        }
        // A comparison that stopped before can become significant, because each one that is makes the next step easier.
        for (SequentialResult& result : results) {
            if (result.end == End::claim || result.end == End::refutation) continue;
            if (result.p_refutation_holm && *result.p_refutation_holm <= design.alpha)
                result.end = End::refutation;
            else if (result.p_holm && *result.p_holm <= design.alpha)
                result.end = End::claim;
        }
    };
    for (std::size_t i = 0; i < family.size(); ++i) {
        if (!family[i].claim.sides.empty()) results[i].p = 1;
        if (!family[i].refutation.sides.empty()) results[i].p_refutation = 1;
    }
    std::int64_t before = 0;
    while (before < design.cap) {
        const std::int64_t n = design.next_look(before);
        for (std::size_t i = 0; i < family.size(); ++i) {
            if (results[i].end == End::open && family[i].pairs < n && family[i].blocked) results[i].end = End::blocked;
        }
        const auto is_open = [](const SequentialResult& result) { return result.end == End::open; };
        if (std::ranges::none_of(results, is_open)) break;
        for (std::size_t i = 0; i < family.size(); ++i) {
            if (is_open(results[i]) && family[i].pairs < n) {
                correct();
                return results;
            }
        }
        const double interval_critical = critical_t(design, n, false);
        for (std::size_t i = 0; i < family.size(); ++i) {
            SequentialResult& result = results[i];
            if (!is_open(result)) continue;
            for (std::int64_t pair = before; pair < n; ++pair) {
                claims[i].add(static_cast<std::size_t>(pair));
                refutations[i].add(static_cast<std::size_t>(pair));
            }
            claims[i].look();
            refutations[i].look();
            result.pairs = n;
            ++result.looks;
            result.e_value = claims[i].e_value();
            result.p = claims[i].p();
            result.p_refutation = refutations[i].p();
            result.chance = std::min(1.0, claims[i].chance() + refutations[i].chance());
            narrow(result.interval, interval_of(std::span(family[i].differences), n, interval_critical));
        }
        correct();
        for (SequentialResult& result : results) {
            if (!is_open(result)) continue;
            if (n == design.cap)
                result.end = End::budget;
            else if (result.chance < design.futility)
                result.end = End::futile;
        }
        before = n;
    }
    correct();
    return results;
}

double sequential_p(const SequentialDesign& design, const Statement& statement, std::int64_t pairs) {
    StatementState state(design, statement, {0, 0});
    for (std::int64_t pair = 0; pair < std::min(pairs, design.cap); ++pair) {
        state.add(static_cast<std::size_t>(pair));
        if (design.is_look(pair + 1)) state.look();
    }
    return state.p().value_or(1);
}

double upper_bound(SequentialDesign design, std::span<const double> values, std::int64_t pairs, double alpha) {
    design.alpha = alpha;
    double bound = Description::unknown;
    for (std::int64_t n = design.next_look(0); n <= pairs; n = design.next_look(n)) {
        const Sample sample = sample_of(values.first(static_cast<std::size_t>(n)));
        const double half = critical_t(design, n, true) * sample.standard_deviation / std::sqrt(static_cast<double>(n));
        if (sample.standard_deviation > 0) bound = std::fmin(bound, sample.mean + half);
        if (n >= design.cap) break;
    }
    return bound;
}

SequentialPower sequential_power(const SequentialDesign& design, double effect, int rows, int repeats) {
    const auto cap = static_cast<std::size_t>(design.cap);
    std::vector<float> normal((static_cast<std::size_t>(rows) + 1) * cap);
    SequentialPower power;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        RandomStream(repeat, "sequential power").fill_normal(normal, std::sqrt(0.5));
        const std::vector<double> baseline(normal.begin(), normal.begin() + design.cap);
        std::vector<SequentialRow> family;
        for (int row = 1; row <= rows; ++row) {
            std::vector<double> values(normal.begin() + row * design.cap, normal.begin() + (row + 1) * design.cap);
            if (design.target) {
                for (double& value : values) value -= std::sqrt(0.5) * effect;
                family.push_back({statement_below(values, 0), statement_above(values, 0), {}, design.cap});
                continue;
            }
            for (double& value : values) value += effect;
            family.push_back({statement_different(values, baseline), {}, {}, design.cap});
        }
        for (const SequentialResult& result : replay(design, family)) {
            power.settled += result.end == End::claim ? 1 : 0;
            power.mean_pairs += static_cast<double>(result.pairs);
        }
    }
    power.settled /= static_cast<double>(rows) * repeats;
    power.mean_pairs /= static_cast<double>(rows) * repeats;
    return power;
}

}  // namespace ropelab
