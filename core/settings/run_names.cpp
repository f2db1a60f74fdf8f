#include "core/settings/run_names.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

#include "core/settings/keys.h"

namespace ropelab {

namespace {

bool label_shows(std::string_view name) {
    static const std::set<std::string_view> shown = [] {
        std::set<std::string_view> names = {
            "theta",          "fraction",       "partial",          "position",         "pairs",
            "rotated_layers", "frequencies",    "theta_training",   "theta_schedule",   "theta_end",
            "attention",      "rope_precision", "attention_window", "attention_layers", "attention_sinks"};
        for (const PositionEncoding& encoding : position_encodings()) {
            for (const PositionEncoding::Own& own : encoding.settings) {
                if (own.is_in_labels()) names.insert(own.key);
            }
        }
        return names;
    }();
    return shown.contains(name);
}

// `shown_by_label` selects the settings that label_of can show, or all others.
void add_differences(std::vector<std::string>& names, const std::vector<RunSpec>& runs,
                     const std::vector<std::size_t>& members, bool shown_by_label) {
    for (const Key& key : keys()) {
        if (label_shows(key.name) != shown_by_label) continue;
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

    std::map<std::string, std::vector<std::size_t>> runs_by_name;
    for (const std::size_t run : all) runs_by_name[names[run]].push_back(run);
    for (const auto& [name, members] : runs_by_name) add_differences(names, runs, members, true);
    return names;
}

}  // namespace ropelab
