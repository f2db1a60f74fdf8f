#include "core/results/result_group.h"

#include <charconv>
#include <cmath>
#include <functional>
#include <numbers>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/settings/run_names.h"
#include "core/settings/run_spec.h"
#include "core/store/imported.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

bool is_tokenizer_setting(const std::string& key) {
    return key == "tokenizer" || key == "vocabulary_size";
}

// Of the swept settings for which `is_named`; "data set" if there are none.
std::string titles_of(const ResultsTable& table, const std::function<bool(const std::string&)>& is_named) {
    std::vector<std::string> words;
    for (const std::string& key : table.swept) {
        if (!is_named(key)) continue;
        const std::string word = key == "data"               ? "data set"
                                 : is_tokenizer_setting(key) ? "tokenizer"
                                                             : setting_title(key);
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
    }
    return words.empty() ? "data set" : joined(words, " and ");
}

// As typed; a fraction as in all tables.
std::string label_value(const ResultsTable& table, const ResultGroup& group, const std::string& key) {
    return key == "fraction" ? group_setting_words(table, group, key) : setting_text(group.settings.at(key));
}

}  // namespace

double bits_per_byte(const RunSummary& summary) {
    return summary.best_validation_loss / std::numbers::ln2 / summary.bytes_per_token;
}

const std::array<Measure, measure_count>& measures() {
    static constexpr std::array<Measure, measure_count> table = {{
        {"best_validation_loss", "best val. loss", "nats", 4, false, true,
         [](const RunSummary& s) { return s.best_validation_loss; }},
        {"final_validation_loss", "final val. loss", "nats", 4, false, false,
         [](const RunSummary& s) { return s.final_validation_loss; }},
        {"whole_validation_loss", "whole val. loss", "nats", 4, false, false,
         [](const RunSummary& s) { return s.whole_validation_loss.value_or(Description::unknown); }},
        {"test_loss", "test loss", "nats", 4, false, false,
         [](const RunSummary& s) { return s.test_loss.value_or(Description::unknown); }},
        {"bits_per_character", "bits/char", "bits", 4, false, true,
         [](const RunSummary& s) {
             return s.subwords ? Description::unknown : s.best_validation_loss / std::numbers::ln2;
         }},
        {"bits_per_byte", "bits/byte", "bits", 4, false, true, bits_per_byte},
        {"final_training_loss", "final train loss", "nats", 4, false, false,
         [](const RunSummary& s) { return s.final_training_loss; }},
        {"seconds", "training time (s)", "s", 1, false, false, [](const RunSummary& s) { return s.seconds; }},
        {"tokens_per_second", "tokens/s", "tokens/s", 0, true, false,
         [](const RunSummary& s) { return s.tokens_per_second; }},
        {"generated_tokens_per_second", "generation speed (tokens/s)", "tokens/s", 0, true, false,
         [](const RunSummary& s) { return s.generated_tokens_per_second; }},
    }};
    return table;
}

bool is_loss(const Measure& measure) {
    return measure.unit == "nats" || measure.unit == "bits";
}

std::size_t measure_index(const std::string& name) {
    std::vector<std::string_view> names;
    for (const Measure& measure : measures()) names.push_back(measure.name);
    const auto found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
    throw BadInput("\"" + name + "\" is not a measure of the results table" + hint(name, names));
}

std::vector<double> ResultGroup::values(std::size_t measure) const {
    std::vector<double> result;
    for (const RunSummary& summary : summaries) result.push_back(measures()[measure].of(summary));
    return result;
}

const ResultGroup* ResultsTable::baseline_of(const ResultGroup& group) const {
    return group.against ? &groups[*group.against] : nullptr;
}

bool ResultsTable::compares_survivors(const ResultGroup& group) const {
    const ResultGroup* other = baseline_of(group);
    return other && other != &group && (group.failed > 0 || other->failed > 0);
}

int ResultsTable::looks(const ResultGroup& group) const {
    const ResultGroup* other = baseline_of(group);
    // A paired test has the same data as before if seeds were added to one of its groups only.
    const bool shared = other && is_by_seed(group.test);
    const auto looks_of = [shared](const ResultGroup& one, const ResultGroup& another) {
        std::set<std::int64_t> looks;
        for (std::size_t i = 0; i < one.looks.size(); ++i) {
            if (!shared || std::ranges::find(another.seeds, one.seeds[i]) != another.seeds.end())
                looks.insert(one.looks[i]);
        }
        return static_cast<int>(looks.size());
    };
    return std::max({1, looks_of(group, other ? *other : group), other ? looks_of(*other, group) : 0});
}

std::string end_of(const SequentialDesign& design, const SequentialResult& result) {
    using End = SequentialResult::End;
    if (design.target && result.end == End::claim) return "below the target";
    if (result.end == End::refutation) return design.target ? "above the target" : "equivalent";
    return to_string(result.end);
}

