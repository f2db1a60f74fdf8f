#include "core/stats/results_table.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <set>

#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/stats/holm.h"

namespace ropelab {

namespace {

using nlohmann::json;

json to_json_value(const Value& value) {
    return std::visit([](const auto& held) { return json(held); }, value);
}

// Every key of the table with its default.
const json& defaults() {
    static const json result = [] {
        json object = json::object();
        const RunSpec spec;
        for (const Key& key : keys()) object[std::string(key.name)] = to_json_value(key.get(spec));
        return object;
    }();
    return result;
}

json complete(const json& settings, const std::string& name) {
    if (!settings.is_object()) {
        throw BadInput("The settings of the run \"" + name + "\" are not a JSON object of keys and values.");
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
    result.insert(result.end(), differing.begin(), differing.end());  // keys of another version of the program
    return result;
}

std::int64_t seed_of(const json& settings) {
    const auto seed = settings.find("seed");
    return seed != settings.end() && seed->is_number() ? static_cast<std::int64_t>(seed->get<double>()) : 0;
}

// A later run of the same seed takes the place of an earlier one.
void add(ResultGroup& group, std::int64_t seed, const RunSummary& summary) {
    const auto found = std::find(group.seeds.begin(), group.seeds.end(), seed);
    if (found == group.seeds.end()) {
        group.seeds.push_back(seed);
        group.summaries.push_back(summary);
        return;
    }
    ++group.repeated;
    group.summaries[static_cast<std::size_t>(found - group.seeds.begin())] = summary;
}

std::vector<double> values_of(const ResultGroup& group, std::size_t measure) {
    std::vector<double> result;
    for (const RunSummary& summary : group.summaries) result.push_back(measures()[measure].of(summary));
    return result;
}

bool same_value(const json& value, const std::string& text) {
    if (value.is_number()) {
        try {
            return value.get<double>() == parse_number(text);
        } catch (const BadInput&) {
            return false;
        }
    }
    return setting_text(value) == text;
}

std::size_t find_baseline(const ResultsTable& table, const std::map<std::string, std::string>& wanted) {
    const auto& groups = table.groups;
    if (wanted.empty()) {
        const auto found = std::find_if(groups.begin(), groups.end(), [](const ResultGroup& group) {
            return std::all_of(group.settings.begin(), group.settings.end(), [](const auto& setting) {
                const auto known = defaults().find(setting.first);
                return known != defaults().end() && *known == setting.second;
            });
        });
        return found == groups.end() ? 0 : static_cast<std::size_t>(found - groups.begin());
    }
    const auto found = std::find_if(groups.begin(), groups.end(), [&](const ResultGroup& group) {
        return std::all_of(wanted.begin(), wanted.end(), [&](const auto& setting) {
            const auto held = group.settings.find(setting.first);
            return held != group.settings.end() && same_value(held->second, setting.second);
        });
    });
    if (found != groups.end()) return static_cast<std::size_t>(found - groups.begin());
    std::string text;
    for (const auto& [key, value] : wanted) text += (text.empty() ? "" : ", ") + key + "=" + value;
    std::string swept;
    for (const std::string& key : table.swept) swept += (swept.empty() ? "" : ", ") + key;
    throw BadInput("No runs have " + text + " to be the baseline; " +
                   (swept.empty() ? "these runs differ in nothing but the seed."
                                  : "a baseline names values of the swept keys (" + swept + ") that were run."));
}

struct TestOf {
    Comparison ResultGroup::*where;
    std::optional<TTest> (*test)(const ResultGroup& group, const ResultGroup& baseline, std::size_t measure);
};

std::optional<TTest> paired(const ResultGroup& group, const ResultGroup& baseline, std::size_t measure) {
    std::vector<double> a;
    std::vector<double> b;
    for (std::size_t i = 0; i < group.seeds.size(); ++i) {
        const auto mate = std::find(baseline.seeds.begin(), baseline.seeds.end(), group.seeds[i]);
        if (mate == baseline.seeds.end()) continue;
        a.push_back(measures()[measure].of(group.summaries[i]));
        b.push_back(
            measures()[measure].of(baseline.summaries[static_cast<std::size_t>(mate - baseline.seeds.begin())]));
    }
    return paired_t_test(a, b);
}

void compare(ResultsTable& table) {
    if (table.groups.empty()) return;
    const std::size_t measure = table.compared;
    const ResultGroup& baseline = table.groups[table.baseline];
    const double reference = baseline.described[measure].mean;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const double percent = 100 * (table.groups[i].described[measure].mean - reference) / reference;
        if (i != table.baseline && std::isfinite(percent)) table.groups[i].difference_percent = percent;
    }
    const std::array<TestOf, 3> tests = {
        TestOf{&ResultGroup::student, [](const ResultGroup& a, const ResultGroup& b,
                                         std::size_t m) { return student_t_test(values_of(a, m), values_of(b, m)); }},
        TestOf{&ResultGroup::welch, [](const ResultGroup& a, const ResultGroup& b,
                                       std::size_t m) { return welch_t_test(values_of(a, m), values_of(b, m)); }},
        TestOf{&ResultGroup::paired, &paired},
    };
    for (const TestOf& each : tests) {
        std::vector<std::optional<double>> raw(table.groups.size());
        for (std::size_t i = 0; i < table.groups.size(); ++i) {
            if (i == table.baseline) continue;
            const auto test = each.test(table.groups[i], baseline, measure);
            if (test) raw[i] = test->p;
        }
        const auto corrected = holm(raw);
        for (std::size_t i = 0; i < table.groups.size(); ++i) table.groups[i].*each.where = {raw[i], corrected[i]};
    }
}

}  // namespace

const std::array<Measure, measure_count>& measures() {
    static constexpr std::array<Measure, measure_count> table = {{
        {"best_validation_loss", "best val. loss", 4, [](const RunSummary& s) { return s.best_validation_loss; }},
        {"final_validation_loss", "final val. loss", 4, [](const RunSummary& s) { return s.final_validation_loss; }},
        {"whole_validation_loss", "whole val. loss", 4,
         [](const RunSummary& s) {
             return s.whole_validation_loss.value_or(std::numeric_limits<double>::quiet_NaN());
         }},
        {"bits_per_character", "bits/char.", 4,
         [](const RunSummary& s) { return s.best_validation_loss / std::numbers::ln2; }},
        {"final_training_loss", "final train loss", 4, [](const RunSummary& s) { return s.final_training_loss; }},
        {"seconds", "seconds", 1, [](const RunSummary& s) { return s.seconds; }},
        {"tokens_per_second", "tokens/s", 0, [](const RunSummary& s) { return s.tokens_per_second; }},
    }};
    return table;
}

std::string setting_text(const json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return number_text(value.get<double>());
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options) {
    ResultsTable table;
    std::vector<std::string_view> names;
    for (const Measure& measure : measures()) names.push_back(measure.name);
    const auto named = std::find(names.begin(), names.end(), options.compare);
    if (named == names.end()) {
        throw BadInput("\"" + options.compare + "\" is not a measure of the results table; did you mean " +
                       nearest(options.compare, names) + "?");
    }
    table.compared = static_cast<std::size_t>(named - names.begin());

    std::vector<json> settings;
    for (const ResultRun& run : runs) settings.push_back(complete(run.settings, run.name));
    if (!settings.empty()) table.swept = swept_keys(settings);

    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::map<std::string, json> swept;
        for (const std::string& key : table.swept) swept[key] = settings[i].contains(key) ? settings[i][key] : json();
        auto group = std::find_if(table.groups.begin(), table.groups.end(),
                                  [&](const ResultGroup& known) { return known.settings == swept; });
        if (group == table.groups.end()) {
            table.groups.emplace_back().settings = std::move(swept);
            group = table.groups.end() - 1;
        }
        if (runs[i].summary && (runs[i].state == RunState::finished || options.unfinished)) {
            add(*group, seed_of(settings[i]), *runs[i].summary);
        } else {
            ++group->unfinished;
        }
    }
    for (ResultGroup& group : table.groups) {
        for (std::size_t i = 0; i < measure_count; ++i) group.described[i] = describe(values_of(group, i));
    }
    if (!table.groups.empty() || !options.baseline.empty()) table.baseline = find_baseline(table, options.baseline);
    compare(table);
    return table;
}

}  // namespace ropelab
