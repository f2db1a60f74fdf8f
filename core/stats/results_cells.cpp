#include "core/stats/results_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/spec/numbers.h"
#include "core/stats/results_clocks.h"

namespace ropelab {

std::string fixed_text(double value, int decimals) {
    if (!std::isfinite(value)) return missing_cell;
    std::array<char, 400> buffer{};  // the largest double has 309 digits before the decimal point
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::fixed, decimals);
    return {buffer.data(), end};
}

std::string rough_text(double value) {
    if (!std::isfinite(value)) return missing_cell;
    if (value == 0) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const int decimals = std::clamp(1 - magnitude, 0, 300);
    // 0.0999 is rounded up to 0.10, which needs one decimal less than 0.099.
    const bool rounds_up = decimals > 0 && std::abs(value) * std::pow(10, decimals) >= 99.5;
    return fixed_text(value, rounds_up ? decimals - 1 : decimals);
}

std::string signed_percent(const std::optional<double>& percent) {
    if (!percent) return missing_cell;
    const std::string text = fixed_text(*percent, 2);
    if (text == "0.00" || text == "-0.00") return "0.00";
    return (*percent > 0 ? "+" : "") + text;
}

std::string p_text(const std::optional<double>& p) {
    if (!p) return missing_cell;
    return *p < 0.001 ? "<0.001" : fixed_text(*p, 3);
}

std::string p_words(double p) {
    return p < 0.001 ? "p < 0.001" : "p = " + p_text(p);
}

std::string mean_and_deviation(const Description& described, int decimals) {
    if (described.n == 0) return missing_cell;
    const std::string mean = fixed_text(described.mean, decimals);
    return described.n < 2 ? mean : mean + " ± " + fixed_text(described.standard_deviation, decimals);
}

std::string measure_cell(const ResultGroup& group, std::size_t measure) {
    return mean_and_deviation(group.described[measure], measures()[measure].decimals);
}

std::string interval_text(const Description& described, int decimals) {
    if (described.n < 2) return missing_cell;
    return fixed_text(described.confidence_low, decimals) + " … " + fixed_text(described.confidence_high, decimals);
}

std::string difference_text(const std::optional<DifferenceInterval>& estimate) {
    if (!estimate) return missing_cell;
    const std::string difference = rough_text(estimate->difference);
    if (!std::isfinite(estimate->low)) return difference;
    return difference + " [" + rough_text(estimate->low) + ", " + rough_text(estimate->high) + "]";
}

std::string until_text(const ResultGroup& group) {
    const auto runs = static_cast<std::int64_t>(group.iterations_until.size());
    std::string result = mean_and_deviation(group.until, 0);
    if (group.until.n < runs) result += " (" + std::to_string(group.until.n) + " of " + std::to_string(runs) + ")";
    return result;
}

std::string runs_text(std::int64_t count) {
    return std::to_string(count) + (count == 1 ? " run" : " runs");
}

std::int64_t counted_runs(const ResultsTable& table, const ResultGroup& group) {
    return describe(group.values(table.compared)).n;
}

std::string runs_cell(const ResultsTable& table, const ResultGroup& group) {
    const std::int64_t counted = counted_runs(table, group);
    const std::int64_t infinite = std::ssize(group.summaries) - counted;
    if (group.failed == 0 && infinite == 0) return std::to_string(counted);
    std::string result = std::to_string(counted) + " of " + runs_text(std::ssize(group.members));
    if (group.failed > 0) result += "; " + std::to_string(group.failed) + " failed or diverged";
    if (infinite > 0) result += "; " + std::to_string(infinite) + " without a finite value";
    return result;
}

std::string test_title(TestKind test) {
    if (test == TestKind::student) return "Student's t test";
    return test == TestKind::welch ? "Welch's t test" : "the t test paired by seed";
}

namespace {

// Returns whether bits per byte repeat bits per character in every group, as they do for texts of ASCII.
bool repeats_bits(const ResultsTable& table, std::size_t measure) {
    if (measures()[measure].name != "bits_per_byte" || table.compared == measure) return false;
    const std::size_t per_character = measure_index("bits_per_character");
    return std::all_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& group) {
        return group.described[measure].n == 0 || group.described[measure].mean == group.described[per_character].mean;
    });
}

}  // namespace

