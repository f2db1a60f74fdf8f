#include "core/stats/results_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>
#include <tuple>

#include "core/spec/aliases.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/stats/results_clocks.h"
#include "core/stats/results_compare.h"
#include "core/stats/setting_words.h"

namespace ropelab {

namespace {

using nlohmann::json;

json to_json_value(const Value& value) {
    return std::visit([](const auto& content) { return json(content); }, value);
}

// Returns all settings with their defaults.
const json& defaults() {
    static const json result = [] {
        json object = json::object();
        const RunSpec spec;
        for (const Key& key : keys()) object[std::string(key.name)] = to_json_value(key.get(spec));
        return object;
    }();
    return result;
}

// Returns the settings of a run with defaults for those that are missing.
json complete(const json& settings, const std::string& name) {
    if (!settings.is_object()) {
        throw BadInput("The settings of the run \"" + name + "\" are not a JSON object.");
    }
    json result = defaults();
    for (const auto& [key, value] : settings.items()) {
        if (!value.is_null()) result[key] = value;
    }
    return result;
}

std::vector<std::string> swept_keys(const std::vector<json>& settings) {
    std::set<std::string> differing;
    for (const json& other : settings) {
        for (const json* run : {&settings.front(), &other}) {
            for (const auto& [key, value] : run->items()) {
                if (key == "seed") continue;
                const auto a = settings.front().find(key);
                const auto b = other.find(key);
                if (a == settings.front().end() || b == other.end() || *a != *b) differing.insert(key);
            }
        }
    }
    std::vector<std::string> result;
    for (const Key& key : keys()) {
        if (differing.erase(std::string(key.name)) > 0) result.emplace_back(key.name);
    }
    result.insert(result.end(), differing.begin(), differing.end());  // settings of another version of the program
    return result;
}

std::int64_t seed_of(const json& settings) {
    const auto seed = settings.find("seed");
    return seed != settings.end() && seed->is_number() ? static_cast<std::int64_t>(seed->get<double>()) : 0;
}

double iterations_until(const ResultRun& run, double target) {
    const auto low = std::find_if(run.evaluations.begin(), run.evaluations.end(),
                                  [target](const LossAt& at) { return at.validation_loss <= target; });
    return low == run.evaluations.end() ? Description::unknown : static_cast<double>(low->iteration);
}

// Adds a run to a group. It replaces an earlier run with the same seed.
void add(ResultGroup& group, std::size_t index, std::int64_t seed, const RunSummary& summary) {
    const auto found = std::find(group.seeds.begin(), group.seeds.end(), seed);
    if (found == group.seeds.end()) {
        group.seeds.push_back(seed);
        group.counted.push_back(index);
        group.summaries.push_back(summary);
        return;
    }
    ++group.repeated;
    group.counted[static_cast<std::size_t>(found - group.seeds.begin())] = index;
    group.summaries[static_cast<std::size_t>(found - group.seeds.begin())] = summary;
}

// Returns whether a run has the value that a person typed for a setting, such as "10k", "25 %" or "2 ch".
bool same_value(const json& run, const std::string& name, const std::string& text) {
    const json& value = run.at(name);
    const auto known = std::find_if(keys().begin(), keys().end(), [&](const Key& each) { return each.name == name; });
    if (known == keys().end()) return setting_text(value) == text;  // setting of another version of the program
    try {
        RunSpec spec;
        for (const char* shape : {"width", "heads"}) key(shape).set(spec, run.at(shape).get<std::int64_t>());
        known->set(spec, parse_value(*known, text, spec));
        return to_json_value(known->get(spec)) == value;
    } catch (const std::exception&) {
        return false;  // the text is not a valid value for this run
    }
}

bool is_tokenizer_setting(const std::string& key) {
    return key == "tokenizer" || key == "vocabulary_size";
}

bool is_data_setting(const std::string& key) {
    return key == "data" || key == "split" || is_tokenizer_setting(key);
}

bool has_default(const std::pair<const std::string, json>& setting) {
    const auto known = defaults().find(setting.first);
    return known != defaults().end() && *known == setting.second;
}

bool same_other_settings(const ResultGroup& a, const ResultGroup& b) {
    return std::all_of(a.settings.begin(), a.settings.end(), [&](const auto& setting) {
        return is_data_setting(setting.first) || b.settings.at(setting.first) == setting.second;
    });
}

// Finds the baseline of each data set: the group that has the settings of the baseline of the table.
void find_baselines(ResultsTable& table) {
    for (ResultGroup& group : table.groups) {
        if (same_data(table.groups[table.baseline], group, table.compared)) {
            group.against = table.baseline;
            continue;
        }
        const auto own = std::find_if(table.groups.begin(), table.groups.end(), [&](const ResultGroup& other) {
            return same_data(other, group, table.compared) && same_other_settings(other, table.groups[table.baseline]);
        });
        if (own != table.groups.end()) group.against = static_cast<std::size_t>(own - table.groups.begin());
    }
}

// Returns whether every group with a baseline has the seeds of this baseline, and at least two.
bool has_equal_seeds(const ResultsTable& table) {
    bool any = false;
    for (const ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        const std::set<std::int64_t> ours(group.seeds.begin(), group.seeds.end());
        if (ours.size() < 2 || ours != std::set(baseline->seeds.begin(), baseline->seeds.end())) return false;
        any = true;
    }
    return any;
}

std::size_t find_baseline(const ResultsTable& table, const std::vector<json>& runs,
                          const std::map<std::string, std::string>& wanted) {
    const auto& groups = table.groups;
    if (wanted.empty()) {
        // Settings of the model are compared first, because each data set has a baseline of its own. Of groups that are
        // equal in this, one with results is the baseline, because groups without results cannot be compared.
        const auto defaults_of = [](const ResultGroup& group) {
            int model = 0, data = 0;
            for (const auto& setting : group.settings) {
                if (has_default(setting)) ++(is_data_setting(setting.first) ? data : model);
            }
            return std::tuple(model, data, !group.counted.empty());
        };
        const auto found = std::max_element(
            groups.begin(), groups.end(),
            [&](const ResultGroup& a, const ResultGroup& b) { return defaults_of(a) < defaults_of(b); });
        return static_cast<std::size_t>(found - groups.begin());
    }
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const ResultGroup& group) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const auto& setting) {
            return group.settings.contains(setting.first) &&
                   same_value(runs[group.members.front()], setting.first, setting.second);
        });
    });
    if (found != groups.end()) return static_cast<std::size_t>(found - groups.begin());
    std::string text;
    for (const auto& [key, value] : wanted) text += (text.empty() ? "" : ", ") + key + "=" + value;
    std::string swept;
    for (const std::string& key : table.swept) swept += (swept.empty() ? "" : ", ") + key;
    throw BadInput("No runs have " + text + ", so they cannot be the baseline; " +
                   (swept.empty() ? "these runs differ only in the seed."
                                  : "give values of the swept settings (" + swept + ") that runs have."));
}