nlohmann::json sequential_json(const SequentialResult& result) {
    return {{"e_value", json_number(result.e_value)},
            {"largest_e_value", json_number(result.largest_e_value())},
            {"p", json_number(result.p)},
            {"p_holm", json_number(result.p_holm)},
            {"p_other", json_number(result.p_refutation)},
            {"p_other_holm", json_number(result.p_refutation_holm)},
            {"stopped", to_string(result.end)},
            {"seeds_used", result.pairs},
            {"looks", result.looks},
            {"chance_of_verdict", json_number(result.chance)},
            {"difference_interval", {json_number(result.interval.low), json_number(result.interval.high)}}};
}

const Comparison& ResultGroup::comparison(TestKind kind) const {
    if (kind == TestKind::student) return student;
    return kind == TestKind::welch ? welch : kind == TestKind::paired ? paired : permutation;
}

Comparison& ResultGroup::comparison(TestKind kind) {
    return const_cast<Comparison&>(std::as_const(*this).comparison(kind));
}

int ResultsTable::open() const {
    int runs = 0;
    for (const ResultGroup& group : groups) runs += sequential ? 0 : group.open;
    return runs;
}

int ResultsTable::comparisons() const {
    return static_cast<int>(std::count_if(groups.begin(), groups.end(),
                                          [](const ResultGroup& group) { return group.decided().p.has_value(); }));
}

std::string to_string(TestKind test) {
    constexpr std::array words = {"student", "welch", "paired", "permutation"};
    return words[static_cast<std::size_t>(test)];
}

std::optional<TestKind> test_kind(const std::string& word) {
    const std::size_t place =
        choice_of(word, "a test of the results table", {"auto", "student", "welch", "paired", "permutation"});
    return place == 0 ? std::nullopt : std::optional(test_kinds[place - 1]);
}

std::string test_title(std::optional<TestKind> test) {
    if (!test)
        return "the t test (paired by seed if the two groups share at least two seeds and half of those of the smaller "
               "group, else Welch's)";
    if (test == TestKind::student) return "Student's t test";
    if (test == TestKind::permutation) return "the sign-flip permutation test of differences per seed";
    return test == TestKind::welch ? "Welch's t test" : "the t test paired by seed";
}

std::vector<std::string> distinguishing_keys(const ResultsTable& table, const std::string& without) {
    // The first group with the value of each group: equal lists belong to settings that change together.
    std::set<std::vector<std::size_t>> known;
    std::vector<std::string> keys;
    for (const std::string& key : table.swept) {
        if (key == without) continue;
        std::map<nlohmann::json, std::size_t> firsts;
        std::vector<std::size_t> first_of;
        for (std::size_t i = 0; i < table.groups.size(); ++i) {
            first_of.push_back(firsts.emplace(table.groups[i].settings.at(key), i).first->second);
        }
        if (known.insert(std::move(first_of)).second) keys.push_back(key);
    }
    return keys;
}

std::string condition_of(const RunConditions& conditions, std::string_view name) {
    if (name == "precision") return conditions.precision;
    if (name == "device") return conditions.device;
    return conditions.graphs.empty() ? "none" : conditions.graphs;
}

void check_split(const std::vector<std::string>& names) {
    for (const std::string& name : names) {
        if (std::find(condition_names.begin(), condition_names.end(), name) != condition_names.end()) continue;
        throw BadInput("\"" + name + "\" cannot split groups of runs; name precision, device or kernels.");
    }
}

bool is_data_setting(const std::string& key) {
    return key == "data" || key == "data_seed" || key == "data_length" || key == "split" || is_tokenizer_setting(key);
}

bool is_text_setting(const std::string& key) {
    return is_data_setting(key) && !is_tokenizer_setting(key) && key != "split";
}

bool separates_data(const std::string& key, std::size_t measure) {
    return is_data_setting(key) && !(measures()[measure].name == "bits_per_byte" && is_tokenizer_setting(key));
}

bool same_data(const ResultGroup& a, const ResultGroup& b, std::size_t measure) {
    return std::all_of(a.settings.begin(), a.settings.end(), [&](const auto& setting) {
        return !separates_data(setting.first, measure) || b.settings.at(setting.first) == setting.second;
    });
}

std::string data_words(const ResultsTable& table) {
    return titles_of(table, [&](const std::string& key) { return separates_data(key, table.compared); });
}

std::string level_words(const ResultsTable& table) {
    return titles_of(table, [&](const std::string& key) {
        return std::any_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& group) {
            return table.is_baseline(group) && group.settings.at(key) != table.groups[table.baseline].settings.at(key);
        });
    });
}

