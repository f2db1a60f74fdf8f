#include "core/interop/model_table.h"

#include <algorithm>
#include <set>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/interop/config/hf_config.h"
#include "core/interop/embedded_tables.h"

namespace ropelab {

namespace {

// Letters (in lower case), digits and dots, so that "Llama 3 8B" equals "llama-3-8b".
std::string plain_name(std::string_view name) {
    std::string result;
    for (char c : name) {
        if (c >= 'A' && c <= 'Z') result += static_cast<char>(c - 'A' + 'a');
        if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.') result += c;
    }
    return result;
}

std::string text_at(const nlohmann::json& entry, const char* key, const std::string& which) {
    const auto found = entry.find(key);
    if (found == entry.end() || !found->is_string() || found->get<std::string>().empty())
        throw BadInput("In the model table, " + which + " has no " + key + ".");
    return found->get<std::string>();
}

}  // namespace

std::vector<KnownModel> read_model_table(std::string_view text) {
    const nlohmann::json table = parse_model_config(text, "The model table");
    if (!table.is_array()) throw BadInput("The model table must be a JSON list.");
    std::vector<KnownModel> result;
    std::set<std::string> names;
    for (const auto& entry : table) {
        if (!entry.is_object()) throw BadInput("Each entry of the model table must be an object.");
        const std::string which = "entry " + std::to_string(result.size() + 1);
        KnownModel model;
        model.name = text_at(entry, "name", which);
        model.family = text_at(entry, "family", model.name);
        model.source = text_at(entry, "source", model.name);
        if (entry.contains("shape_source")) model.shape_source = text_at(entry, "shape_source", model.name);
        if (entry.contains("published_parameters")) {
            const auto& number = entry.at("published_parameters");
            if (!number.is_number_integer() || number.get<std::int64_t>() < 1) {
                throw BadInput("In the model table, the published_parameters of " + model.name +
                               " must be a positive whole number.");
            }
            model.published_parameters = number.get<std::int64_t>();
            model.published_in = text_at(entry, "published_in", model.name);
        }
        const auto config = entry.find("config");
        if (config == entry.end() || !config->is_object())
            throw BadInput("In the model table, " + model.name + " has no config.");
        model.config = *config;
        if (!names.insert(plain_name(model.name)).second)
            throw BadInput("The model table has two models named " + model.name + ".");
        result.push_back(std::move(model));
    }
    return result;
}

const std::vector<KnownModel>& model_table() {
    static const std::vector<KnownModel> table = read_model_table(embedded::models);
    return table;
}

const KnownModel& known_model(std::string_view name) {
    const std::string wanted = plain_name(name);
    const auto& table = model_table();
    const auto found = std::find_if(table.begin(), table.end(),
                                    [&](const KnownModel& model) { return plain_name(model.name) == wanted; });
    if (found != table.end()) return *found;
    std::vector<std::string_view> names;
    for (const KnownModel& model : table) names.push_back(model.name);
    std::string spaced(name);
    std::ranges::replace(spaced, '-', ' ');
    throw BadInput("There is no model \"" + std::string(name) + "\" in the table" + hint(spaced, names, "", ";") +
                   " \"ropelab-cli anatomy --list\" lists all.");
}

}  // namespace ropelab
