// Simulates sequential verdicts: how often they are wrong, how many seeds they need, and what looking after every seed
// with a plain t test does. Prints one line per figure with its target; status 1 if a target is missed. With lab files
// as arguments, it replays their comparisons with a stopping rule instead and compares the verdicts with those of all
// seeds.
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/results/results_table.h"
#include "core/stats/sequential.h"
#include "core/store/lab_file.h"
#include "core/sweep/lab_results.h"

namespace ropelab {
namespace {

using Generator = std::mt19937_64;
using Noise = std::function<double(Generator&)>;  // mean 0, variance 1

int missed = 0;

void print(const std::string& what, double value, const std::string& relation, double target) {
    const bool is_met = relation.empty() || (relation == "<=" ? value <= target : value >= target);
    missed += is_met ? 0 : 1;
    if (relation.empty()) {
        std::printf("| %-78s | %8.3f |          |      |\n", what.c_str(), value);
    } else {
        std::printf("| %-78s | %8.3f | %s %6.2f | %s |\n", what.c_str(), value, relation.c_str(), target,
                    is_met ? "met " : "MISS");
    }
}

double normal(Generator& generator) {
    return std::normal_distribution<double>()(generator);
}

// Skewness 2/√shape.
Noise gamma_noise(double shape) {
    return [shape](Generator& generator) {
        return (std::gamma_distribution<double>(shape)(generator) - shape) / std::sqrt(shape);
    };
}

std::vector<double> sampled(Generator& generator, const Noise& noise, std::int64_t n, double scale, double shift) {
    std::vector<double> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(scale * noise(generator) + shift);
    return values;
}

struct Tally {
    double mean_pairs = 0;  // per row
    double settled = 0;     // fraction of rows
    double any = 0;         // fraction of families with a settled row
    double refuted = 0;     // fraction of rows with a shown refutation
};

// Rows that share a baseline: paired differences have variance 1.
Tally families(const SequentialDesign& design, int repeats, int rows, double effect, const Noise& noise = normal) {
    Generator generator(20231);
    const double scale = rows > 1 ? std::sqrt(0.5) : 1;
    Tally tally;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto baseline = rows > 1 ? sampled(generator, noise, design.cap, scale, 0)
                                       : std::vector<double>(static_cast<std::size_t>(design.cap), 0.0);
        std::vector<SequentialRow> family;
        for (int row = 0; row < rows; ++row) {
            family.push_back({statement_different(sampled(generator, noise, design.cap, scale, effect), baseline),
                              {},
                              {},
                              design.cap});
        }
        bool any = false;
        for (const SequentialResult& result : replay(design, family)) {
            const bool is_settled = result.end == SequentialResult::End::claim;
            any = any || is_settled;
            tally.settled += is_settled ? 1 : 0;
            tally.mean_pairs += static_cast<double>(result.pairs);
        }
        tally.any += any ? 1 : 0;
    }
    tally.any /= repeats;
    tally.settled /= static_cast<double>(repeats) * rows;
    tally.mean_pairs /= static_cast<double>(repeats) * rows;
    return tally;
}

// How often equivalence within 1 % of the baseline's mean is shown if the true difference is `difference` of it.
double equivalence(const SequentialDesign& design, int repeats, double difference, double deviation) {
    Generator generator(7);
    int shown = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto y = sampled(generator, normal, design.cap, 0.01, 1.5);
        auto x = sampled(generator, normal, design.cap, deviation * 1.5, 1.5 * difference);
        for (std::size_t i = 0; i < x.size(); ++i) x[i] += y[i];
        const SequentialRow row{statement_ratio_inside(x, y, 0.99, 1.01), statement_different(x, y), {}, design.cap};
        shown += replay(design, std::span(&row, 1)).front().end == SequentialResult::End::claim ? 1 : 0;
    }
    return static_cast<double>(shown) / repeats;
}