// Counts the conditions of a group's counted runs and computes the statistics of their measurements.
void describe_runs(ResultsTable& table, ResultGroup& group, std::span<const ResultRun> runs) {
    std::map<std::string, std::vector<double>> values;
    for (const std::size_t index : group.counted) {
        table.searched = table.searched || runs[index].searched;
        group.clocks.push_back(runs[index].conditions ? runs[index].conditions->clock : std::string());
        for (const auto& [name, value] : runs[index].measurements) values[name].push_back(value);
        if (!runs[index].conditions) continue;
        for (const std::string_view name : condition_names) {
            ++group.conditions[std::string(name)][condition_of(*runs[index].conditions, name)];
        }
    }
    for (const auto& [name, list] : values) {
        group.measurements[name] = describe(list);
        const auto place = std::lower_bound(table.measurements.begin(), table.measurements.end(), name);
        if (place == table.measurements.end() || *place != name) table.measurements.insert(place, name);
    }
}

}  // namespace

double bits_per_byte(const RunSummary& summary) {
    return summary.best_validation_loss / std::numbers::ln2 / summary.bytes_per_token;
}

const std::array<Measure, measure_count>& measures() {
    static constexpr std::array<Measure, measure_count> table = {{
        {"best_validation_loss", "best val. loss", "nats", 4, false,
         [](const RunSummary& s) { return s.best_validation_loss; }},
        {"final_validation_loss", "final val. loss", "nats", 4, false,
         [](const RunSummary& s) { return s.final_validation_loss; }},
        {"whole_validation_loss", "whole val. loss", "nats", 4, false,
         [](const RunSummary& s) { return s.whole_validation_loss.value_or(Description::unknown); }},
        {"test_loss", "test loss", "nats", 4, false,
         [](const RunSummary& s) { return s.test_loss.value_or(Description::unknown); }},
        {"bits_per_character", "bits/char.", "bits", 4, false,
         [](const RunSummary& s) {
             return s.subwords ? Description::unknown : s.best_validation_loss / std::numbers::ln2;
         }},
        {"bits_per_byte", "bits/byte", "bits", 4, false, bits_per_byte},
        {"final_training_loss", "final train loss", "nats", 4, false,
         [](const RunSummary& s) { return s.final_training_loss; }},
        {"seconds", "training time (s)", "s", 1, false, [](const RunSummary& s) { return s.seconds; }},
        {"tokens_per_second", "tokens/s", "tokens/s", 0, true, [](const RunSummary& s) { return s.tokens_per_second; }},
        {"generated_tokens_per_second", "generation speed (tokens/s)", "tokens/s", 0, true,
         [](const RunSummary& s) { return s.generated_tokens_per_second; }},
    }};
    return table;
}

