#include "core/interop/config/hf_reader.h"

#include <algorithm>
#include <cmath>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/interop/embedded_tables.h"

namespace ropelab {

std::string excerpt(const nlohmann::json& value) {
    if (value.is_array()) return "a list";
    if (value.is_object()) return "an object";
    // A caller, unlike the parser, may pass a string that is not valid UTF-8.
    std::string text = value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
    if (text.size() > 40) text = text.substr(0, 40) + "…";
    return text;
}

namespace {

[[noreturn]] void refuse(const HfFound& found, const std::string& wanted) {
    throw BadInput("In the config.json, " + found.key + " is " + excerpt(*found.value) + ", but it must be " + wanted +
                   ".");
}

double number_of(const HfFound& found, double low, double high) {
    const std::string range = "a number from " + number_text(low) + " to " + number_text(high);
    if (!found.value->is_number()) refuse(found, range);
    const double value = found.value->get<double>();
    if (!(value >= low && value <= high)) refuse(found, range);
    return value;
}

std::int64_t count_of(const HfFound& found, std::int64_t low, std::int64_t high) {
    const std::string range = "a whole number from " + std::to_string(low) + " to " + std::to_string(high);
    if (!found.value->is_number()) refuse(found, range);
    const double value = found.value->get<double>();
    if (!(value >= static_cast<double>(low) && value <= static_cast<double>(high)) || value != std::trunc(value))
        refuse(found, range);
    return static_cast<std::int64_t>(value);
}

}  // namespace

bool HfReader::is_ignored(const std::string& name) const {
    const auto names = defaults_->find("ignored_keys");
    return names != defaults_->end() && std::find(names->begin(), names->end(), name) != names->end();
}

std::optional<HfFound> HfReader::find_in_file(std::initializer_list<const char*> names) const {
    for (const nlohmann::json* object : objects_) {
        for (const char* name : names) {
            const auto found = object->find(name);
            if (found != object->end() && !found->is_null() && !is_ignored(name))
                return HfFound{&*found, name, HfOrigin::file};
        }
    }
    return std::nullopt;
}

std::optional<HfFound> HfReader::find(std::initializer_list<const char*> names) const {
    if (auto found = find_in_file(names)) return found;
    // For transformers, a null in the file means "none" and not "default".
    for (const nlohmann::json* object : objects_) {
        for (const char* name : names) {
            if (object->contains(name) && !is_ignored(name)) return std::nullopt;
        }
    }
    for (const char* name : names) {
        const auto found = defaults_->find(name);
        if (found != defaults_->end()) return HfFound{&*found, name, HfOrigin::library_default};
    }
    return std::nullopt;
}

void HfReader::record(HfValue value) {
    const bool recorded = std::any_of(values_->begin(), values_->end(), [&](const HfValue& old) {
        return old.name == value.name && old.layer_type == value.layer_type && old.text == value.text;
    });
    if (!recorded) values_->push_back(std::move(value));
}

void HfReader::note(const std::string& name, const std::string& text, const HfFound& found) {
    record({name, text, found.origin, found.origin == HfOrigin::file ? found.key : "", layer_type_});
}

void HfReader::note(const std::string& name, const std::string& text, HfOrigin origin) {
    record({name, text, origin, "", layer_type_});
}

std::optional<double> HfReader::number(std::initializer_list<const char*> names, double low, double high,
                                       const char* recorded) {
    const auto found = find(names);
    if (!found) return std::nullopt;
    const double value = number_of(*found, low, high);
    note(recorded ? recorded : *names.begin(), number_text(value), *found);
    return value;
}

std::optional<std::int64_t> HfReader::count(std::initializer_list<const char*> names, std::int64_t low,
                                            std::int64_t high) {
    const auto found = find(names);
    if (!found) return std::nullopt;
    const std::int64_t value = count_of(*found, low, high);
    note(*names.begin(), std::to_string(value), *found);
    return value;
}

std::optional<bool> HfReader::flag(std::initializer_list<const char*> names) {
    const auto found = find(names);
    if (!found) return std::nullopt;
    if (!found->value->is_boolean()) refuse(*found, "true or false");
    note(*names.begin(), found->value->get<bool>() ? "true" : "false", *found);
    return found->value->get<bool>();
}

std::optional<std::string> HfReader::word(std::initializer_list<const char*> names) {
    const auto found = find(names);
    if (!found) return std::nullopt;
    if (!found->value->is_string()) refuse(*found, "a word");
    note(*names.begin(), excerpt(*found->value), *found);
    return found->value->get<std::string>();
}

std::optional<std::vector<double>> HfReader::numbers(std::initializer_list<const char*> names) {
    const auto found = find(names);
    if (!found) return std::nullopt;
    if (!found->value->is_array()) refuse(*found, "a list of numbers");
    std::vector<double> result;
    for (const auto& entry : *found->value) {
        if (!entry.is_number() || !std::isfinite(entry.get<double>()))
            refuse({&entry, found->key, found->origin}, "a list of numbers");
        result.push_back(entry.get<double>());
    }
    note(*names.begin(), std::to_string(result.size()) + " numbers", *found);
    return result;
}

std::vector<const nlohmann::json*> objects_of(const nlohmann::json& config) {
    std::vector<const nlohmann::json*> result = {&config};
    const auto attention = config.find("attn_config");
    if (attention != config.end() && attention->is_object()) result.push_back(&*attention);
    return result;
}

namespace {

const nlohmann::json& defaults_table() {
    static const nlohmann::json table = [] {
        nlohmann::json all = parse_bounded(embedded::library_defaults);
        for (const auto& [key, readers] : all.at("read_by_these_alone").items()) {
            for (const std::string type : all.at("classes_with_listed_keys")) {
                const bool is_read = std::find(readers.begin(), readers.end(), type) != readers.end();
                if (!is_read) all["transformers"][type]["ignored_keys"].push_back(key);
            }
        }
        return all;
    }();
    return table;
}

}  // namespace

bool is_listed(const char* list, const std::string& name) {
    const auto& names = defaults_table().at(list);
    return std::find(names.begin(), names.end(), name) != names.end();
}

const nlohmann::json& library_defaults(const std::string& model_type) {
    static const nlohmann::json nothing = nlohmann::json::object();
    for (const char* source : {"transformers", "own_code"}) {
        const auto& types = defaults_table().at(source);
        if (const auto found = types.find(model_type); found != types.end()) return *found;
    }
    return nothing;
}

std::optional<std::string> unrotated_position(const std::string& model_type) {
    const auto& types = defaults_table().at("without_rotary");
    const auto found = types.find(model_type);
    return found == types.end() ? std::nullopt : std::optional(found->get<std::string>());
}

HfUnrotated is_unrotated_by_type(const nlohmann::json& config, const std::string& model_type) {
    const auto& conditions = defaults_table().at("rotates_only_if");
    const auto condition = conditions.find(model_type);
    if (condition == conditions.end()) return HfUnrotated::no;
    if (condition->is_null()) return HfUnrotated::always;
    const bool misses = std::any_of(condition->items().begin(), condition->items().end(), [&](const auto& item) {
        return config.value(item.key(), nlohmann::json()) != item.value();
    });
    return misses ? HfUnrotated::by_condition : HfUnrotated::no;
}

bool has_library_class(const nlohmann::json& config, const std::string& model_type) {
    const bool is_known = defaults_table().at("transformers").contains(model_type);
    // The code of a model that was there before its class of transformers may have other names (Nomic BERT).
    const bool is_of_own_code = config.contains("n_embd") && !config.contains("hidden_size");
    return is_known && !is_of_own_code && !is_listed("reads_all_names", model_type);
}

std::string rotary_name(const std::string& model_type, const char* key) {
    const auto& names = defaults_table().at("rotary_names");
    const auto type = names.find(model_type);
    return type == names.end() ? key : type->value(key, std::string(key));
}

const nlohmann::json& rotary_of_layers(const std::string& model_type) {
    static const nlohmann::json nothing = nlohmann::json::object();
    const auto& types = defaults_table().at("rotary_of_layers");
    const auto found = types.find(model_type);
    return found == types.end() ? nothing : *found;
}

std::vector<bool> rotating_layers(const nlohmann::json& config, const nlohmann::json& defaults,
                                  const std::string& model_type, const std::vector<std::string>& types) {
    std::vector<HfValue> unused;
    HfReader reader({&config}, defaults, unused);
    std::vector<bool> result(types.size());
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = attends(types[i]);
    const auto thetas = reader.find_in_file({"layer_rope_theta"});  // 0: without rotation (Granite with windows)
    for (std::size_t i = 0; thetas && thetas->value->is_array() && i < std::min(result.size(), thetas->value->size());
         ++i) {
        if ((*thetas->value)[i] == 0) result[i] = false;
    }
    const auto list = reader.find_in_file({"no_rope_layers"});
    if (list && list->value->is_array() && !list->value->empty()) {
        const auto is_flag = [](const nlohmann::json& each) { return each.is_number_integer() || each.is_boolean(); };
        if (list->value->size() != types.size() || !std::all_of(list->value->begin(), list->value->end(), is_flag))
            throw BadInput("The no_rope_layers of the config.json must have a 0 or 1 for each layer.");
        for (std::size_t i = 0; i < result.size(); ++i) {
            const nlohmann::json& flag = (*list->value)[i];
            result[i] = flag.is_boolean() ? flag.get<bool>() : flag != 0;
        }
    } else if (reader.find({"no_rope_layer_interval"}) &&
               (model_type == "smollm3" || model_type.starts_with("llama4"))) {
        const auto interval = static_cast<std::size_t>(reader.count({"no_rope_layer_interval"}, 1, 1 << 20).value());
        for (std::size_t i = interval - 1; i < result.size(); i += interval) result[i] = false;
    } else if (is_listed("rotates_in_sliding_layers", model_type)) {
        const bool has_window = std::find(types.begin(), types.end(), "sliding_attention") != types.end();
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = !has_window || types[i] == "sliding_attention";
    }
    return result;
}

}  // namespace ropelab
