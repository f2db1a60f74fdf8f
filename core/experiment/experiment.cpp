#include "core/experiment/experiment.h"

#include <algorithm>
#include <set>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/data/json_text.h"
#include "core/data/utf8.h"

namespace ropelab {

namespace {

// As numbers, "10k" and 10000 are equal; "6 ch" stays a string, because its fraction depends on the head dimension.
nlohmann::json json_of(const Key& key, const std::string& text) {
    const RunSpec defaults;
    const Value sample = key.get(defaults);
    if (std::holds_alternative<std::string>(sample)) return text;
    if (std::holds_alternative<bool>(sample)) {
        RunSpec spec;
        key.set(spec, parse_value(key, text, spec));  // a word such as "projection" stays a string
        return std::visit([](const auto& value) { return nlohmann::json(value); }, key.get(spec));
    }
    if (text.ends_with("ch")) return text;
    const Value value = parse_value(key, text, defaults);
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return *whole;
    return std::get<double>(value);
}

// Throws BadInput otherwise. Dependencies on other settings are checked by expand().
void check_value(const Key& key, const std::string& text) {
    RunSpec scratch;
    if (key.name == "fraction" && text.ends_with("ch")) {
        parse_number(std::string_view(text).substr(0, text.size() - 2));
        return;
    }
    key.set(scratch, parse_value(key, text, scratch));
    if (const auto invalid = first_invalid_utf8(text)) {
        throw BadInput("The value of " + std::string(key.name) + " is not valid UTF-8 at byte offset " +
                       std::to_string(*invalid) + ", so it cannot be stored; rename the file.");
    }
}

// "runs" and "exclude".
std::vector<std::map<std::string, std::string>> sets_from_json(const std::string& name, const nlohmann::json& json) {
    const auto refusal = [&] {
        return BadInput("The value of " + name + " must be a list of objects, such as [{\"theta\": 100}], not " +
                        json.dump() + ".");
    };
    if (!json.is_array()) throw refusal();
    std::vector<std::map<std::string, std::string>> sets;
    for (const auto& entry : json) {
        if (!entry.is_object()) throw refusal();
        std::map<std::string, std::string>& set = sets.emplace_back();
        for (const auto& [key, value] : entry.items()) set[key] = typed_text(key, value);
    }
    return sets;
}

nlohmann::json json_of(const std::map<std::string, std::string>& set) {
    nlohmann::json object = nlohmann::json::object();
    for (const auto& [name, text] : set) object[name] = json_of(key(name), text);
    return object;
}

std::vector<std::vector<std::string>> zips_from_json(const nlohmann::json& json) {
    const auto refusal = [&] {
        return BadInput(
            "The value of zip, which names settings that vary together, must be a list of lists, such as [[\"theta\", "
            "\"context\"]], not " +
            json.dump() + ".");
    };
    if (!json.is_array()) throw refusal();
    std::vector<std::vector<std::string>> zips;
    for (const auto& entry : json) {
        if (!entry.is_array()) throw refusal();
        std::vector<std::string>& zip = zips.emplace_back();
        for (const auto& name : entry) {
            if (!name.is_string()) throw refusal();
            zip.push_back(name.get<std::string>());
        }
    }
    return zips;
}

// Without empty parts.
std::vector<std::string> names_in(std::string_view text) {
    std::vector<std::string> names = parts_of(text);
    std::erase(names, "");
    return names;
}

// A range "a..b" of a setting of whole numbers stands for all numbers from a to b.
void append_values(std::vector<std::string>& values, const Key& key, const std::string& part) {
    const Value sample = key.get(RunSpec{});
    if (std::holds_alternative<std::string>(sample)) return values.push_back(part);
    const std::string name(key.name);
    const bool has_digits = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    if (!values.empty() && has_digits && part.size() == 3 && part.front() == '0') {
        throw BadInput("A comma separates the values of " + name + ", so that " + part +
                       " would be a value of its own; write thousands without a comma, such as 10000 or 10k.");
    }
    const std::size_t dash = part.find('-');
    const auto is_number = [](std::string_view text) {
        return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (dash != std::string::npos && std::holds_alternative<std::int64_t>(sample) &&
        is_number(std::string_view(part).substr(0, dash)) && is_number(std::string_view(part).substr(dash + 1))) {
        throw BadInput("\"" + part + "\" is not a number; the range is written " + name + "=" + part.substr(0, dash) +
                       ".." + part.substr(dash + 1) + ".");
    }
    const auto dots = part.find("..");
    if (dots == std::string::npos) return values.push_back(part);
    if (!std::holds_alternative<std::int64_t>(sample)) {
        throw BadInput("\"" + part + "\" is a range, but " + name +
                       " is not a setting of whole numbers; list its values, or add --search to sample them.");
    }
    const auto end_of_range = [&](const std::string& text) {
        RunSpec spec;
        key.set(spec, parse_value(key, trimmed(text), spec));  // throws for a number that is too large
        return std::get<std::int64_t>(key.get(spec));
    };
    const std::int64_t first = end_of_range(part.substr(0, dots));
    const std::int64_t last = end_of_range(part.substr(dots + 2));
    constexpr std::int64_t most = 10000;
    if (last < first || last - first >= most) {
        throw BadInput("The range \"" + part + "\" of " + name + " must ascend and have at most " +
                       std::to_string(most) + " numbers, such as " + name + "=1..10.");
    }
    for (std::int64_t value = first; value <= last; ++value) values.push_back(std::to_string(value));
}

using Assignments = std::map<std::string, std::string>;

constexpr std::size_t most_runs = 20'000;

// In the order of the table of settings, so that the head dimension is known when a fraction such as "6 ch" is parsed.
RunSpec spec_of(const Assignments& choice) {
    RunSpec spec;
    for (const Key& entry : keys()) {
        const auto found = choice.find(std::string(entry.name));
        if (found != choice.end()) entry.set(spec, parse_value(entry, found->second, spec));
    }
    check(spec);
    return spec;
}

// False for a value that is invalid for the run, such as more channels than its heads have.
bool has_value(const RunSpec& spec, const Key& key, const std::string& text) {
    RunSpec changed = spec;
    try {
        key.set(changed, parse_value(key, text, spec));
    } catch (const BadInput&) {
        return false;
    }
    return changed == spec;
}

bool has_all(const RunSpec& spec, const Assignments& assignments) {
    return std::all_of(assignments.begin(), assignments.end(),
                       [&](const auto& each) { return has_value(spec, key(each.first), each.second); });
}

void check_zip(const std::vector<std::string>& zip, const Experiment& experiment) {
    const std::size_t count = experiment.values(zip.front()).size();
    for (const std::string& name : zip) {
        const std::size_t here = experiment.values(name).size();
        if (here != count) {
            throw BadInput("Settings that vary together (zip) must have equal numbers of values, but " + zip.front() +
                           " has " + std::to_string(count) + " and " + name + " has " + std::to_string(here) + ".");
        }
        for (const Assignments& run : experiment.explicit_runs()) {
            if (run.contains(name)) {
                throw BadInput("The setting " + name + " varies together with other settings (zip: " + joined(zip) +
                               ") and is also set in the list of explicit runs; remove it from one of the two.");
            }
        }
    }
}

}  // namespace

Experiment Experiment::from_json(const nlohmann::json& json) {
    if (!json.is_object())
        throw BadInput("An experiment must be a JSON object of settings, such as {\"theta\": [500, 10000]}.");
    Experiment result;
    for (const auto& [name, value] : json.items()) {
        if (name == "name") {
            if (!value.is_string())
                throw BadInput("The name of an experiment must be a string, not " + value.dump() + ".");
            result.name_ = value.get<std::string>();
        } else if (name == "runs") {
            result.set_explicit_runs(sets_from_json(name, value));
        } else if (name == "zip") {
            result.set_zips(zips_from_json(value));
        } else if (name == "exclude") {
            result.set_exclusions(sets_from_json(name, value));
        } else if (!value.is_null()) {
            std::vector<std::string> texts;
            if (value.is_array()) {
                for (const auto& entry : value) texts.push_back(typed_text(name, entry));
            } else {
                texts.push_back(typed_text(name, value));
            }
            // An experiment may use an earlier and the current name of a setting.
            const std::string current(key(name).name);
            if (result.is_set(current)) {
                throw BadInput("The experiment sets " + current + " twice, the second time under the name " + name +
                               "; set it once.");
            }
            result.set(name, std::move(texts));
        } else {
            key(name);  // throws BadInput for an unknown key
        }
    }
    return result;
}

Experiment Experiment::from_text(std::string_view text) {
    try {
        return from_json(parse_unique(text, "The experiment"));
    } catch (const nlohmann::json::parse_error& error) {
        throw BadInput("The experiment is not JSON: " + trouble_of(error) +
                       "; a valid experiment is {\"theta\": [500, 10000]}.");
    } catch (const nlohmann::json::out_of_range&) {
        throw BadInput(
            "The experiment contains a number beyond 1e308, the largest that double precision can represent.");
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
    for (const auto& run : explicit_runs_) json["runs"].push_back(json_of(run));
    if (!zips_.empty()) json["zip"] = zips_;
    for (const auto& exclusion : exclusions_) json["exclude"].push_back(json_of(exclusion));
    return json;
}

std::vector<std::string> Experiment::values(std::string_view name) const {
    const auto found = settings_.find(std::string(key(name).name));
    if (found != settings_.end()) return found->second;
    return {to_text(key(name).get(RunSpec{}))};
}

void Experiment::set(std::string_view name, std::vector<std::string> values) {
    const Key& entry = key(name);
    if (values.size() > most_runs) {
        throw BadInput("The setting " + std::string(name) + " has " + std::to_string(values.size()) +
                       " values, but an experiment has at most " + std::to_string(most_runs) + " runs.");
    }
    for (std::string& text : values) {
        check_value(entry, text);
        text = current_value(entry.name, std::move(text));
    }
    if (values.empty()) {
        settings_.erase(std::string(entry.name));
    } else {
        settings_[std::string(entry.name)] = std::move(values);
    }
}

void Experiment::set_assignment(std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) {
        throw BadInput("\"" + std::string(assignment) + "\" is not an assignment; write key=value or key=value,value.");
    }
    const Key& entry = key(assignment.substr(0, equals));
    const std::string name(entry.name);
    std::vector<std::string> values;
    for (const std::string& part : names_in(assignment.substr(equals + 1))) append_values(values, entry, part);
    if (values.empty()) throw BadInput("The setting " + name + " has no value; write " + name + "=value.");
    // An explicit assignment overrides the explicit runs of a preset.
    for (auto& run : explicit_runs_) run.erase(name);
    std::vector<std::map<std::string, std::string>> distinct;
    for (const auto& run : explicit_runs_) {
        if (std::find(distinct.begin(), distinct.end(), run) == distinct.end()) distinct.push_back(run);
    }
    explicit_runs_ = std::move(distinct);
    if (explicit_runs_.size() == 1 && explicit_runs_.front().empty()) explicit_runs_.clear();
    set(name, std::move(values));
}

void Experiment::set_assignments(const std::vector<std::string>& assignments) {
    std::set<std::string> seen;
    for (const std::string& assignment : assignments) {
        set_assignment(assignment);
        const std::string name(key(assignment.substr(0, assignment.find('='))).name);
        if (!seen.insert(name).second) {
            throw BadInput("The setting " + name +
                           " is set twice; set it once, with commas between several values: " + name + "=value,value.");
        }
    }
}

void Experiment::set_explicit_runs(std::vector<std::map<std::string, std::string>> runs) {
    for (const auto& run : runs) {
        for (const auto& [name, text] : run) check_value(key(name), text);
    }
    explicit_runs_.clear();
    for (const auto& run : runs) explicit_runs_.push_back(current_settings(run));
}

void Experiment::set_zips(std::vector<std::vector<std::string>> zips) {
    std::set<std::string> seen;
    for (auto& zip : zips) {
        for (std::string& name : zip) {
            name = key(name).name;
            if (!seen.insert(name).second) {
                throw BadInput("The setting " + name + " occurs twice in zip; a setting can belong to one list only.");
            }
        }
        if (zip.size() < 2) {
            throw BadInput(
                "A list of settings that vary together (zip) needs at least two settings, such as theta,context, not "
                "\"" +
                (zip.empty() ? std::string() : zip.front()) + "\".");
        }
    }
    zips_ = std::move(zips);
}

void Experiment::add_zip(std::string_view names) {
    auto zips = zips_;
    zips.push_back(names_in(names));
    set_zips(std::move(zips));
}

void Experiment::set_exclusions(std::vector<std::map<std::string, std::string>> exclusions) {
    for (const auto& exclusion : exclusions) {
        if (exclusion.empty())
            throw BadInput(
                "An exclusion must name a setting and its value, written key=value; without a setting it would remove "
                "every run.");
        for (const auto& [name, text] : exclusion) check_value(key(name), text);
    }
    exclusions_.clear();
    for (const auto& exclusion : exclusions) exclusions_.push_back(current_settings(exclusion));
}

void Experiment::add_exclusion(std::string_view assignments) {
    auto exclusions = exclusions_;
    std::map<std::string, std::string>& exclusion = exclusions.emplace_back();
    for (const std::string& part : names_in(assignments)) {
        const auto equals = part.find('=');
        if (equals == std::string::npos || equals == 0 || equals + 1 == part.size()) {
            throw BadInput("\"" + part + "\" is not an exclusion; write key=value or key=value,key=value.");
        }
        const std::string name(trimmed(std::string_view(part).substr(0, equals)));
        const std::string value(trimmed(std::string_view(part).substr(equals + 1)));
        if (name.empty() || value.empty() || !exclusion.emplace(name, value).second) {
            throw BadInput("\"" + part +
                           "\" is not an exclusion; each setting in an exclusion needs exactly one value and can occur "
                           "only once.");
        }
    }
    set_exclusions(std::move(exclusions));
}

std::string assignments_text(const std::map<std::string, std::string>& assignments) {
    return joined(assignments, ", ", [](const auto& each) { return each.first + " = " + each.second; });
}

std::vector<std::vector<std::size_t>> group_into_cohorts(const std::vector<RunSpec>& runs) {
    std::vector<std::vector<std::size_t>> cohorts;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const auto match = std::find_if(cohorts.begin(), cohorts.end(), [&](const std::vector<std::size_t>& cohort) {
            return same_shape(runs[cohort.front()], runs[i]);
        });
        if (match == cohorts.end()) {
            cohorts.push_back({i});
        } else {
            match->push_back(i);
        }
    }
    return cohorts;
}

std::vector<RunSpec> Experiment::expand() const {
    // Explicit runs, times each swept setting in the order of the table, so that the first one varies slowest.
    std::vector<Assignments> choices = explicit_runs_;
    if (choices.empty()) choices.emplace_back();
    for (const auto& zip : zips_) check_zip(zip, *this);
    std::vector<const std::vector<std::string>*> done_zips;
    for (const Key& entry : keys()) {
        const std::string name(entry.name);
        const auto zip = std::find_if(zips_.begin(), zips_.end(), [&](const auto& candidate) {
            return std::find(candidate.begin(), candidate.end(), name) != candidate.end();
        });
        if (zip == zips_.end() && !is_set(name)) continue;
        if (zip != zips_.end()) {
            if (std::find(done_zips.begin(), done_zips.end(), &*zip) != done_zips.end()) continue;
            done_zips.push_back(&*zip);
        }
        const std::vector<std::string> members = zip == zips_.end() ? std::vector<std::string>{name} : *zip;
        std::vector<std::vector<std::string>> lists;  // of each member, equally long
        for (const std::string& member : members) lists.push_back(values(member));
        const auto own = [&](const Assignments& choice) { return choice.contains(name); };
        const auto with_own = static_cast<std::size_t>(std::count_if(choices.begin(), choices.end(), own));
        if (with_own + (choices.size() - with_own) * lists.front().size() > most_runs) {
            throw BadInput("The experiment has more than " + std::to_string(most_runs) +
                           " runs, one for each combination of its values; give fewer values, or sample some with " +
                           "a search.");
        }
        std::vector<Assignments> next;
        for (const Assignments& choice : choices) {
            for (std::size_t i = 0; i < lists.front().size(); ++i) {
                next.push_back(choice);
                for (std::size_t m = 0; m < members.size(); ++m) next.back().try_emplace(members[m], lists[m][i]);
                if (own(choice)) break;  // an explicit run's own value has precedence
            }
        }
        choices = std::move(next);
    }

    std::vector<RunSpec> runs;
    std::vector<bool> matched(exclusions_.size(), false);
    for (const Assignments& choice : choices) {
        RunSpec spec = spec_of(choice);
        bool left_out = false;
        for (std::size_t i = 0; i < exclusions_.size(); ++i) {
            if (!has_all(spec, exclusions_[i])) continue;
            left_out = true;
            matched[i] = true;
        }
        if (!left_out) runs.push_back(std::move(spec));
    }
    const auto unused = std::find(matched.begin(), matched.end(), false);
    if (unused != matched.end()) {
        throw BadInput("The exclusion " +
                       assignments_text(exclusions_[static_cast<std::size_t>(unused - matched.begin())]) +
                       " matches no run; remove it, or use values that occur in the experiment.");
    }
    if (runs.empty()) throw BadInput("The exclusions remove every run; remove one of them.");
    return runs;
}

}  // namespace ropelab
