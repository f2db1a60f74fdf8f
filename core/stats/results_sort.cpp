#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/results_table.h"

namespace ropelab {

namespace {

// Sort key of a group. Numbers come before words, and missing values come last.
struct Rank {
    std::optional<double> number;
    std::string word;

    bool is_missing() const { return !number && word.empty(); }
};

bool before(const Rank& a, const Rank& b) {
    if (a.number && b.number) return *a.number < *b.number;
    if (a.number || b.number) return a.number.has_value();
    return a.word < b.word;
}

Rank rank_of(const std::optional<double>& number) {
    return {number && std::isfinite(*number) ? number : std::nullopt, {}};
}

Rank rank_of(const nlohmann::json& setting) {
    if (setting.is_null()) return {};
    if (setting.is_number()) return rank_of(std::optional(setting.get<double>()));
    return {std::nullopt, setting_text(setting)};
}

Rank rank_of(const ResultsTable& table, const ResultGroup& group, const std::string& by) {
    if (std::find(table.swept.begin(), table.swept.end(), by) != table.swept.end()) {
        return rank_of(group.settings.at(by));
    }
    if (by == "n") return rank_of(std::optional(static_cast<double>(group.summaries.size())));
    if (by == "improvement") return rank_of(group.improvement_percent);
    if (by == "iterations_until") return rank_of(std::optional(group.until.mean));
    if (by == "p_student") return rank_of(group.student.p);
    if (by == "p_welch") return rank_of(group.welch.p);
    if (by == "p_paired") return rank_of(group.paired.p);
    return rank_of(std::optional(group.described[measure_index(by)].mean));
}

void check(const ResultsTable& table, const std::string& by) {
    std::vector<std::string_view> known(table.swept.begin(), table.swept.end());
    for (const Measure& measure : measures()) known.push_back(measure.name);
    for (const char* name : {"n", "improvement", "iterations_until", "p_student", "p_welch", "p_paired"}) {
        known.emplace_back(name);
    }
    if (std::find(known.begin(), known.end(), by) != known.end()) return;
    throw BadInput("The table cannot be sorted by \"" + by + "\"; did you mean " + nearest(by, known) + "?");
}

}  // namespace

void sort_groups(ResultsTable& table, const std::string& by) {
    const bool descending = !by.empty() && by.front() == '-';
    const std::string name = by.substr(descending ? 1 : 0);
    check(table, name);
    std::vector<Rank> ranks;
    for (const ResultGroup& group : table.groups) ranks.push_back(rank_of(table, group, name));
    std::vector<std::size_t> order(table.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (ranks[a].is_missing() || ranks[b].is_missing()) return !ranks[a].is_missing() && ranks[b].is_missing();
        return descending ? before(ranks[b], ranks[a]) : before(ranks[a], ranks[b]);
    });
    std::vector<ResultGroup> groups;
    std::vector<std::size_t> places(order.size());  // new index of each group by its old index
    for (const std::size_t index : order) {
        places[index] = groups.size();
        groups.push_back(std::move(table.groups[index]));
    }
    for (ResultGroup& group : groups) {
        if (group.against) group.against = places[*group.against];
    }
    table.groups = std::move(groups);
    if (!places.empty()) table.baseline = places[table.baseline];
}

}  // namespace ropelab