// Means of losses with deviation 1 against a target that is `distance` above the mean.
struct TargetTally {
    double below = 0, above = 0;  // fractions of means called so
    double mean_seeds = 0;
    double covered = 0;  // fraction of bounds at the last look that are not below the mean
};
TargetTally to_target(const SequentialDesign& design, int repeats, double distance, const Noise& noise = normal) {
    Generator generator(11);
    TargetTally tally;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto losses = sampled(generator, noise, design.cap, 1, 0);
        const SequentialRow row{statement_below(losses, distance), statement_above(losses, distance), {}, design.cap};
        const SequentialResult result = replay(design, std::span(&row, 1)).front();
        tally.below += result.end == SequentialResult::End::claim ? 1.0 / repeats : 0;
        tally.above += result.end == SequentialResult::End::refutation ? 1.0 / repeats : 0;
        tally.mean_seeds += static_cast<double>(result.pairs) / repeats;
        tally.covered += upper_bound(design, losses, result.pairs, design.alpha) >= 0 ? 1.0 / repeats : 0;
    }
    return tally;
}

// The rule of modded-nanogpt's track 3, (target − mean)·√n ≥ 0.004, which assumes a deviation of 0.0013 nats, after
// every seed; the mean equals the target.
double track_3(int repeats, std::int64_t cap, double deviation) {
    Generator generator(12);
    int wrong = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        double sum = 0;
        bool found = false;
        for (std::int64_t n = 1; n <= cap; ++n) {
            sum += deviation * normal(generator);
            found = found || -sum / std::sqrt(static_cast<double>(n)) >= 0.004;
        }
        wrong += found ? 1 : 0;
    }
    return static_cast<double>(wrong) / repeats;
}

void simulate_target() {
    constexpr int many = 20'000;
    SequentialDesign design;
    design.target = 1;
    design.futility = 0;
    const TargetTally null = to_target(design, many, 0);
    print("target = mean, error 5 %, cap 42, without futility: called below", null.below, "<=", 0.05);
    print("… called above", null.above, "<=", 0.05);
    print("… bounds of the mean that are right", null.covered, ">=", 0.95);
    print("… losses of skewness 1: called below", to_target(design, many, 0, gamma_noise(4)).below, "", 0);
    design.alpha = 0.01;
    print("… error 1 %: called below", to_target(design, many, 0).below, "<=", 0.01);
    design.futility = SequentialDesign{}.futility;
    for (const double distance : {0.5, 1.0, 2.0}) {
        const TargetTally tally = to_target(design, 4000, distance);
        const std::string where = "target " +
                                  std::string(distance < 1   ? "0.5"
                                              : distance < 2 ? "1"
                                                             : "2") +
                                  " sd above the mean, error 1 %, cap 42: ";
        print(where + "settled", tally.below, "", 0);
        print(where + "mean seeds", tally.mean_seeds, "", 0);
    }
    print("track 3's rule after every seed, sd 0.0013, by 42 seeds: wrong", track_3(many, 42, 0.0013), "", 0);
    print("… sd 0.002", track_3(many, 42, 0.002), "", 0);
}

// Two-sided t test at 5 % after every pair from `first` on.
double peeking(int repeats, std::int64_t cap, std::int64_t first) {
    Generator generator(3);
    int wrong = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto values = sampled(generator, normal, cap, 1, 0);
        const std::vector<double> zero(values.size(), 0.0);
        for (std::int64_t n = first; n <= cap; ++n) {
            const auto count = static_cast<std::size_t>(n);
            const auto test = paired_t_test(std::span(values).first(count), std::span(zero).first(count));
            if (!test || test->p >= 0.05) continue;
            ++wrong;
            break;
        }
    }
    return static_cast<double>(wrong) / repeats;
}

