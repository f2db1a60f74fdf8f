#include "core/stats/setting_words.h"

#include <algorithm>
#include <cmath>

#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

std::string setting_title(const std::string& key) {
    if (key == "theta") return "θ";
    std::string title = key;
    std::replace(title.begin(), title.end(), '_', ' ');
    return title;
}

std::string setting_words(const std::string& key, const nlohmann::json& value) {
    if (value.is_null()) return missing_cell;
    if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
    if (!value.is_number()) {
        const std::string text = setting_text(value);
        return key == "data" ? text.substr(text.rfind('/') + 1) : text;  // a file without its folder
    }
    const double number = value.get<double>();
    if (key == "attention_window" && number == 0) return "full context";
    if (key == "fraction") return number_text(std::round(1e6 * number) / 1e4) + " %";
    return std::abs(number) < 1 ? number_text(number) : short_number(number);
}

std::string group_words(const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return group_name(table, group);
    std::string result;
    for (const std::string& key : table.swept) {
        result +=
            (result.empty() ? "" : ", ") + setting_title(key) + " = " + setting_words(key, group.settings.at(key));
    }
    return result.empty() ? "all runs" : result;
}

}  // namespace ropelab
