#include "core/results/results_table.h"

#include <cmath>
#include <numeric>
#include <set>
#include <tuple>

#include "core/base/aliases.h"
#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/results/results_compare.h"
#include "core/results/same_models.h"
#include "core/settings/keys.h"
#include "core/settings/run_spec.h"
#include "core/store/imported.h"
#include "core/store/run_settings.h"

namespace ropelab {

namespace {

using nlohmann::json;
using namespace std::string_literals;

// Settings of runs with their defaults and, where these split groups, conditions. They are read where they are, because
// complete copies of thousands of runs would need most of the memory.
class CompleteSettings {
 public:
    CompleteSettings(std::span<const ResultRun> runs, const std::vector<std::string>& split_by)
        : runs_(runs), split_by_(split_by) {
        for (const ResultRun& run : runs) {
            if (!run.settings.is_object())
                throw BadInput("The settings of the run \"" + run.name + "\" are not a JSON object.");
        }
    }

    /// Null if the run does not have it.
    json value(std::size_t run, const std::string& key) const {
        if (runs_[run].conditions && std::ranges::find(split_by_, key) != split_by_.end())
            return condition_of(*runs_[run].conditions, key);
        const auto own = runs_[run].settings.find(key);
        if (own != runs_[run].settings.end() && !own->is_null()) return *own;
        return is_imported(run) ? json() : default_settings().value(key, json());
    }
    std::set<std::string> names(std::size_t run) const {
        std::set<std::string> result;
        if (!is_imported(run)) {
            for (const auto& [key, value] : default_settings().items()) result.insert(key);
        }
        for (const auto& [key, value] : runs_[run].settings.items()) {
            if (!value.is_null()) result.insert(key);
        }
        if (runs_[run].conditions) result.insert(split_by_.begin(), split_by_.end());
        return result;
    }
    bool is_imported(std::size_t run) const { return !imported_from(runs_[run].settings).empty(); }
    /// In which runs differ, apart from the seed. A setting that only runs of RoPE Lab have does not make imported runs
    /// differ from them: `imported` does.
    std::vector<std::string> swept() const {
        std::set<std::string> differing;
        const std::set<std::string> first = names(0);
        std::vector<std::pair<std::string, json>> values;
        for (const std::string& key : first) values.emplace_back(key, value(0, key));
        for (std::size_t run = 1; run < runs_.size(); ++run) {
            for (const auto& [key, expected] : values) {
                const json own = value(run, key);
                if (own != expected && !(own.is_null() && is_imported(run) && !is_imported(0))) differing.insert(key);
            }
            for (const auto& [key, own] : runs_[run].settings.items()) {
                if (!own.is_null() && !first.contains(key)) differing.insert(key);
            }
            for (const std::string& key : split_by_) {
                if (runs_[run].conditions && !first.contains(key)) differing.insert(key);
            }
        }
        differing.erase("seed");
        return in_order_of_keys(std::move(differing));
    }

