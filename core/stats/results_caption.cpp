// Words of a table's caption.
#include <algorithm>
#include <limits>

#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"
#include "core/stats/setting_words.h"

namespace ropelab {

namespace {

// Returns the value of a setting that all runs share, in words; "" if the runs differ in it.
std::string shared_words(const ResultsTable& table, const std::string& key) {
    const auto found = table.shared.find(key);
    return found == table.shared.end() ? "" : setting_words(key, found->second, head_dim_of(table));
}

// Returns settings that all runs share, such as "4 layers, 4 heads, width 128"; settings that are swept are left out.
std::string listed(const ResultsTable& table, std::initializer_list<std::pair<const char*, const char*>> parts) {
    std::string result;
    for (const auto& [key, pattern] : parts) {
        const std::string value = shared_words(table, key);
        if (value.empty()) continue;
        std::string words = pattern;
        if (value == "1" && words.ends_with('s')) words.pop_back();  // "# layers"
        words.replace(words.find('#'), 1, value);
        result += (result.empty() ? "" : ", ") + words;
    }
    return result;
}

// Returns "n = 3 seeds" or "n = 2 to 3 seeds".
std::string seeds_of(const ResultsTable& table) {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = 0;
    for (const ResultGroup& group : table.groups) {
        least = std::min(least, counted_runs(table, group));
        most = std::max(most, counted_runs(table, group));
    }
    const std::string count =
        least >= most ? std::to_string(most) : std::to_string(least) + " to " + std::to_string(most);
    return "n = " + count + (most == 1 ? " seed" : " seeds");
}

// Returns the precision in which the counted runs trained, with the number of runs of each if they differ; without such
// runs, the setting that they share; "" if it is unknown.
std::string precision_words(const ResultsTable& table) {
    std::map<std::string, int> counts;
    for (const ResultGroup& group : table.groups) {
        const auto found = group.conditions.find("precision");
        if (found == group.conditions.end()) continue;
        for (const auto& [precision, count] : found->second) counts[precision] += count;
    }
    if (counts.size() == 1) return counts.begin()->first;
    std::string words;
    for (const auto& [precision, count] : counts) {
        words += (words.empty() ? "" : ", ") + precision + " (" + runs_text(count) + ")";
    }
    if (!words.empty()) return words;
    words = shared_words(table, "precision");
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
    std::string words = data.empty() ? "Data set: see the column." : "Data set: " + data + ".";
    if (!model.empty()) words += " Model: " + model + ".";
    if (!training.empty()) words += " Training: " + training + ".";
    return precision.empty() ? words : words + " Precision: " + precision + ".";
}

std::string baseline_and_test_words(const ResultsTable& table) {
    const ResultGroup* tested = nullptr;
    int comparisons = 0;
    for (const ResultGroup& group : table.groups) {
        if (!table.is_baseline(group)) continue;
        comparisons = std::max(comparisons, table.comparisons_beside(group));
        if (!tested) tested = &group;
    }
    if (!tested) return {};
    const auto baselines = std::count_if(table.groups.begin(), table.groups.end(),
                                         [&](const ResultGroup& group) { return table.is_baseline(group); });
    std::string words = baselines == 1 ? " Baseline: " + group_words(table, *tested) + "."
                                       : " Each data set has a baseline of its own.";
    words += " Test against the baseline: " + test_title(table.test) + ", two-sided";
    if (comparisons == 0) return words + "; no group could be tested.";
    return words + ", p after Holm's correction over " + std::to_string(comparisons) +
           (comparisons == 1 ? " comparison." : " comparisons.");
}

}  // namespace

std::string significance_mark(const ResultsTable& table, const ResultGroup& group) {
    switch (verdict_of(table, group).kind) {
        case Verdict::Kind::baseline:
            return "baseline";
        case Verdict::Kind::untested:
            return missing_cell;
        case Verdict::Kind::undecided:
            return "n.s.";
        case Verdict::Kind::better:
        case Verdict::Kind::worse:
            break;
    }
    const double p = *group.comparison(table.test).p_holm;
    return p < 0.001 ? "***" : p < 0.01 ? "**" : "*";
}

std::string mark_legend() {
    return "Marks: *** p < 0.001, ** p < 0.01, * p < 0.05, n.s. not significant, " + std::string(missing_cell) +
           " no test.";
}

std::string caption_words(const ResultsTable& table) {
    const Measure& compared = measures()[table.compared];
    std::string words = setting_title(std::string(compared.name));
    words.front() = static_cast<char>(words.front() - 'a' + 'A');
    if (compared.unit == "nats") words += " in nats per token";
    if (compared.unit == "s") words += " of training";
    return words + ", mean ± sample standard deviation over " + seeds_of(table) + ". " + trained_words(table) +
           (table.groups.size() > 1 ? baseline_and_test_words(table) : "");
}

std::string latex_words(const std::string& words) {
    std::string result = latex_escaped(words);
    static const std::vector<std::pair<std::string, std::string>> commands = {
        {"θ", "$\\theta$"}, {"±", "$\\pm$"}, {"–", "--"},       {"…", "\\ldots{}"},
        {"<", "$<$"},       {">", "$>$"},    {"×", "$\\times$"}};
    for (const auto& [letter, command] : commands) {
        for (std::size_t at = result.find(letter); at != std::string::npos;
             at = result.find(letter, at + command.size())) {
            result.replace(at, letter.size(), command);
        }
    }
    return result;
}

}  // namespace ropelab
