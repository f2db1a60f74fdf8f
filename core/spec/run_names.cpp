#include "core/spec/run_names.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "core/spec/keys.h"

namespace ropelab {

namespace {

bool is_told_by_label(std::string_view name) {
    static const std::set<std::string_view> told = {"theta",     "fraction",        "partial",        "position",
                                                    "pairs",     "rotated_layers",  "theta_training", "theta_schedule",
                                                    "theta_end", "attention_window"};
    return told.contains(name);
}

// Adds to the names of `members` every key in which they differ, of those that a label tells or of the others.
void add_differences(std::vector<std::string>& names, const std::vector<RunSpec>& runs,
                     const std::vector<std::size_t>& members, bool told_by_label) {
    for (const Key& key : keys()) {
        if (is_told_by_label(key.name) != told_by_label) continue;
        std::set<std::string> values;
        for (const std::size_t member : members) values.insert(to_text(key.get(runs[member])));
        if (values.size() < 2) continue;
        std::string word(key.name);
        std::replace(word.begin(), word.end(), '_', ' ');
        for (const std::size_t member : members) names[member] += ", " + word + " " + to_text(key.get(runs[member]));
    }
}

}  // namespace

std::vector<std::string> run_names(const std::vector<RunSpec>& runs) {
    std::vector<std::string> names;
    names.reserve(runs.size());
    for (const RunSpec& run : runs) names.push_back(label_of(run));
    std::vector<std::size_t> all(runs.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    add_differences(names, runs, all, false);

    std::map<std::string, std::vector<std::size_t>> namesakes;
    for (const std::size_t run : all) namesakes[names[run]].push_back(run);
    for (const auto& [name, members] : namesakes) add_differences(names, runs, members, true);
    return names;
}

}  // namespace ropelab