 private:
    std::span<const ResultRun> runs_;
    const std::vector<std::string>& split_by_;
};

std::int64_t seed_of(const json& seed) {
    return seed.is_number() ? static_cast<std::int64_t>(seed.get<double>()) : 0;
}

double iterations_until(const ResultRun& run, double target) {
    const auto low = std::find_if(run.evaluations.begin(), run.evaluations.end(),
                                  [target](const LossAt& at) { return at.validation_loss <= target; });
    return low == run.evaluations.end() ? Description::unknown : static_cast<double>(low->iteration);
}

// Replaces an earlier run with the same seed.
void add(ResultGroup& group, std::size_t index, std::int64_t seed, const RunSummary& summary) {
    const auto found = std::find(group.seeds.begin(), group.seeds.end(), seed);
    if (found == group.seeds.end()) {
        group.seeds.push_back(seed);
        group.counted.push_back(index);
        group.summaries.push_back(summary);
        return;
    }
    ++group.repeated;
    const auto place = static_cast<std::size_t>(found - group.seeds.begin());
    for (const Measure& measure : measures()) {
        if (measure.unit != "nats") continue;
        const double earlier = measure.of(group.summaries[place]), later = measure.of(summary);
        const bool is_always_measured = measure.of_best || measure.name.starts_with("final_");
        const bool is_one_a_number = is_always_measured && std::isfinite(earlier) != std::isfinite(later);
        const double difference = is_one_a_number ? INFINITY : std::abs(earlier - later);
        group.repeat_difference = std::fmax(group.repeat_difference, difference);
    }
    group.counted[place] = index;
    group.summaries[place] = summary;
}

// `text` as typed: "10k", "25 %" or "2 ch".
bool same_value(const CompleteSettings& settings, std::size_t run, const std::string& name, const std::string& text) {
    const json value = settings.value(run, name);
    const auto known = std::find_if(keys().begin(), keys().end(), [&](const Key& each) { return each.name == name; });
    if (known == keys().end())  // setting of another version of the program; "null": an earlier text
        return setting_text(value) == text || (value.is_null() && text == "null");
    try {
        RunSpec spec;
        for (const char* shape : {"width", "heads"})
            key(shape).set(spec, settings.value(run, shape).get<std::int64_t>());
        known->set(spec, parse_value(*known, text, spec));
        return to_json(spec).at(name) == value;
    } catch (const std::exception&) {
        return false;  // the text is not a valid value for this run
    }
}

bool has_default(const std::pair<const std::string, json>& setting) {
    const auto known = default_settings().find(setting.first);
    return known != default_settings().end() && *known == setting.second;
}

using Level = std::vector<json>;

Level level_of(const ResultGroup& group, const std::vector<std::string>& keys) {
    Level level;
    for (const std::string& key : keys) level.push_back(group.settings.at(key));
    return level;
}

std::string assignment(const std::pair<const std::string, std::string>& setting) {
    return setting.first + "=" + setting.second;
}

// One per level. `runs` are complete settings.
void find_baselines(ResultsTable& table, const CompleteSettings& settings,
                    const std::map<std::string, std::string>& wanted) {
    const auto is_data = [&](const std::string& key) { return separates_data(key, table.compared); };
    std::vector<std::string> factors, data_keys, model_keys;
    for (const std::string& key : table.swept) (is_data(key) ? data_keys : model_keys).push_back(key);
    for (const auto& [key, text] : wanted) {
        if (!is_data(key)) factors.push_back(key);
    }
    const bool is_chosen = !factors.empty();
    for (const std::string& key : {model_keys.empty() ? "" : model_keys.front(), "fraction"s, "theta"s, "position"s}) {
        const bool is_swept = std::find(model_keys.begin(), model_keys.end(), key) != model_keys.end();
        if (!is_chosen && is_swept) factors = {key};  // the last one decides
    }
    const ResultGroup& first = table.groups[table.baseline];
    const auto is_match = [&](const ResultGroup& group) {
        if (!is_chosen) return level_of(group, factors) == level_of(first, factors);
        return std::all_of(wanted.begin(), wanted.end(), [&](const auto& setting) {
            return is_data(setting.first) || same_value(settings, group.members.front(), setting.first, setting.second);
        });
    };
    std::vector<std::string> keys;  // without those that follow from the factors, as a linked learning rate's do
    for (const std::string& key : table.swept) {
        std::map<Level, json> followed;
        const bool follows = std::all_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& group) {
            const json& value = group.settings.at(key);
            return followed.try_emplace(level_of(group, factors), value).first->second == value;
        });
        if (is_data(key) || !follows) keys.push_back(key);
    }
    std::vector<std::string> training_keys;  // settings of evaluation make no level if theirs has no baseline
    std::ranges::copy_if(keys, std::back_inserter(training_keys), changes_training);
    std::map<Level, std::size_t> baselines;    // of each level
    std::map<Level, std::size_t> alike;        // of each level of training_keys
    std::map<Level, std::size_t> substitutes;  // of each data set: the group with the first baseline's other settings
    std::set<Level> compared;                  // levels with other groups than a baseline
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        const Level level = level_of(group, keys);
        if (is_match(group)) {
            baselines.emplace(level, i);
            alike.emplace(level_of(group, training_keys), i);
        } else {
            compared.insert(level);
        }
        if (level_of(group, model_keys) == level_of(first, model_keys))
            substitutes.emplace(level_of(group, data_keys), i);
    }
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        ResultGroup& group = table.groups[i];
        const auto own = baselines.find(level_of(group, keys));
        const auto substitute = substitutes.find(level_of(group, data_keys));
        if (own != baselines.end() && (own->second != i || compared.contains(own->first))) {
            group.against = own->second;
        } else if (const auto other = alike.find(level_of(group, training_keys));
                   own == baselines.end() && other != alike.end()) {
            group.against = other->second;
        } else if (own == baselines.end() && is_chosen && baselines.size() > 1) {
            throw BadInput("The baseline " + joined(wanted, ", ", assignment) + " is ambiguous: " +
                           std::to_string(baselines.size()) + " groups have it, but none of them has the " +
                           joined(keys, " and ") + " of the group " + group_label(table, group) +
                           "; also give the baseline's value of " + joined(keys, " and ") + ".");
        } else if (own != baselines.end() && substitute != substitutes.end()) {
            group.against = substitute->second;
        }
    }
}