std::size_t measure_index(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Measure& measure : measures()) names.push_back(measure.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) {
        throw BadInput("\"" + name + "\" is not a measure of the results table; did you mean " + nearest(name, names) +
                       "?");
    }
    return static_cast<std::size_t>(found - names.begin());
}

std::vector<double> ResultGroup::values(std::size_t measure) const {
    std::vector<double> result;
    for (const RunSummary& summary : summaries) result.push_back(measures()[measure].of(summary));
    return result;
}

bool same_data(const ResultGroup& a, const ResultGroup& b, std::size_t measure) {
    const bool per_byte = measures()[measure].name == "bits_per_byte";
    return std::all_of(a.settings.begin(), a.settings.end(), [&](const auto& setting) {
        return !is_data_setting(setting.first) || (per_byte && is_tokenizer_setting(setting.first)) ||
               b.settings.at(setting.first) == setting.second;
    });
}

std::string setting_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return number_text(value.get<double>());
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

namespace {

// Splits "theta=500, rotated_layers=1,3" at the comma before the name of a setting.
std::vector<std::string> assignments(const std::vector<std::string>& typed) {
    std::vector<std::string> result;
    for (const std::string& text : typed) {
        std::size_t begin = 0;
        for (std::size_t comma = text.find(','); comma != std::string::npos; comma = text.find(',', comma + 1)) {
            const std::size_t equals = text.find('=', comma);
            const std::size_t next = text.find(',', comma + 1);
            if (equals == std::string::npos || next < equals) continue;
            result.emplace_back(trimmed(std::string_view(text).substr(begin, comma - begin)));
            begin = comma + 1;
        }
        result.emplace_back(trimmed(std::string_view(text).substr(begin)));
    }
    return result;
}

}  // namespace

