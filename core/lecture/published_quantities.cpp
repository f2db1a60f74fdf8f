#include <algorithm>

#include "core/lecture/lecture_yaml.h"
#include "core/lecture/quantity_table.h"
#include "core/reproduce/sheets/published.h"
#include "core/spec/error.h"
#include "core/spec/numbers.h"

namespace ropelab {

namespace {

const nlohmann::json& publication(std::string name) {
    std::replace(name.begin(), name.end(), '-', '_');
    if (name == "theta_paper") return theta_paper();
    if (name == "partial_rope_paper") return partial_rope_paper();
    if (name == "post") return post();
    if (name == "glu_variants") return glu_variants();
    throw BadInput("There are no published values \"" + shortened(name) +
                   "\"; they are theta_paper, partial_rope_paper, post and glu_variants.");
}

/// Returns whether a row of a table has this value: a number is compared as a number.
bool row_has_value(const nlohmann::json& row, const std::string& member, const std::string& text) {
    if (!row.is_object() || !row.contains(member)) return false;
    const nlohmann::json& value = row.at(member);
    if (value.is_string()) return value.get<std::string>() == text;
    return value.is_number() && value.get<double>() == parse_number(text);
}

std::string member_names(const nlohmann::json& node) {
    std::string names;
    if (node.is_object()) {
        for (const auto& [name, value] : node.items()) names += (names.empty() ? "" : ", ") + name;
    } else if (node.is_array() && !node.empty() && node.front().is_object()) {
        for (const auto& [name, value] : node.front().items()) names += (names.empty() ? "" : ", ") + name + "=…";
    }
    return names;
}

const nlohmann::json& member_of(const nlohmann::json& node, const std::string& step) {
    if (node.is_object() && node.contains(step)) return node.at(step);
    if (node.is_array()) {
        const std::size_t equals = step.find('=');
        for (const nlohmann::json& row : node) {
            if (equals != std::string::npos && row_has_value(row, step.substr(0, equals), step.substr(equals + 1))) {
                return row;
            }
        }
    }
    const std::string names = member_names(node);
    throw BadInput("The published values have no \"" + shortened(step) + "\" there" +
                   (names.empty() ? "." : "; there are " + shortened(names, 300) + "."));
}

const nlohmann::json& published_node(const QuantityInput& input) {
    const nlohmann::json* node = &publication(input.arguments.text("sheet"));
    std::string path = input.arguments.text("row");
    if (input.arguments.has("column")) path += "/" + input.arguments.text("column");
    for (std::size_t start = 0; start <= path.size();) {
        const std::size_t end = std::min(path.find('/', start), path.size());
        node = &member_of(*node, path.substr(start, end - start));
        start = end + 1;
    }
    return *node;
}

nlohmann::json published_number(const nlohmann::json& node, std::initializer_list<const char*> members) {
    if (node.is_number()) return node;
    for (const char* member : members) {
        if (node.is_object() && node.contains(member) && node.at(member).is_number()) return node.at(member);
    }
    throw BadInput("The published value is not a number; its members are " + shortened(member_names(node), 300) + ".");
}

nlohmann::json spread_of(const nlohmann::json& node) {
    if (node.is_number()) throw BadInput("The published value has no spread.");
    return published_number(node, {"std", "stderr"});
}

constexpr const char* place_words =
    " The row is a path of names and of key=value, separated by \"/\", such as "
    "table_2/tinyshakespeare/theta=500; the column is a path within it, such as best_validation_loss.";

}  // namespace

std::vector<Quantity> published_quantities() {
    const auto described = [](const std::string& text) { return text + place_words; };
    const auto mean = [](const QuantityInput& input) { return published_number(published_node(input), {"mean"}); };
    return {
        {{"published", "(sheet, row[, column])", "as printed",
          described("Printed value of theta_paper, partial_rope_paper, post or glu_variants; the mean where a spread "
                    "was printed.")},
         mean,
         true},
        {{"published_mean", "(sheet, row[, column])", "as printed", described("Printed mean.")}, mean, true},
        {{"published_spread", "(sheet, row[, column])", "as printed",
          described("Printed standard deviation or standard error.")},
         [](const QuantityInput& input) { return spread_of(published_node(input)); },
         true},
    };
}

}  // namespace ropelab