void number_models(ResultsTable& table) {
    std::map<std::pair<ModelTraits, std::map<std::string, json>>, std::size_t> numbers;
    const json shared(table.shared);
    for (ResultGroup& group : table.groups) {
        json settings = shared;
        ModelTraits traits;
        std::map<std::string, json> others = group.settings;  // that are no setting of a model, or unknown
        for (const auto& [key, value] : group.settings) settings[key] = value;
        try {
            if (imported_from(settings).empty()) {
                traits = model_traits(run_spec_from_json(settings));
                for (const Key& known : keys()) others.erase(std::string(known.name));
            }
        } catch (const std::exception&) {  // settings of another version of the program
        }
        group.model = numbers.try_emplace({std::move(traits), std::move(others)}, numbers.size()).first->second;
    }
}

std::size_t find_baseline(const ResultsTable& table, const CompleteSettings& settings,
                          const std::map<std::string, std::string>& wanted) {
    const auto& groups = table.groups;
    if (wanted.empty()) {
        // Model settings first, because each data set has its own baseline; of equal groups, one with results.
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
                   same_value(settings, group.members.front(), setting.first, setting.second);
        });
    });
    if (found != groups.end()) return static_cast<std::size_t>(found - groups.begin());
    throw BadInput("No runs have " + joined(wanted, ", ", assignment) + ", so they cannot be the baseline; " +
                   (table.swept.empty()
                        ? "these runs differ only in the seed."
                        : "give values of the swept settings (" + joined(table.swept) + ") that runs have."));
}

std::size_t default_measure(const ResultsTable& table) {
    const auto has = [&](const char* measure) {
        return std::ranges::any_of(
            table.groups, [&](const ResultGroup& group) { return group.described[measure_index(measure)].n > 0; });
    };
    // An imported run may have no validation loss.
    if (!has("best_validation_loss") && has("final_training_loss")) return measure_index("final_training_loss");
    const auto has_whole = [](const ResultGroup& group) {
        return group.described[measure_index("whole_validation_loss")].n == std::ssize(group.counted);
    };
    if (are_evaluated_alike(table)) return measure_index("best_validation_loss");
    const bool all = std::all_of(table.groups.begin(), table.groups.end(), has_whole);
    return measure_index(all ? "whole_validation_loss" : "final_validation_loss");
}