// Fraction of null sheets of `rows` rows with a significant row at some look, with Holm's correction at every look.
double peeking_sheets(int repeats, int rows, std::int64_t cap) {
    Generator generator(4);
    int wrong = 0;
    for (int repeat = 0; repeat < repeats; ++repeat) {
        const auto baseline = sampled(generator, normal, cap, std::sqrt(0.5), 0);
        std::vector<std::vector<double>> values;
        for (int row = 0; row < rows; ++row) values.push_back(sampled(generator, normal, cap, std::sqrt(0.5), 0));
        bool found = false;
        for (std::int64_t n = 3; n <= cap && !found; ++n) {
            const auto count = static_cast<std::size_t>(n);
            for (const auto& row : values) {  // the smallest p decides whether Holm's correction rejects any
                const auto test = paired_t_test(std::span(row).first(count), std::span(baseline).first(count));
                found = found || (test && test->p * rows < 0.05);
            }
        }
        wrong += found ? 1 : 0;
    }
    return static_cast<double>(wrong) / repeats;
}

void simulate() {
    constexpr int many = 20'000;
    SequentialDesign ten;
    ten.cap = 10;
    SequentialDesign open;  // at most 42 seeds
    SequentialDesign patient = open;
    patient.futility = 0;

    std::printf("Anytime: %s.\nGroup-sequential: %s.\n\n", words_of(ten).c_str(),
                words_of(group_sequential_design(10)).c_str());
    std::printf("| %-78s | value    | target   |      |\n|---|---:|---|---|\n", "figure");
    print("plain t test after every seed from 3 on, true difference 0: wrong by 10 seeds", peeking(many, 10, 3), "", 0);
    print("… by 20 seeds", peeking(many, 20, 3), "", 0);
    print("… by 42 seeds", peeking(many, 42, 3), "", 0);
    print("… 15 rows with Holm's correction at every look, by 42 seeds: wrong sheets", peeking_sheets(2000, 15, 42), "",
          0);
    print("2,000 null sheets of 15 rows, cap 42: sheets with a false verdict", 2000 * families(open, 2000, 15, 0).any,
          "<=", 80);
    print("… without stopping for futility", 2000 * families(patient, 2000, 15, 0).any, "<=", 80);
    print("one null row, cap 42, without futility: false verdicts", families(patient, many, 1, 0).any, "<=", 0.03);
    print("… differences of skewness 1 (gamma, shape 4)", families(patient, many, 1, 0, gamma_noise(4)).any,
          "<=", 0.06);
    print("… differences of skewness 2 (exponential)", families(patient, many, 1, 0, gamma_noise(1)).any, "", 0);
    print("… the same with stopping for futility, cap 10", families(ten, many, 1, 0, gamma_noise(1)).any, "", 0);

    const double mean_target[] = {0.45, 0.65, 0.62, 0.5, 0, 0.42};
    const double settled_target[] = {0, 0.37, 0.95, 0.99, 0, 0};
    for (const int effect : {0, 1, 2, 3, 5}) {
        const Tally tally = families(ten, many, 1, effect);
        const std::string where = "one row, cap 10, effect " + std::to_string(effect) + " sd: ";
        print(where + "mean seeds / 10", tally.mean_pairs / 10, "<=", mean_target[effect]);
        if (settled_target[effect] > 0) print(where + "settled", tally.settled, ">=", settled_target[effect]);
    }
    const double sheet_target[] = {0, 22, 10, 7.5};
    for (const int effect : {1, 2, 3}) {
        const Tally tally = families(open, 500, 15, effect);
        const std::string where = "15 rows, cap 42, effect " + std::to_string(effect) + " sd: ";
        print(where + "mean seeds", tally.mean_pairs, "<=", sheet_target[effect]);
        print(where + "settled", tally.settled, ">=", 0.95);
    }
    print("equivalence within 1 %, true difference 1 %, cap 42: shown", equivalence(patient, 10'000, 0.01, 0.005),
          "<=", 0.05);
    print("… true difference -1 %", equivalence(patient, 10'000, -0.01, 0.005), "<=", 0.05);
    print("… true difference 0, deviation half the margin: shown", equivalence(open, 2000, 0, 0.005), "", 0);
    SequentialDesign groups = group_sequential_design(10);
    print("group-sequential, cap 10, effect 1 sd: settled", families(groups, many, 1, 1).settled, ">=", 0.65);
    print("… mean seeds / 10", families(groups, many, 1, 1).mean_pairs / 10, "", 0);
    groups.futility = 0;
    print("… effect 0, without futility: false verdicts", families(groups, many, 1, 0).any, "<=", 0.055);
    print("… 15 null rows: false sheets of 2,000", 2000 * families(groups, 2000, 15, 0).any, "<=", 110);
    groups.spending = Spending::pocock;
    print("… Pocock spending, effect 0: false verdicts", families(groups, many, 1, 0).any, "<=", 0.055);
    print("… Pocock spending, effect 1 sd: settled", families(groups, many, 1, 1).settled, "", 0);
    groups.spending = Spending::obrien_fleming;
    print("group-sequential equivalence, true difference 1 %: shown", equivalence(groups, 10'000, 0.01, 0.005),
          "<=", 0.055);
}

// Seeds are used in ascending order; the cap is the largest number of seeds that the lab has.
void replay_lab(const std::string& path) {
    const auto lab = LabFile::open(path, LabFile::Mode::read);
    std::vector<ResultRun> runs = result_runs(*lab, lab_runs(*lab, {}), false);
    const ResultsTable fixed = results_table(runs);
    std::set<std::int64_t> seeds;
    for (const ResultGroup& group : fixed.groups) seeds.insert(group.seeds.begin(), group.seeds.end());
    if (seeds.size() < 3) return void(std::printf("| %s | fewer than three seeds | | | | |\n", path.c_str()));
    SequentialDesign anytime;
    anytime.cap = std::ssize(seeds);
    for (const SequentialDesign& design : {anytime, group_sequential_design(anytime.cap)}) {
        const auto rule = std::make_shared<SequentialSeeds>(SequentialSeeds{design, {seeds.begin(), seeds.end()}});
        for (ResultRun& run : runs) run.sequential = rule;
        const ResultsTable table = results_table(runs);
        int compared = 0, equal = 0, undecided = 0, reversed = 0;
        double used = 0;
        for (std::size_t i = 0; i < table.groups.size(); ++i) {
            const auto& result = table.groups[i].paired.sequential;
            if (!result || !fixed.groups[i].decided().p) continue;
            const auto before = verdict_of(fixed, fixed.groups[i]).kind,
                       after = verdict_of(table, table.groups[i]).kind;
            const bool is_decided = before == Verdict::Kind::better || before == Verdict::Kind::worse;
            ++compared;
            used += static_cast<double>(result->pairs);
            equal += before == after ? 1 : 0;
            undecided += is_decided && after == Verdict::Kind::undecided ? 1 : 0;
            reversed +=
                is_decided && (after == Verdict::Kind::better || after == Verdict::Kind::worse) && after != before ? 1
                                                                                                                   : 0;
        }
        const std::string name = std::filesystem::path(path).filename().string();
        std::printf(
            "| %s, %s | %d comparisons of %zu seeds | %.1f seeds used | %d equal | %d become undecided | %d reversed "
            "|\n",
            name.c_str(), design.looks.empty() ? "anytime" : "group-sequential", compared, seeds.size(),
            compared > 0 ? used / compared : 0.0, equal, undecided, reversed);
        missed += reversed;
    }
}

}  // namespace
}  // namespace ropelab

int main(int count, char** arguments) {
    if (count == 1) {
        ropelab::simulate();
        ropelab::simulate_target();
    }
    for (int i = 1; i < count; ++i) ropelab::replay_lab(arguments[i]);
    return ropelab::missed == 0 ? 0 : 1;
}