std::vector<std::size_t> measured(const ResultsTable& table) {
    std::vector<std::size_t> result;
    for (std::size_t i = 0; i < measure_count; ++i) {
        const bool any = std::any_of(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return group.described[i].n > 0; });
        if (any && !repeats_bits(table, i)) result.push_back(i);
    }
    return result;
}

std::vector<std::string> table_notes(const ResultsTable& table, std::span<const ResultsColumn> columns) {
    const auto shows = [&](std::string_view quantity) {
        return std::any_of(columns.begin(), columns.end(), [&](const ResultsColumn& column) {
            return std::string_view(column.chosen_name()).starts_with(quantity);
        });
    };
    std::vector<std::string> result = {"Losses are in nats per token: mean ± sample standard deviation over n seeds."};
    const Measure& compared = measures()[table.compared];
    if (table.groups.size() > 1) {
        for (const ResultGroup& group : table.groups) {
            if (!table.is_baseline(group)) continue;
            const int count = table.comparisons_beside(group);
            result.push_back("Baseline: " + group_label(table, group) +
                             ". Improvement, difference and two-sided t tests compare " + std::string(compared.name) +
                             " with this group; " +
                             (count == 0   ? "no group could be tested."
                              : count == 1 ? "Holm's correction is over 1 comparison."
                                           : "Holm's correction is over " + std::to_string(count) + " comparisons."));
        }
        if (shows("interval") || shows("confidence")) {
            result.push_back("95 % interval: confidence interval of the mean of " + std::string(compared.name) + ".");
        }
        if (shows("detectable")) {
            result.push_back("Detectable difference: difference [" + std::string(compared.unit) + "] that " +
                             test_title(table.test) +
                             " detects with 80 % power for these seeds and standard deviations, at the level of the "
                             "first and strictest step of Holm's correction (5 % / number of comparisons).");
        }
    }
    if (table.searched && compared.name != "test_loss") {
        result.emplace_back(
            "Warning: a search chose these settings by their validation loss, so that the best of them looks better "
            "than "
            "it is on other text. The test_loss of runs with split=90/5/5 is free of this choice.");
    }
    const auto evaluation = table.shared.find("evaluation");
    if (shows("bits_per") && evaluation != table.shared.end() && evaluation->second == "sampled") {
        result.emplace_back(
            "Bits are of the best evaluation, which samples batches of the validation split (evaluation=sampled); "
            "whole_validation_loss covers the whole split.");
    }
    if (std::any_of(table.groups.begin(), table.groups.end(),
                    [](const ResultGroup& group) { return group.summaries.size() > 1; })) {
        result.push_back(
            "The seeds of a group share one data set: intervals and p values describe other seeds on this data set and "
            "do not generalise to other texts.");
    }
    if (table.target_loss) {
        result.push_back("Steps to target: number of steps to the first evaluation with a validation loss of at most " +
                         number_text(*table.target_loss) + " nats per token.");
    }
    const auto is_one_measurement = [](const ResultGroup& group) {
        return group.summaries.size() > 1 && !has_own_clocks(group);
    };
    const bool shows_time = shows("seconds") || shows("tokens_per_second");
    if (shows_time && std::any_of(table.groups.begin(), table.groups.end(), is_one_measurement)) {
        result.push_back(
            "Training time and speed are one measurement per group, without a standard deviation: runs of a cohort "
            "share one clock, and the load of the machine differs between cohorts and sessions.");
    }
    for (const std::string& warning : condition_warnings(table)) result.push_back(warning);
    for (const ResultGroup& group : table.groups) {
        const std::string label = group_label(table, group);
        if (!group.excluded.empty()) {
            result.push_back(label + ": the user excluded " + runs_text(std::ssize(group.excluded)) + ".");
        }
        if (group.unfinished > 0) {
            result.push_back(label + ": the group excludes " + runs_text(group.unfinished) + " that did not finish.");
        }
        if (group.failed > 0) {
            result.push_back(label + ": the group excludes " + runs_text(group.failed) +
                             " that failed or diverged. Its mean and comparison cover only the surviving runs.");
        }
        if (group.repeated > 0) {
            result.push_back(label + ": the group excludes " + runs_text(group.repeated) +
                             " whose seed was run again later.");
        }
        const std::int64_t infinite = std::ssize(group.summaries) - counted_runs(table, group);
        if (infinite > 0) {
            result.push_back(label + ": the group excludes " + runs_text(infinite) + " without a finite " +
                             std::string(compared.name) + " from its mean.");
        }
    }
    return result;
}

}  // namespace ropelab