std::string setting_text(const nlohmann::json& value) {
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number()) return number_text(value.get<double>());
    if (value.is_null()) return missing_cell;
    return value.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

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
    return std::abs(number) < 1 ? number_text(number) : number_in_names(number);
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
    if (table.swept.empty()) return "all runs";
    const auto is_numeric = [&](const char* key) {
        return std::ranges::find(table.swept, key) != table.swept.end() && group.settings.at(key).is_number();
    };
    const bool together = is_numeric("theta") && is_numeric("fraction");  // as label_of() writes them
    std::vector<std::string> parts;
    for (const std::string& key : table.swept) {
        const std::string value = group_setting_words(table, group, key);
        if (together && key == "theta") {
            if (group.settings.at("fraction") != 0.0) parts.push_back("θ " + value);
        } else if (together && key == "fraction") {
            parts.push_back((group.settings.at(key) == 0.0 ? "RoPE " : "") + value);
        } else {
            parts.push_back(setting_title(key) + " " + value);
        }
    }
    return joined(parts);
}

std::string imported_words(const ResultsTable& table) {
    std::set<std::string> programs = {imported_from(table.shared)};
    if (std::ranges::find(table.swept, imported_setting) != table.swept.end()) {
        for (const ResultGroup& group : table.groups) programs.insert(imported_from(group.settings));
    }
    programs.erase("");
    return joined(programs);
}

std::string unit_after(const ResultsTable& table) {
    const Measure& measure = measures()[table.compared];
    return measure.unit.empty() || (is_loss(measure) && !imported_words(table).empty())
               ? ""
               : " " + std::string(measure.unit);
}

std::string group_name(const ResultsTable& table, const ResultGroup& group) {
    if (group.name.empty()) return {};
    std::vector<std::string> differences;
    for (const std::string& key : table.swept) {
        const bool differs = std::any_of(table.groups.begin(), table.groups.end(), [&](const ResultGroup& other) {
            return other.name == group.name && other.settings.at(key) != group.settings.at(key);
        });
        if (differs) differences.push_back(setting_title(key) + " " + group_setting_words(table, group, key));
    }
    return differences.empty() ? group.name : group.name + " (" + joined(differences) + ")";
}

bool has_names(const ResultsTable& table) {
    return std::any_of(table.groups.begin(), table.groups.end(),
                       [](const ResultGroup& group) { return !group.name.empty(); });
}

std::string group_label(const ResultsTable& table, const ResultGroup& group) {
    if (!group.name.empty()) return group_name(table, group);
    if (table.swept.empty()) return "all runs";
    return joined(table.swept, ", ",
                  [&](const std::string& key) { return key + " = " + label_value(table, group, key); });
}

std::string fixed_text(double value, int decimals) {
    if (!std::isfinite(value)) return missing_cell;
    std::array<char, 400> buffer{};  // a small number may have 300 decimals
    const auto format = std::abs(value) < 1e15 ? std::chars_format::fixed : std::chars_format::scientific;
    const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, format, decimals);
    return {buffer.data(), end};
}

std::string rough_text(double value) {
    if (!std::isfinite(value)) return missing_cell;
    if (value == 0) return "0";
    const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
    const int decimals = std::clamp(1 - magnitude, 0, 300);
    // 0.0999 is rounded up to 0.10, which needs one decimal less than 0.099.
    const bool rounds_up = decimals > 0 && std::abs(value) * std::pow(10, decimals) >= 99.5;
    return fixed_text(value, rounds_up ? decimals - 1 : decimals);
}

std::string count_text(double value) {
    return value == std::floor(value) ? number_text(value) : rough_text(value);
}

std::string signed_percent(const std::optional<double>& percent) {
    if (!percent) return missing_cell;
    const std::string text = fixed_text(*percent, 2);
    if (text == "0.00" || text == "-0.00") return "0.00";
    return (*percent > 0 ? "+" : "") + text;
}

std::string p_text(const std::optional<double>& p) {
    if (!p) return missing_cell;
    return *p < 0.001 ? "<0.001" : fixed_text(*p, 3);
}

std::string p_words(double p) {
    return p < 0.001 ? "p < 0.001" : "p = " + p_text(p);
}

std::string mean_and_deviation(const Description& described, int decimals) {
    if (described.n == 0) return missing_cell;
    const std::string mean = fixed_text(described.mean, decimals);
    return described.n < 2 ? mean : mean + " ± " + fixed_text(described.standard_deviation, decimals);
}

std::string interval_text(const Description& described, int decimals) {
    if (!std::isfinite(described.confidence_low)) return missing_cell;  // one value, or few with a stopping rule
    return fixed_text(described.confidence_low, decimals) + " … " + fixed_text(described.confidence_high, decimals);
}

std::string difference_text(const std::optional<DifferenceInterval>& estimate) {
    if (!estimate) return missing_cell;
    const std::string difference = rough_text(estimate->difference);
    if (!std::isfinite(estimate->low)) return difference;
    return difference + " [" + rough_text(estimate->low) + ", " + rough_text(estimate->high) + "]";
}

}  // namespace ropelab
