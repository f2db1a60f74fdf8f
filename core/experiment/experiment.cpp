#include "core/experiment/experiment.h"

#include <algorithm>

#include "core/spec/error.h"

namespace ropelab {

namespace {

// A JSON value of a key as the text that a person would type.
std::string text_of(std::string_view key, const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_boolean()) return value.get<bool>() ? "true" : "false";
    if (value.is_number()) return number_text(value.get<double>());
    throw BadInput("The key " + std::string(key) + " takes a number, a word, true or false, or a list of them, not " +
                   value.dump() + ".");
}

// Numbers go out as numbers, so that "10k" and 10000 are one description; "6 ch" stays text until the run is known.
nlohmann::json json_of(const Key& key, const std::string& text) {
    const RunSpec defaults;
    const Value sample = key.get(defaults);
    if (std::holds_alternative<std::string>(sample)) return text;
    if (std::holds_alternative<bool>(sample)) return text == "true" || text == "1";
    if (text.ends_with("ch")) return text;
    const Value value = parse_value(key, text, defaults);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    return std::get<double>(value);
}

void apply(RunSpec& spec, std::string_view name, const std::string& text) {
    const Key& entry = key(name);
    entry.set(spec, parse_value(entry, text, spec));
}

// Whether a text can be a value of the key at all; what depends on other keys waits for expand().
void check_value(const Key& key, const std::string& text) {
    RunSpec scratch;
    if (key.name == "fraction" && text.ends_with("ch")) {
        parse_number(std::string_view(text).substr(0, text.size() - 2));
        return;
    }
    key.set(scratch, parse_value(key, text, scratch));
}

}  // namespace

Experiment Experiment::from_json(const nlohmann::json& json) {
    if (!json.is_object())
        throw BadInput("An experiment is a JSON object of keys and values, like {\"theta\": [500, 10000]}.");
    Experiment result;
    for (const auto& [name, value] : json.items()) {
        if (name == "name") {
            if (!value.is_string()) throw BadInput("An experiment's name is a text, not " + value.dump() + ".");
            result.name_ = value.get<std::string>();
        } else if (name == "runs") {
            if (!value.is_array()) throw BadInput("The key runs takes a list of objects, like [{\"theta\": 100}].");
            std::vector<std::map<std::string, std::string>> runs;
            for (const auto& entry : value) {
                if (!entry.is_object())
                    throw BadInput("The key runs takes a list of objects, like [{\"theta\": 100}].");
                std::map<std::string, std::string> run;
                for (const auto& [run_key, run_value] : entry.items()) run[run_key] = text_of(run_key, run_value);
                runs.push_back(std::move(run));
            }
            result.set_explicit_runs(std::move(runs));
        } else if (!value.is_null()) {
            std::vector<std::string> texts;
            if (value.is_array()) {
                for (const auto& entry : value) texts.push_back(text_of(name, entry));
            } else {
                texts.push_back(text_of(name, value));
            }
            result.set(name, std::move(texts));
        } else {
            key(name);  // an unknown key is refused whatever its value
        }
    }
    return result;
}

Experiment Experiment::from_text(std::string_view text) {
    try {
        return from_json(nlohmann::json::parse(text));
    } catch (const nlohmann::json::parse_error& error) {
        throw BadInput("The experiment is not JSON: near byte " + std::to_string(error.byte) +
                       " something else is expected; a small one is {\"theta\": [500, 10000]}.");
    }
}

nlohmann::json Experiment::to_json() const {
    nlohmann::json json = nlohmann::json::object();
    if (!name_.empty()) json["name"] = name_;
    for (const auto& [name, texts] : settings_) {
        const Key& entry = key(name);
        if (texts.size() == 1) {
            json[name] = json_of(entry, texts.front());
        } else {
            for (const std::string& text : texts) json[name].push_back(json_of(entry, text));
        }
    }
    for (const auto& run : explicit_runs_) {
        nlohmann::json object = nlohmann::json::object();
        for (const auto& [name, text] : run) object[name] = json_of(key(name), text);
        json["runs"].push_back(std::move(object));
    }
    return json;
}