void describe_runs(ResultsTable& table, ResultGroup& group, std::span<const ResultRun> runs, bool has_imported) {
    std::map<std::string, std::vector<double>> values;
    for (const std::size_t index : group.counted) {
        table.searched = table.searched || runs[index].searched;
        group.looks.push_back(runs[index].look);
        if (has_imported) group.evaluations.insert(runs[index].evaluations.size());
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

// "theta=500, rotated_layers=1,3" is split at the comma before the name of a setting.
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

namespace {

// In percent of the baseline's mean; nullopt without two seeds in a group.
std::optional<double> spread_of_seeds(const ResultsTable& table) {
    double squares = 0, freedom = 0;
    for (const ResultGroup& group : table.groups) {
        const Description& described = group.described[table.compared];
        if (described.n < 2 || !same_data(group, table.groups[table.baseline], table.compared)) continue;
        squares += static_cast<double>(described.n - 1) * described.standard_deviation * described.standard_deviation;
        freedom += static_cast<double>(described.n - 1);
    }
    const double percent =
        100 * std::sqrt(squares / freedom) / std::abs(table.groups[table.baseline].described[table.compared].mean);
    return freedom > 0 && std::isfinite(percent) ? std::optional(std::min(percent, 100.0)) : std::nullopt;
}

}  // namespace

std::optional<double> parsed_margin(const std::string& typed) {
    if (typed.empty()) return default_margin_percent;
    if (typed == "seeds") return std::nullopt;
    std::string_view number = trimmed(typed);
    if (number.ends_with('%')) number = trimmed(number.substr(0, number.size() - 1));
    double percent = -1;
    try {
        percent = parse_number(number);
    } catch (const BadInput&) {  // refused below
    }
    if (percent >= 0 && percent <= 100) return percent;
    throw BadInput("\"" + typed +
                   "\" is not a relevance margin; write a percentage of the baseline's mean from 0 to "
                   "100, such as 0.5, or seeds for the standard deviation of the seeds.");
}

ResultsTable results_table(std::span<const ResultRun> runs, const ResultsOptions& options) {
    ResultsTable table;
    const std::optional<double> margin = parsed_margin(options.margin);
    table.margin_percent = margin.value_or(default_margin_percent);
    table.target_loss = options.target_loss;
    const auto has_first_rule = [&](const ResultRun& run) { return run.sequential == runs.front().sequential; };
    if (!runs.empty() && std::ranges::all_of(runs, has_first_rule)) table.sequential = runs.front().sequential;
    if (!table.target_loss) table.target_loss = table.target();

    check_split(options.split_by);
    const CompleteSettings settings(runs, options.split_by);
    if (!runs.empty()) {
        table.swept = settings.swept();
        for (const std::string& key : settings.names(0)) {
            const bool differs = std::find(table.swept.begin(), table.swept.end(), key) != table.swept.end();
            if (key != "seed" && !differs) table.shared[key] = settings.value(0, key);
        }
    }

    std::map<std::map<std::string, json>, std::size_t> places;  // of each group, by its settings
    for (std::size_t i = 0; i < runs.size(); ++i) {
        std::map<std::string, json> swept;
        for (const std::string& key : table.swept) swept[key] = settings.value(i, key);
        const auto [place, is_new] = places.emplace(std::move(swept), table.groups.size());
        if (is_new) table.groups.emplace_back().settings = place->first;
        ResultGroup& group = table.groups[place->second];
        group.members.push_back(i);
        if (group.name.empty()) group.name = runs[i].setting_name;
        const bool has_ended = runs[i].state == RunState::finished || runs[i].state == RunState::failed;
        if (!has_ended && !runs[i].excluded && !runs[i].pruned) ++group.open;
        if (runs[i].excluded) {
            group.excluded.push_back(i);
        } else if (runs[i].summary && (runs[i].state == RunState::finished || options.unfinished)) {
            add(group, i, seed_of(settings.value(i, "seed")), *runs[i].summary);
            if (runs[i].state != RunState::finished) ++group.stopped;
        } else {
            ++(runs[i].state == RunState::failed ? group.failed : group.unfinished);
            if (runs[i].state == RunState::failed) group.failed_seeds.push_back(seed_of(settings.value(i, "seed")));
        }
    }
    // An excluded run ends the comparisons of its setting under a stopping rule, unless another one has its seed.
    for (ResultGroup& group : table.groups) {
        for (const std::size_t run : group.excluded) {
            const std::int64_t seed = seed_of(settings.value(run, "seed"));
            if (std::ranges::find(group.seeds, seed) == group.seeds.end()) group.failed_seeds.push_back(seed);
        }
    }
    const bool has_imported = !imported_words(table).empty();
    for (ResultGroup& group : table.groups) describe_runs(table, group, runs, has_imported);
    for (ResultGroup& group : table.groups) {
        for (std::size_t i = 0; i < measure_count; ++i) {
            Description& described = group.described[i] = describe_measure(group, i);
            if (!table.sequential) continue;  // the results decide the number of seeds, so that intervals hold at any
            const auto [low, high] = t_mixture_interval({described.n, described.mean, described.standard_deviation},
                                                        table.sequential->design.alpha);
            described.confidence_low = low;
            described.confidence_high = high;
        }
        if (!table.target_loss) continue;
        for (const std::size_t run : group.counted) {
            group.iterations_until.push_back(iterations_until(runs[run], *table.target_loss));
        }
        group.until = describe(group.iterations_until);
    }
    if (options.compare != "auto")
        table.compared = measure_index(options.compare);
    else
        table.compared = table.target() ? measure_index(target_measure) : default_measure(table);
    if (!table.groups.empty() || !options.baseline.empty()) {
        std::map<std::string, std::string> wanted = options.baseline;
        std::erase_if(wanted, [&](const auto& setting) {  // what all runs have chooses none of them
            return table.shared.contains(setting.first) && same_value(settings, 0, setting.first, setting.second);
        });
        if (wanted.empty() && !options.baseline.empty() && !table.swept.empty()) {
            throw BadInput("All runs have " + joined(options.baseline, ", ", assignment) +
                           ", so this chooses no baseline; give values of the swept settings (" + joined(table.swept) +
                           ") that runs have.");
        }
        table.baseline = find_baseline(table, settings, wanted);
        find_baselines(table, settings, wanted);
    }
    if (table.sequential) {
        const auto usual = table.target() ? measure_index(target_measure) : default_measure(table);
        table.changes_rule = table.margin_percent != default_margin_percent || table.compared != usual ||
                             (!table.groups.empty() && table.baseline != find_baseline(table, settings, {}));
    }
    if (!margin && !table.sequential && !table.groups.empty()) {
        if (const auto spread = spread_of_seeds(table)) {
            table.margin_percent = *spread;
            table.margin_of_seeds = true;
        }
    }
    number_models(table);
    compare_groups(table, options.test);
    return table;
}

namespace {

// Numbers come before words, and missing values come last.
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
    throw BadInput("The table cannot be sorted by \"" + by + "\"" + hint(by, known));
}

void arrange(ResultsTable& table, const std::vector<std::size_t>& order) {
    std::vector<ResultGroup> groups;
    std::vector<std::size_t> places(order.size());  // new index of each group by its old index
    for (const std::size_t index : order) {
        places[index] = groups.size();
        groups.push_back(std::move(table.groups[index]));
    }
    for (ResultGroup& group : groups) {
        if (group.against) group.against = places[*group.against];
        if (group.repeats) group.repeats = places[*group.repeats];
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
        std::map<nlohmann::json, std::size_t> firsts;  // group with the same word
        std::vector<double> ranks;
        for (std::size_t group = 0; group < table.groups.size(); ++group) {
            const std::size_t first = firsts.emplace(value(group), group).first->second;
            ranks.push_back(are_numbers ? value(group).get<double>() : static_cast<double>(first));
            // Where nothing rotates, θ has no effect and is blank: these groups are before those with a θ.
            const auto fraction = table.groups[group].settings.find("fraction");
            if (*key == "theta" && fraction != table.groups[group].settings.end() && fraction->second == 0.0)
                ranks.back() = 0;
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
