#include "core/stats/setting_words.h"

#include <algorithm>
#include <cmath>

#include "core/spec/numbers.h"
#include "core/spec/run_spec.h"
#include "core/stats/results_cells.h"

namespace ropelab {

std::string setting_title(const std::string& key) {
    if (key == "theta") return "θ";
    std::string title = key;
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

std::string setting_words(const std::string& key, const nlohmann::json& value, int head_dim) {
    if (value.is_null()) return missing_cell;
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (!value.is_number()) {
        const std::string text = setting_text(value);
        return key == "data" ? text.substr(text.rfind('/') + 1) : text;  // a file without its folder
    }
    const double number = value.get<double>();
    if (key == "attention_window" && number == 0) return "full context";
    if (key == "fraction") return fraction_text(number, head_dim);
    return std::abs(number) < 1 ? number_text(number) : short_number(number);
}

int head_dim_of(const ResultsTable& table, const ResultGroup& group) {
    const auto value = [&](const char* name) -> std::int64_t {
        const auto own = group.settings.find(name);
        const auto shared = table.shared.find(name);
        const nlohmann::json* found = own != group.settings.end()    ? &own->second
                                      : shared != table.shared.end() ? &shared->second
                                                                     : nullptr;
        return found && found->is_number_integer() ? found->get<std::int64_t>() : 0;
    };
    const std::int64_t width = value("width");
    const std::int64_t heads = value("heads");
    const bool is_known = width > 0 && heads > 0 && width % (2 * heads) == 0 && width <= 1'000'000;
    return is_known ? static_cast<int>(width / heads) : 0;
}

int head_dim_of(const ResultsTable& table) {
    const int first = table.groups.empty() ? 0 : head_dim_of(table, table.groups.front());
    const bool is_same = std::all_of(table.groups.begin(), table.groups.end(),
                                     [&](const ResultGroup& group) { return head_dim_of(table, group) == first; });
    return is_same ? first : 0;
}

std::string group_setting_words(const ResultsTable& table, const ResultGroup& group, const std::string& key) {
    return setting_words(key, group.settings.at(key), head_dim_of(table, group));
}

std::string group_words(const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return group_name(table, group);
    std::string result;
    for (const std::string& key : table.swept) {
        result += (result.empty() ? "" : ", ") + setting_title(key) + " = " + group_setting_words(table, group, key);
    }
    return result.empty() ? "all runs" : result;
}

}  // namespace ropelab