std::vector<std::string> Experiment::values(std::string_view name) const {
    const auto found = settings_.find(std::string(name));
    if (found != settings_.end()) return found->second;
    return {to_text(key(name).get(RunSpec{}))};
}

void Experiment::set(std::string_view name, std::vector<std::string> values) {
    const Key& entry = key(name);
    for (const std::string& text : values) check_value(entry, text);
    if (values.empty()) {
        settings_.erase(std::string(name));
    } else {
        settings_[std::string(name)] = std::move(values);
    }
}

void Experiment::set_assignment(std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw BadInput("\"" + std::string(assignment) + "\" sets nothing; write key=value or key=value,value.");
    }
    std::vector<std::string> values;
    std::string_view rest = assignment.substr(equals + 1);
    while (true) {
        const auto comma = rest.find(',');
        if (!rest.substr(0, comma).empty()) values.emplace_back(rest.substr(0, comma));
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    const std::string name(assignment.substr(0, equals));
    key(name);
    if (values.empty()) throw BadInput("The key " + name + " has no value; write " + name + "=value.");
    // What is set by hand stands above the explicit runs of a preset.
    for (auto& run : explicit_runs_) run.erase(name);
    std::vector<std::map<std::string, std::string>> distinct;
    for (const auto& run : explicit_runs_) {
        if (std::find(distinct.begin(), distinct.end(), run) == distinct.end()) distinct.push_back(run);
    }
    explicit_runs_ = std::move(distinct);
    if (explicit_runs_.size() == 1 && explicit_runs_.front().empty()) explicit_runs_.clear();
    set(name, std::move(values));
}

void Experiment::set_explicit_runs(std::vector<std::map<std::string, std::string>> runs) {
    for (const auto& run : runs) {
        for (const auto& [name, text] : run) check_value(key(name), text);
    }
    explicit_runs_ = std::move(runs);
}

std::vector<RunSpec> Experiment::expand() const {
    // Explicit runs first, then each swept key in the table's order: the first varies slowest.
    std::vector<std::map<std::string, std::string>> choices = explicit_runs_;
    if (choices.empty()) choices.emplace_back();
    for (const Key& entry : keys()) {
        const auto found = settings_.find(std::string(entry.name));
        if (found == settings_.end()) continue;
        std::vector<std::map<std::string, std::string>> next;
        for (const auto& choice : choices) {
            for (const std::string& text : found->second) {
                next.push_back(choice);
                next.back().try_emplace(std::string(entry.name), text);
                if (choice.contains(std::string(entry.name))) break;  // the run's own value stands
            }
        }
        choices = std::move(next);
    }

    std::vector<RunSpec> runs;
    for (const auto& choice : choices) {
        RunSpec spec;
        // In the table's order, so that the head dimension is known when "6 ch" is read.
        for (const Key& entry : keys()) {
            const auto found = choice.find(std::string(entry.name));
            if (found != choice.end()) apply(spec, entry.name, found->second);
        }
        check(spec);
        runs.push_back(std::move(spec));
    }
    return runs;
}

nlohmann::json to_json(const RunSpec& spec) {
    nlohmann::json json = nlohmann::json::object();
    for (const Key& entry : keys()) {
        std::visit([&](const auto& value) { json[std::string(entry.name)] = value; }, entry.get(spec));
    }
    return json;
}

RunSpec run_spec_from_json(const nlohmann::json& json) {
    if (!json.is_object()) throw BadInput("A run's settings are a JSON object.");
    RunSpec spec;
    for (const Key& entry : keys()) {
        const auto found = json.find(std::string(entry.name));
        if (found != json.end() && !found->is_null()) apply(spec, entry.name, text_of(entry.name, *found));
    }
    return spec;
}

std::vector<std::vector<std::size_t>> group_into_cohorts(const std::vector<RunSpec>& runs) {
    std::vector<std::vector<std::size_t>> cohorts;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto home = std::find_if(cohorts.begin(), cohorts.end(), [&](const std::vector<std::size_t>& cohort) {
            return same_shape(runs[cohort.front()], runs[i]);
        });
        if (home == cohorts.end()) {
            cohorts.push_back({i});
        } else {
            home->push_back(i);
        }
    }
    return cohorts;
}

}  // namespace ropelab
