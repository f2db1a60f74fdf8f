#include "core/results/results_cells.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/plan/layout.h"
#include "core/results/across_texts.h"
#include "core/results/results_compare.h"
#include "core/results/results_verdict.h"
#include "core/stats/resampling.h"
#include "core/store/imported.h"
#include "core/store/run_settings.h"

namespace ropelab {

std::string measure_cell(const ResultGroup& group, std::size_t measure) {
    return mean_and_deviation(group.described[measure], measures()[measure].decimals);
}

std::string until_text(const ResultGroup& group) {
    const auto runs = static_cast<std::int64_t>(group.iterations_until.size());
    std::string result = mean_and_deviation(group.until, 0);
    if (group.until.n < runs) result += " (" + std::to_string(group.until.n) + " of " + std::to_string(runs) + ")";
    return result;
}

std::int64_t counted_runs(const ResultsTable& table, const ResultGroup& group) {
    return describe(group.values(table.compared)).n;
}

std::string runs_cell(const ResultsTable& table, const ResultGroup& group) {
    const std::int64_t in_mean = counted_runs(table, group);
    const std::int64_t infinite = std::ssize(group.summaries) - in_mean;
    if (group.failed == 0 && infinite == 0) return std::to_string(in_mean);
    std::string result = std::to_string(in_mean) + " of " + counted(std::ssize(group.members), "run");
    if (group.failed > 0) result += "; " + std::to_string(group.failed) + " failed or diverged";
    if (infinite > 0) result += "; " + std::to_string(infinite) + " without a finite value";
    return result;
}

namespace {

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

namespace {

// In words; "" if the runs differ in it.
std::string shared_words(const ResultsTable& table, const std::string& key) {
    const auto found = table.shared.find(key);
    return found == table.shared.end() ? "" : setting_words(key, found->second, head_dim_of(table));
}

}  // namespace

bool has_fewer_pairs(const ResultsTable& table, const ResultGroup& group) {
    const ResultGroup* baseline = table.baseline_of(group);
    return baseline && group.decided().p && is_by_seed(group.test) &&
           (group.pairs < counted_runs(table, group) || group.pairs < counted_runs(table, *baseline));
}

std::vector<std::string> table_notes(const ResultsTable& table, std::span<const ResultsColumn> columns) {
    const auto shows = [&](std::string_view quantity) {
        return std::any_of(columns.begin(), columns.end(), [&](const ResultsColumn& column) {
            return std::string_view(column.chosen_name()).starts_with(quantity);
        });
    };
    const Measure& compared = measures()[table.compared];
    const std::string programs = imported_words(table);
    const bool shows_nats = programs.empty() && std::ranges::any_of(measures(), [&](const Measure& each) {
                                return each.unit == "nats" && (shows(each.name) || each.name == compared.name);
                            });
    std::vector<std::string> result = {std::string(shows_nats ? "Losses are in nats per token: mean" : "Mean") +
                                       " ± sample standard deviation over n seeds."};
    if (table.target()) {
        result.push_back("Stopping rule, fixed before the first run: " + words_of(table.sequential->design) + ".");
        for (const ResultGroup& group : table.groups)
            result.push_back(group_label(table, group) + ": " + verdict_of(table, group).words);
    } else if (table.groups.size() > 1) {
        if (table.margin_percent > 0) {
            result.push_back("Relevance margin: " + margin_words(table) + ". A difference is called equivalent if " +
                             (table.sequential ? "the stopping rule's one-sided tests show that it lies"
                                               : "its 95 % interval lies") +
                             " within the margin.");
        }
        for (const ResultGroup& group : table.groups) {
            const auto is_compared = [&](const ResultGroup& other) {
                return &other != &group && table.baseline_of(other) == &group;
            };
            if (!table.is_baseline(group) || std::ranges::none_of(table.groups, is_compared)) continue;
            const int count = group.comparisons;
            result.push_back("Baseline: " + group_label(table, group) + ". Improvement, difference and " +
                             (table.sequential                      ? "the stopping rule's tests"
                              : table.test == TestKind::permutation ? "two-sided permutation tests"
                                                                    : "two-sided t tests") +
                             " compare " + std::string(compared.name) + " with this group; " +
                             (count == 0 ? "no group could be tested."
                                         : "Holm's correction is over " + counted(count, "comparison") + "."));
        }
        if (shows("interval") || shows("confidence")) {
            result.push_back("95 % interval: confidence interval of the mean of " + std::string(compared.name) + ".");
        }
        if (table.sequential) {
            result.push_back("Stopping rule, fixed before the first run: " + words_of(table.sequential->design) +
                             ". Each comparison uses the first seeds up to its last look, and its p and interval hold "
                             "at all looks together.");
        }
        if (shows("detectable") && !table.sequential) {
            const std::string unit = unit_after(table);
            result.push_back("Detectable difference: difference" + (unit.empty() ? "" : " [" + unit.substr(1) + "]") +
                             " that " + test_title(table.test) +
                             " detects with 80 % power for these seeds and standard deviations, at the level of the "
                             "first and strictest step of Holm's correction (5 % / number of comparisons).");
        }
    }
    if (!programs.empty()) {
        result.push_back("Imported runs (from " + programs +
                         "): another program trained them, their losses are in the unit in which it logged them, and "
                         "runs with equal seeds are taken as pairs.");
    }
    if (const std::string warning = search_warning(table); !warning.empty()) result.push_back(warning);
    const auto evaluation = table.shared.find("evaluation");
    if (shows("bits_per") && evaluation != table.shared.end() && evaluation->second == "sampled") {
        result.emplace_back(
            "Bits per character and per byte are those of the best evaluation, which samples batches of the validation "
            "split (evaluation=sampled); whole_validation_loss covers the whole split.");
    }
    const auto has_bytes = [&](const ResultGroup& group) {
        const auto own = group.settings.find("tokenizer");
        return own != group.settings.end() ? own->second == "bytes" : shared_words(table, "tokenizer") == "bytes";
    };
    if (shows("bits_per_character") && std::any_of(table.groups.begin(), table.groups.end(), has_bytes)) {
        result.emplace_back(
            "With tokenizer=bytes, a character is a byte: in texts other than ASCII, bits per character of other "
            "tokenizers are larger, and only bits per byte can be compared.");
    }
    if (is_loss(compared) && std::any_of(table.groups.begin(), table.groups.end(),
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
            "Training time and speed are one measurement per group, without a standard deviation: runs trained as one "
            "batch (a cohort) share one clock, and the load of the machine differs between batches and sessions.");
    }
    for (const std::string& warning : condition_warnings(table)) result.push_back(warning);
    for (const ResultGroup& group : table.groups) {
        const auto add = [&](const char* who, std::int64_t runs, const std::string& why) {
            if (runs > 0) result.push_back(group_label(table, group) + who + counted(runs, "run") + why + ".");
        };
        const char* excludes = ": the group excludes ";
        add(": the user excluded ", std::ssize(group.excluded), "");
        add(excludes, group.unfinished, " that did not finish");
        add(": the mean contains ", group.stopped, " that did not finish, with losses after fewer steps");
        add(excludes, group.failed,
            group.summaries.empty()
                ? " that failed or diverged, so it has no mean"
                : " that failed or diverged. Its mean and comparison cover only the surviving runs");
        add(excludes, group.repeated, " whose seed a run has that was added later");
        add(excludes, std::ssize(group.summaries) - counted_runs(table, group),
            " without a finite " + std::string(compared.name) + " from its mean");
        if (has_fewer_pairs(table, group)) {
            result.push_back(
                group_label(table, group) + ": improvement, difference and p cover the " +
                counted(group.pairs, "seed") +
                (table.sequential ? " that the stopping rule used" : " that the group shares with its baseline") +
                ", and the means cover all seeds.");
        }
    }
    return result;
}

namespace {

// "4 layers, 4 heads, width 128"; settings that are swept are left out.
std::string listed(const ResultsTable& table, std::initializer_list<std::pair<const char*, const char*>> parts) {
    std::vector<std::string> result;
    for (const auto& [key, pattern] : parts) {
        const std::string value = shared_words(table, key);
        if (value.empty()) continue;
        std::string& words = result.emplace_back(pattern);
        if (value == "1" && words.ends_with('s')) words.pop_back();  // "# layers"
        words.replace(words.find('#'), 1, value);
    }
    return joined(result);
}

// "n = 3 seeds" or "n = 2 to 3 seeds".
std::string seeds_of(const ResultsTable& table) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (const ResultGroup& group : table.groups) {
        least = std::min(least, counted_runs(table, group));
        most = std::max(most, counted_runs(table, group));
    }
    return "n = " + (least < most ? std::to_string(least) + " to " : "") + counted(most, "seed");
}

// With numbers of counted runs if it differs; without such runs, the setting that all share; "" if unknown.
std::string precision_words(const ResultsTable& table) {
    std::map<std::string, int> counts;
    for (const ResultGroup& group : table.groups) {
        const auto found = group.conditions.find("precision");
        if (found == group.conditions.end()) continue;
        for (const auto& [precision, count] : found->second) counts[precision] += count;
    }
    if (counts.size() == 1) return counts.begin()->first;
    const auto with_runs = [](const auto& each) { return each.first + " (" + counted(each.second, "run") + ")"; };
    if (!counts.empty()) return joined(counts, ", ", with_runs);
    const std::string words = shared_words(table, "precision");
    return words == "auto" ? "chosen by the program (auto)" : words;
}

std::string trained_words(const ResultsTable& table) {
    const std::string data = shared_words(table, "data");
    const std::string precision = precision_words(table);
    std::string model = listed(table, {{"block", "# blocks"},
                                       {"layers", "# layers"},
                                       {"heads", "# heads"},
                                       {"width", "width #"},
                                       {"context", "context #"}});
    std::string training = listed(table, {{"iterations", "# steps"}, {"batch", "batch size #"}});
    if (const std::string programs = imported_words(table); !programs.empty()) {
        return "Runs imported from " + programs + " were trained by another program.";
    }
    std::string words =
        data.empty() ? "The column \"data\" names the data set of each group." : "Data set: " + data + ".";
    if (!model.empty()) words += " Model: " + model + ".";
    const auto stopped = std::accumulate(table.groups.begin(), table.groups.end(), 0,
                                         [](int sum, const ResultGroup& group) { return sum + group.stopped; });
    if (stopped > 0) training += "; " + counted(stopped, "run") + " stopped earlier";
    if (!training.empty()) words += " Training: " + training + ".";
    return precision.empty() ? words : words + " Precision: " + precision + ".";
}

std::string baseline_and_test_words(const ResultsTable& table) {
    if (table.target())
        return " Stopping rule, fixed before the first run: " + words_of(table.sequential->design) + ".";
    const ResultGroup* tested = nullptr;
    int comparisons = 0;
    for (const ResultGroup& group : table.groups) {
        if (!table.is_baseline(group)) continue;
        comparisons = std::max(comparisons, group.comparisons);
        if (!tested) tested = &group;
    }
    if (!tested) return {};
    const auto baselines = std::count_if(table.groups.begin(), table.groups.end(),
                                         [&](const ResultGroup& group) { return table.is_baseline(group); });
    std::string words = baselines == 1 ? " Baseline: " + group_words(table, *tested) + "."
                                       : " Each " + level_words(table) + " has a baseline of its own.";
    if (comparisons == 0) return words + " No group could be tested against its baseline.";
    if (table.sequential)
        words += " Stopping rule, fixed before the first run: " + words_of(table.sequential->design) + ".";
    words += " Test against the baseline: " + (table.sequential ? "the stopping rule's" : test_title(table.test)) +
             ", two-sided";
    words += ", p after Holm's correction over " + counted(comparisons, "comparison") + ".";
    if (std::ranges::any_of(table.groups, [&](const ResultGroup& group) { return table.looks(group) > 1; }))
        words += " Some groups were tested before with fewer seeds.";
    if (table.margin_percent > 0) words += " Relevance margin: " + margin_words(table) + ".";
    for (const AcrossTexts& across : across_texts(table)) words += " " + across_words(table, across);
    return words;
}

}  // namespace

std::string significance_mark(const ResultsTable& table, const ResultGroup& group) {
    const Verdict verdict = verdict_of(table, group);
    if (verdict.so_far) return "open";
    switch (verdict.kind) {
        case Verdict::Kind::baseline:
            return "baseline";
        case Verdict::Kind::untested:
            return missing_cell;
        case Verdict::Kind::undecided:
            return "n.s.";
        case Verdict::Kind::equivalent:
            return "eq.";
        case Verdict::Kind::better:
        case Verdict::Kind::worse:
            break;
    }
    const double p = *group.decided().p_holm;
    return p < 0.001 ? "***" : p < 0.01 ? "**" : "*";
}

std::string mark_legend() {
    return "Marks: *** p < 0.001, ** p < 0.01, * p < 0.05, n.s. not significant, eq. equivalent within the relevance "
           "margin, " +
           std::string(missing_cell) + " no test, open: runs have not ended.";
}

std::string caption_words(const ResultsTable& table) {
    const Measure& compared = measures()[table.compared];
    std::string words = setting_title(std::string(compared.name));
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    if (compared.unit == "nats" && imported_words(table).empty()) words += " in nats per token";
    if (compared.unit == "s") words += " of training";
    return words + ", mean ± sample standard deviation over " + seeds_of(table) + ". " + trained_words(table) +
           (table.groups.size() > 1 ? baseline_and_test_words(table) : "");
}

namespace {

using Group = const ResultGroup&;

auto statistic(std::size_t measure, double Description::*member) {
    return [=](Group group) { return group.described[measure].*member; };
}

}  // namespace

namespace {

// Of the training steps, from tokens per second; per_parameter: divided by the model's parameters in 10⁹, without
// embeddings and with all experts. nullopt for imported runs and without a speed.
std::optional<double> step_milliseconds(const ResultsTable& table, const ResultGroup& group, bool per_parameter) {
    auto settings = table.shared;
    for (const auto& [key, value] : group.settings) settings[key] = value;
    const double speed = group.described[measure_index("tokens_per_second")].mean;
    if (!imported_from(settings).empty() || !(speed > 0)) return std::nullopt;
    std::erase_if(settings, [](const auto& setting) {  // of other versions, and conditions that split groups
        return !default_settings().contains(setting.first) || setting.second.is_null() ||
               std::ranges::find(condition_names, setting.first) != condition_names.end();
    });
    const RunSpec spec = run_spec_from_json(settings);
    const double milliseconds = 1000 * static_cast<double>(spec.batch * spec.context) / speed;
    return per_parameter ? 1e9 * milliseconds / static_cast<double>(non_embedding_parameters(spec)) : milliseconds;
}

}  // namespace

std::vector<ResultsColumn> results_columns(const ResultsTable& table) {
    const auto if_target = [&](const std::string& title) { return table.target_loss ? title : ""; };
    const auto if_comparing = [&](const std::string& title) { return table.groups.size() > 1 ? title : ""; };
    const bool has_experts = std::ranges::find(table.swept, "experts") != table.swept.end();
    std::vector<ResultsColumn> columns;
    const auto add = [&](ResultsColumn column) { columns.push_back(std::move(column)); };
    const std::string name_title = has_names(table) ? "name" : "";
    const auto name_cell = [&table](Group group) { return group_name(table, group); };
    const auto name_latex = [&table](Group group) { return latex_text(group_name(table, group)); };
    add({name_title, {}, name_title, name_title, name_cell, {}, name_latex, "name"});
    for (const std::string& key : table.swept) {
        const auto cell = [key](Group group) { return setting_text(group.settings.at(key)); };
        const auto latex = [key](Group group) { return latex_setting(group.settings.at(key)); };
        if (key == "fraction") {  // a number in CSV, and in words where people read it
            const auto words = [&table](Group group) { return group_setting_words(table, group, "fraction"); };
            const auto words_latex = [words](Group group) { return latex_text(words(group)); };
            const auto number = [](Group group) -> std::optional<double> {
                const auto& value = group.settings.at("fraction");
                return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
            };
            add({key, number, key, key, words, key, words_latex});
            continue;
        }
        add({key, {}, key, key == "theta" ? "$\\theta$" : latex_text(key), cell, key, latex});
    }
    if (const std::string program = imported_from(table.shared); !program.empty()) {
        const auto cell = [program](Group) { return program; };
        const auto latex = [program](Group) { return latex_text(program); };
        add({imported_setting, {}, imported_setting, imported_setting, cell, {}, latex});
    }
    const auto runs = [&table](Group group) { return runs_cell(table, group); };
    const auto n = [&table](Group group) { return static_cast<double>(counted_runs(table, group)); };
    add({"n", n, "n", "$n$", runs, "n", runs});
    const std::vector<std::size_t> shown = measured(table);
    const std::size_t compared = table.compared;
    for (std::size_t i = 0; i < measure_count; ++i) {
        const std::string name(measures()[i].name);
        const bool has_values = std::find(shown.begin(), shown.end(), i) != shown.end();
        const std::string title(has_values ? measures()[i].title : "");
        const bool is_nats = measures()[i].unit == "nats" && imported_words(table).empty();
        const char* unit = has_values && is_nats ? " (nats)" : "";
        // The column n says it of the compared measure.
        const auto cell = [i, compared](Group group) {
            const std::int64_t values = describe(group.values(i)).n, all = std::ssize(group.summaries);
            return measure_cell(group, i) + (i == compared || values == 0 || values == all
                                                 ? ""
                                                 : " (" + std::to_string(values) + " of " + std::to_string(all) + ")");
        };
        add({name, statistic(i, &Description::mean), title, latex_text(title) + unit, cell, name, {}, {}, i});
        add({name + "_std", statistic(i, &Description::standard_deviation)});
        add({name + "_n", [i](Group group) { return static_cast<double>(describe(group.values(i)).n); }});
    }
    for (const bool per_parameter : {false, true}) {
        const auto value = [&table, per_parameter](Group group) {
            return step_milliseconds(table, group, per_parameter);
        };
        const std::string title = !has_experts ? "" : per_parameter ? "ms/step per 10⁹ parameters" : "ms/step";
        add({per_parameter ? "milliseconds_per_step_per_billion" : "milliseconds_per_step", value, title, "",
             [value](Group group) { return value(group) ? rough_text(*value(group)) : missing_cell; }});
    }
    // Without a target they are not in `full`, but can be chosen by their names.
    const auto until = [&](const std::string& name, auto Description::*member) {
        const auto number = [=](Group group) { return static_cast<double>(group.until.*member); };
        return ResultsColumn{.name = if_target(name), .number = number, .choice = name};
    };
    ResultsColumn steps = until("iterations_until", &Description::mean);
    steps.title = steps.latex_title = if_target("steps to target");
    steps.cell = until_text;
    steps.sort = "iterations_until";
    add(std::move(steps));
    add(until("iterations_until_std", &Description::standard_deviation));
    add(until("iterations_until_n", &Description::n));
    if (is_loss(measures()[table.compared])) {
        const auto one = [](Group) { return 1.0; };  // the seeds of a group share their text
        add({"texts", one, "", "", [](Group) { return std::string("1"); }});
    }
    const int decimals = measures()[compared].decimals;
    const auto interval = [=](Group group) { return interval_text(group.described[compared], decimals); };
    const auto error = [=](Group group) { return fixed_text(group.described[compared].standard_error, decimals + 1); };
    add({"", {}, "95 % interval", "95\\,\\% interval", interval, {}, {}, "interval"});
    add({"standard_error", statistic(compared, &Description::standard_error), "std. error", "std. error", error});
    add({"confidence_low", statistic(compared, &Description::confidence_low)});
    add({"confidence_high", statistic(compared, &Description::confidence_high)});
    const auto estimate = [](Group group) { return group.decided().estimate; };
    const auto end = [=](double DifferenceInterval::*member) {
        return [=](Group group) {
            const auto difference = estimate(group);
            return difference ? std::optional((*difference).*member) : std::nullopt;
        };
    };
    add({"difference", &ResultGroup::difference});
    add({"difference_low", end(&DifferenceInterval::low)});
    add({"difference_high", end(&DifferenceInterval::high)});
    const auto bootstrap = [&table](double Interval::*member) {
        return [&table, member](Group group) {
            const ResultGroup* baseline = table.baseline_of(group);
            if (!baseline || baseline == &group) return Description::unknown;
            std::vector<double> differences;
            for (const SeedDifference& each : seed_differences(group, *baseline, table.compared))
                differences.push_back(each.difference);
            return bootstrap_interval(differences).*member;
        };
    };
    add({"bootstrap_low", bootstrap(&Interval::low)});
    add({"bootstrap_high", bootstrap(&Interval::high)});
    add({"difference_percent", &ResultGroup::difference_percent});
    const auto improvement = [](Group group) { return signed_percent(group.improvement_percent); };
    add({"improvement_percent", &ResultGroup::improvement_percent, if_comparing("improvement (%)"),
         if_comparing("improv. (\\%)"), improvement, "improvement"});
    const auto interval_cell = [=](Group group) { return difference_text(estimate(group)); };
    add({"",
         {},
         if_comparing("difference [95 % interval]"),
         if_comparing("difference [95\\,\\% interval]"),
         interval_cell,
         {},
         {},
         "difference_interval"});
    for (const TestKind kind : test_kinds) {
        const auto p = [kind](Group group) { return group.comparison(kind).p; };
        const auto p_holm = [kind](Group group) { return group.comparison(kind).p_holm; };
        const std::string name = "p_" + to_string(kind);
        const std::string title = table.sequential && kind == TestKind::paired ? "stopping rule"
                                  : kind == TestKind::student                  ? "Student"
                                  : kind == TestKind::welch                    ? "Welch"
                                                                               : to_string(kind);
        // The permutation test is among all columns only if it was chosen.
        const bool is_shown = kind != TestKind::permutation || table.test == kind;
        const auto shown = [&](const std::string& words) { return is_shown ? if_comparing(words) : ""; };
        add({name, p, shown("p " + title), "", [=](Group group) { return p_text(p(group)); }, name});
        add({name + "_holm", p_holm, shown("p " + title + ", Holm"), shown("$p$ (" + title + ", Holm)"),
             [=](Group group) { return p_text(p_holm(group)); }});
    }
    const std::string detectable = if_comparing("detectable diff.");
    const auto least = [](Group group) { return group.decided().detectable; };
    add({"detectable", least, detectable, detectable,
         [=](Group group) { return least(group) ? rough_text(*least(group)) : missing_cell; }});
    add({"detectable_paired", [](Group group) { return group.paired.detectable; }});
    add({"compared", {}, "", "", [=](Group) { return std::string(measures()[compared].name); }});
    const auto is_test = [&](const std::string& title) { return table.test ? "" : if_comparing(title); };
    const auto p_holm = [](Group group) { return group.decided().p_holm; };
    add({"p_holm", p_holm, is_test("p, Holm"), is_test("$p$ (Holm)"),
         [=](Group group) { return p_text(p_holm(group)); }});
    add({"test", {}, is_test("test"), is_test("test"), [&table](Group group) {
             return group.decided().p ? to_string(group.test) : "";
         }});
    add({"pairs", [](Group group) {
             return group.decided().p && is_by_seed(group.test) ? std::optional<double>(group.pairs) : std::nullopt;
         }});
    add({"look", [&table](Group group) { return table.looks(group); }});
    if (table.sequential) {
        const auto result = [](Group group) { return group.paired.sequential; };
        const auto stopped = [result, &table](Group group) {
            return result(group) ? end_of(table.sequential->design, *result(group)) : "";
        };
        const auto number = [result](auto SequentialResult::*field) {
            return [=](Group group) {
                return result(group) ? std::optional<double>(static_cast<double>((*result(group)).*field))
                                     : std::nullopt;
            };
        };
        add({"ended", {}, if_comparing("stopped"), if_comparing("stopped"), stopped, {}, stopped});
        for (const auto& [name, title, field] : {std::tuple("seeds_used", "seeds used", &SequentialResult::pairs),
                                                 std::tuple("looks", "looks", &SequentialResult::looks)}) {
            const auto value = number(field);
            add({name, value, if_comparing(title), if_comparing(title),
                 [value](Group group) { return value(group) ? number_text(*value(group)) : missing_cell; }});
        }
        add({"e_value", number(&SequentialResult::e_value)});
        add({"largest_e_value", [result](Group group) {
                 return result(group) ? std::optional(result(group)->largest_e_value()) : std::nullopt;
             }});
        add({"stopping_rule", {}, "", "", [&table](Group) { return words_of(table.sequential->design); }});
    }
    add({"baseline", {}, "", "", [&table](Group group) {
             const ResultGroup* baseline = table.baseline_of(group);
             return baseline ? group_label(table, *baseline) : "";
         }});
    const auto verdict = [&table](Group group) { return to_string(verdict_of(table, group)); };
    add({"verdict", {}, if_comparing("verdict"), "", verdict, {}, verdict});
    const auto mark = [&table](Group group) { return significance_mark(table, group); };
    const auto latex_mark = [mark](Group group) {
        const std::string text = mark(group);
        return text.starts_with("*") ? "$^{" + text + "}$" : text == missing_cell ? "--" : text;
    };
    add({"", {}, "", "", mark, {}, latex_mark, "mark"});
    add({"survivors_only", {}, "", "", [&table](Group group) {
             return table.compares_survivors(group) ? "true" : "false";
         }});
    add({"runs", [](Group group) { return group.members.size(); }});
    add({"unfinished", &ResultGroup::unfinished});
    add({"stopped", &ResultGroup::stopped});
    add({"failed", &ResultGroup::failed});
    for (const std::string_view name : condition_names) {
        const auto cell = [name](Group group) { return condition_text(group, name); };
        const auto latex = [name](Group group) { return latex_text(condition_text(group, name)); };
        add({"chosen_" + std::string(name), {}, "", "", cell, {}, latex});
    }
    for (const std::string& name : table.measurements) {
        const auto value = [name](auto Description::*member) {
            return [=](Group group) {
                const auto found = group.measurements.find(name);
                return found == group.measurements.end() ? std::nullopt
                                                         : std::optional(static_cast<double>(found->second.*member));
            };
        };
        add({"measured_" + name, value(&Description::mean)});
        add({"measured_" + name + "_std", value(&Description::standard_deviation)});
        add({"measured_" + name + "_n", value(&Description::n)});
    }
    return columns;
}

namespace {

std::string title_of(const ResultsColumn& column) {
    if (!column.title.empty()) return column.title;
    if (column.measure) return std::string(measures()[*column.measure].title);
    std::string title = column.chosen_name();
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

// A column's own name stands for itself.
std::vector<std::string> expanded(const ResultsTable& table, PrintedFormat format, const std::string& name) {
    std::vector<std::string> result;
    const bool is_preset = name == "settings" || name == "paper" || name == "short";
    if (!is_preset) return {name};
    if (has_names(table)) result.emplace_back("name");
    result.insert(result.end(), table.swept.begin(), table.swept.end());
    if (!imported_from(table.shared).empty()) result.emplace_back(imported_setting);
    if (name == "settings") return result;
    std::vector<std::string> results = paper_columns(table);
    if (is_loss(measures()[table.compared]) && (name == "paper" || count_texts(table) > 1))
        results.insert(results.begin() + 2, "texts");
    if (name == "short") {
        results.back() = "verdict";
        if (table.groups.size() < 2) results.resize(2);  // nothing is compared
    }
    for (const std::string& each : results) {
        result.push_back(each);
        // Text and LaTeX print the standard deviation beside the mean.
        const bool is_mean = each == measures()[table.compared].name;
        if (is_mean && format == PrintedFormat::csv) result.push_back(each + "_std");
    }
    return result;
}

bool is_in_full(const ResultsColumn& column, PrintedFormat format) {
    if (format == PrintedFormat::csv) return !column.name.empty();
    return !(format == PrintedFormat::text ? column.title : column.latex_title).empty();
}

ResultsColumn completed(ResultsColumn column) {
    const std::string title = title_of(column);
    if (column.name.empty()) column.name = column.choice;
    if (column.title.empty()) column.title = title;
    if (column.latex_title.empty()) column.latex_title = latex_text(title);
    if (!column.cell) {
        column.cell = [number = column.number](const ResultGroup& group) {
            const std::optional<double> value = number(group);
            return value ? count_text(*value) : missing_cell;
        };
    }
    return column;
}

const ResultsColumn& column_named(const std::vector<ResultsColumn>& columns, const std::string& name) {
    const auto found = std::find_if(columns.begin(), columns.end(),
                                    [&](const ResultsColumn& column) { return column.chosen_name() == name; });
    if (found != columns.end()) return *found;
    std::vector<std::string_view> known = {"short", "paper", "full", "settings"};
    for (const ResultsColumn& column : columns) {
        if (!column.chosen_name().empty()) known.push_back(column.chosen_name());
    }
    throw BadInput("The table has no column \"" + name + "\"" + hint(name, known) + " Its presets and columns are " +
                   joined(known) + ".");
}

}  // namespace

std::vector<std::string> paper_columns(const ResultsTable& table) {
    std::vector<std::string> result = {std::string(measures()[table.compared].name), "n", "improvement_percent"};
    const auto has_pairs = [&](const ResultGroup& group) { return has_fewer_pairs(table, group); };
    const auto is_second = [&](const ResultGroup& group) {
        return !table.is_baseline(group) && table.looks(group) > 1;
    };
    if (std::ranges::any_of(table.groups, has_pairs)) result.emplace_back("pairs");
    if (!table.test) result.emplace_back("test");
    if (table.comparisons() > 0) result.push_back(table.test ? "p_" + to_string(*table.test) + "_holm" : "p_holm");
    if (std::ranges::any_of(table.groups, is_second)) result.emplace_back("look");
    if (table.sequential) result.insert(result.end(), {"ended", "seeds_used", "looks"});
    result.emplace_back("mark");
    return result;
}

std::vector<std::string> column_list(const std::string& typed) {
    std::vector<std::string> result = parts_of(typed);
    if (std::find(result.begin(), result.end(), "") == result.end()) return result;
    throw BadInput("\"" + typed + "\" is not a list of columns; write their names with commas, such as " +
                   "settings,best_validation_loss,n.");
}

std::vector<ResultsColumn> chosen_columns(const ResultsTable& table, PrintedFormat format, const TableStyle& style) {
    const std::vector<ResultsColumn> all = results_columns(table);
    std::vector<ResultsColumn> result;
    const std::vector<std::string> preset = {format == PrintedFormat::text ? "short" : "full"};
    for (const std::string& choice : style.columns.empty() ? preset : style.columns) {
        if (choice == "full") {
            std::copy_if(all.begin(), all.end(), std::back_inserter(result),
                         [&](const ResultsColumn& column) { return is_in_full(column, format); });
            continue;
        }
        for (const std::string& name : expanded(table, format, choice)) {
            result.push_back(completed(column_named(all, name)));
        }
    }
    // Only `settings` of runs that differ in their seed alone has no column.
    if (result.empty()) result.push_back(completed(column_named(all, "n")));
    return result;
}

std::vector<std::pair<std::string, std::string>> column_names(const ResultsTable& table) {
    std::vector<std::pair<std::string, std::string>> result;
    for (const ResultsColumn& column : results_columns(table)) {
        if (!column.chosen_name().empty()) result.emplace_back(column.chosen_name(), title_of(column));
    }
    return result;
}

std::string column_help() {
    ResultsTable any;
    any.target_loss = 0;  // so that the list contains the columns of --until
    std::vector<std::pair<std::string, std::string>> lines = {
        {"short",
         "preset: the columns of the preset paper, with the verdict instead of the significance mark; default of the "
         "format text"},
        {"paper",
         "preset: settings, mean ± standard deviation of the compared measure, n, improvement, corrected p, "
         "significance mark"},
        {"full", "preset: all columns that the output format has"},
        {"settings",
         "the names given to settings and the settings in which the groups differ: several columns, each of which can "
         "also be chosen alone"}};
    for (auto& each : column_names(any)) lines.push_back(std::move(each));
    Table table = Table::titled({"", ""}, "l");
    for (auto& [name, meaning] : lines) table.rows.push_back({std::move(name), std::move(meaning)});
    return table.text();
}

}  // namespace ropelab