std::map<std::string, std::string> baseline_settings(const std::vector<std::string>& typed) {
    std::map<std::string, std::string> settings;
    for (const std::string& each : assignments(typed)) {
        const auto equals = each.find('=');
        if (equals == std::string::npos)
            throw BadInput("\"" + each + "\" is not a baseline; write a setting and its value, such as theta=10000.");
        const std::string name(current_name(Alias::Kind::key, each.substr(0, equals)));
        if (!settings.emplace(name, each.substr(equals + 1)).second) {
            throw BadInput("The baseline has the setting " + name + " twice; give it once.");
        }
    }
    return current_settings(settings);
}

ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options) {
    ResultsTable table;
    table.compared = measure_index(options.compare);
    table.target_loss = options.target_loss;

    std::vector<json> settings;
    check_split(options.split_by);
    for (const ResultRun& run : runs) {
        settings.push_back(complete(run.settings, run.name));
        for (const std::string& name : options.split_by) {
            if (run.conditions) settings.back()[name] = condition_of(*run.conditions, name);
        }
    }
    if (!settings.empty()) {
        table.swept = swept_keys(settings);
        for (const auto& [key, value] : settings.front().items()) {
            const bool differs = std::find(table.swept.begin(), table.swept.end(), key) != table.swept.end();
            if (key != "seed" && !differs) table.shared[key] = value;
        }
    }

    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::map<std::string, json> swept;
        for (const std::string& key : table.swept) swept[key] = settings[i].contains(key) ? settings[i][key] : json();
        auto group = std::find_if(table.groups.begin(), table.groups.end(),
                                  [&](const ResultGroup& known) { return known.settings == swept; });
        if (group == table.groups.end()) {
            table.groups.emplace_back().settings = std::move(swept);
            group = table.groups.end() - 1;
        }
        group->members.push_back(i);
        if (group->name.empty()) group->name = runs[i].setting_name;
        if (runs[i].excluded) {
            group->excluded.push_back(i);
        } else if (runs[i].summary && (runs[i].state == RunState::finished || options.unfinished)) {
            add(*group, i, seed_of(settings[i]), *runs[i].summary);
        } else {
            ++(runs[i].state == RunState::failed ? group->failed : group->unfinished);
        }
    }
    for (ResultGroup& group : table.groups) describe_runs(table, group, runs);
    for (ResultGroup& group : table.groups) {
        for (std::size_t i = 0; i < measure_count; ++i) group.described[i] = describe_measure(group, i);
        if (!options.target_loss) continue;
        for (const std::size_t run : group.counted) {
            group.iterations_until.push_back(iterations_until(runs[run], *options.target_loss));
        }
        group.until = describe(group.iterations_until);
    }
    if (!table.groups.empty() || !options.baseline.empty())
        table.baseline = find_baseline(table, settings, options.baseline);
    find_baselines(table);
    table.test = options.test.value_or(has_equal_seeds(table) ? TestKind::paired : TestKind::welch);
    compare_groups(table);
    return table;
}

namespace {

// Returns the value of a setting as it is typed; a fraction as in all tables.
std::string label_value(const ResultsTable& table, const ResultGroup& group, const std::string& key) {
    return key == "fraction" ? group_setting_words(table, group, key) : setting_text(group.settings.at(key));
}

}  // namespace

std::string group_name(const ResultsTable& table, const ResultGroup& group) {
    if (group.name.empty()) return {};
    std::string differences;
    for (const std::string& key : table.swept) {
        const bool differs = std::any_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& other) {
            return other.name == group.name && other.settings.at(key) != group.settings.at(key);
        });
        if (!differs) continue;
        differences += (differences.empty() ? "" : ", ") + key + " = " + label_value(table, group, key);
    }
    return differences.empty() ? group.name : group.name + " (" + differences + ")";
}

bool has_names(const ResultsTable& table) {
    return std::any_of(table.groups.begin(), table.groups.end(),
                       [](const ResultGroup& group) { return !group.name.empty(); });
}

std::string group_label(const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return group_name(table, group);
    std::string result;
    for (const std::string& key : table.swept) {
        result += (result.empty() ? "" : ", ") + key + " = " + label_value(table, group, key);
    }
    return result.empty() ? "all runs" : result;
}

}  // namespace ropelab
