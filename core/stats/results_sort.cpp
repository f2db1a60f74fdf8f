#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/spec/error.h"
#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

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

Rank rank_of(const ResultsColumn& column, const ResultGroup& group) {
    return column.number ? rank_of(column.number(group)) : rank_of(group.settings.at(column.sort));
}

ResultsColumn sort_column(const ResultsTable& table, const std::string& by) {
    const std::vector<ResultsColumn> columns = results_columns(table);
    std::vector<std::string_view> known;
    for (const ResultsColumn& column : columns) {
        if (column.sort.empty()) continue;
        if (column.sort == by) return column;
        known.push_back(column.sort);
    }
    throw BadInput("The table cannot be sorted by \"" + by + "\"; did you mean " + nearest(by, known) + "?");
}

// Puts the groups in this order of their indices.
void arrange(ResultsTable& table, const std::vector<std::size_t>& order) {
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

std::vector<std::size_t> present_order(const ResultsTable& table) {
    std::vector<std::size_t> order(table.groups.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    return order;
}

}  // namespace

void sort_by_settings(ResultsTable& table) {
    std::vector<std::size_t> order = present_order(table);
    for (auto key = table.swept.rbegin(); key != table.swept.rend(); ++key) {
        const auto value = [&](std::size_t group) -> const nlohmann::json& {
            return table.groups[group].settings.at(*key);
        };
        const bool are_numbers =
            std::all_of(order.begin(), order.end(), [&](std::size_t group) { return value(group).is_number(); });
        std::vector<double> ranks;
        for (std::size_t group = 0; group < table.groups.size(); ++group) {
            std::size_t first = 0;  // group with the same word
            while (value(first) != value(group)) ++first;
            ranks.push_back(are_numbers ? value(group).get<double>() : static_cast<double>(first));
        }
        std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return ranks[a] < ranks[b]; });
    }
    arrange(table, order);
}

void sort_groups(ResultsTable& table, const std::string& by) {
    const bool descending = !by.empty() && by.front() == '-';
    const ResultsColumn column = sort_column(table, by.substr(descending ? 1 : 0));
    std::vector<Rank> ranks;
    for (const ResultGroup& group : table.groups) ranks.push_back(rank_of(column, group));
    std::vector<std::size_t> order = present_order(table);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        if (ranks[a].is_missing() || ranks[b].is_missing()) return !ranks[a].is_missing() && ranks[b].is_missing();
        return descending ? before(ranks[b], ranks[a]) : before(ranks[a], ranks[b]);
    });
    arrange(table, order);
}

}  // namespace ropelab
