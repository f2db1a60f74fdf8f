// Precision, device and CUDA graphs of the runs of a results table.
#include <algorithm>

#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

using Counts = std::map<std::string, int>;

// Returns the values of a condition with their numbers of runs: "bfloat16 (2), float32 (1)".
std::string counts_text(const Counts& counts) {
    std::string text;
    for (const auto& [value, count] : counts) {
        text += (text.empty() ? "" : ", ") + value + " (" + std::to_string(count) + ")";
    }
    return text;
}

Counts counts_of(const ResultGroup& group, std::string_view name) {
    const auto found = group.conditions.find(std::string(name));
    return found == group.conditions.end() ? Counts() : found->second;
}

// Returns a warning if groups of one text have different tokenizers, so that only their bits per byte are comparable.
std::string tokenizer_warning(const ResultsTable& table) {
    const std::size_t per_byte = measure_index("bits_per_byte");
    const std::size_t per_token = measure_index("best_validation_loss");
    bool differs = false;
    for (const ResultGroup& a : table.groups) {
        for (const ResultGroup& b : table.groups) {
            differs = differs || (same_data(a, b, per_byte) && !same_data(a, b, per_token));
        }
    }
    if (!differs) return "";
    const std::string words =
        "Warning: the runs have different tokenizers, so that only their bits per byte can be compared. ";
    return words + (table.compared == per_byte
                        ? "Losses per token are not comparable between them."
                        : "Losses are compared with the baseline of the same tokenizer; compare bits_per_byte "
                          "to compare all runs with one baseline.");
}

}  // namespace

std::string condition_of(const RunConditions& conditions, std::string_view name) {
    if (name == "precision") return conditions.precision;
    if (name == "device") return conditions.device;
    return conditions.graphs.empty() ? "none" : conditions.graphs;
}

void check_split(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (std::find(condition_names.begin(), condition_names.end(), name) != condition_names.end()) continue;
        throw BadInput("\"" + name + "\" does not separate groups; it must be precision, device or kernels.");
    }
}

std::string condition_text(const ResultGroup& group, std::string_view name) {
    const Counts counts = counts_of(group, name);
    return counts.size() == 1 ? counts.begin()->first : counts_text(counts);
}

std::vector<std::string> condition_warnings(const ResultsTable& table) {
    std::vector<std::string> result;
    if (const std::string words = tokenizer_warning(table); !words.empty()) result.push_back(words);
    for (const std::string_view name : condition_names) {
        const bool separates = std::find(table.swept.begin(), table.swept.end(), name) != table.swept.end();
        Counts all;
        std::string pooled;
        for (const ResultGroup& group : table.groups) {
            const Counts counts = counts_of(group, name);
            for (const auto& [value, count] : counts) all[value] += count;
            if (counts.size() > 1) pooled += (pooled.empty() ? "" : "; ") + group_label(table, group);
        }
        if (all.size() < 2 || (separates && pooled.empty())) continue;
        std::string words = "Warning: the runs trained with different " + std::string(name) +
                            (name == "kernels" ? "" : "s") + ": " + counts_text(all) + ". ";
        if (name == "precision") words = "Warning: the runs trained in different precision: " + counts_text(all) + ". ";
        words += pooled.empty() ? "The tests compare groups that trained differently."
                                : "Means pool such runs in these groups: " + pooled + ".";
        result.push_back(words + " Split by " + std::string(name) + " to separate them.");
    }
    return result;
}

}  // namespace ropelab
