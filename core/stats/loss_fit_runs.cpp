#include "core/stats/loss_fit_runs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "core/rope/frequencies.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"
#include "core/spec/layout.h"

namespace ropelab {

namespace {

using nlohmann::json;

constexpr std::size_t most_values = 4;  // values of a setting that a message lists

bool is_among(std::string_view name, std::span<const std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// Settings that the variables of the fit describe, or that do not change what a run computes except for rounding.
bool is_free(const std::string& name) {
    static constexpr std::array<std::string_view, 15> free = {
        "seed",        "fraction",        "layers",     "width",       "heads",
        "mlp_width",   "key_value_heads", "iterations", "micro_batch", "sample_length",
        "probe_every", "device",          "threads",    "operations",  "cuda_graphs"};
    return is_among(name, free) || name == "rope_cache";
}

// Settings that describe how RoPE rotates, which have no effect without a rotated pair.
bool needs_rotation(const std::string& name) {
    static constexpr std::array<std::string_view, 10> rotary = {
        "theta",          "partial",        "pairs",     "rotated_layers",      "rope_precision",
        "theta_training", "theta_schedule", "theta_end", "theta_learning_rate", "frequencies"};
    return is_among(name, rotary);
}

// Returns whether a setting may differ between runs if their size and number of tokens determine its value.
bool may_follow(const std::string& name) {
    const auto known = std::find_if(keys().begin(), keys().end(), [&](const Key& each) { return each.name == name; });
    return known != keys().end() && (known->group == "training" || known->group == "evaluation") &&
           known->choices.empty();
}

// A group of the table whose runs can be fitted.
struct FitGroup {
    std::size_t index = 0;
    const ResultGroup* group = nullptr;
    LossPoint at;
};

// Returns a group's value of a setting; null if the setting has no effect on it.
json effective_value(const FitGroup& member, const std::string& name) {
    const json& value = member.group->settings.at(name);
    if (member.at.fraction > 0) return value;
    if (needs_rotation(name)) return {};
    // A model without position encoding computes what RoPE on 0 channels computes.
    if (name == "position" && value == "none") return "rope";
    if (name == "position" && value == "learned") return "learned+rope";
    return value;
}

std::vector<json> distinct_values(const std::vector<FitGroup>& groups, const std::string& name) {
    std::vector<json> values;
    for (const FitGroup& member : groups) {
        json value = effective_value(member, name);
        if (!value.is_null() && std::find(values.begin(), values.end(), value) == values.end()) {
            values.push_back(std::move(value));
        }
    }
    return values;
}

// Returns whether size and number of tokens determine the value of a setting.
bool follows(const std::vector<FitGroup>& groups, const std::string& name) {
    std::map<std::pair<double, double>, json> known;
    return std::all_of(groups.begin(), groups.end(), [&](const FitGroup& member) {
        const json value = effective_value(member, name);
        return value.is_null() ||
               known.try_emplace({member.at.parameters, member.at.tokens}, value).first->second == value;
    });
}

// Returns the settings in which the groups differ and for which the fit has no term.
std::vector<std::string> unfitted_settings(const ResultsTable& table, const std::vector<FitGroup>& groups) {
    std::vector<std::string> result;
    for (const std::string& name : table.swept) {
        if (is_free(name) || distinct_values(groups, name).size() < 2) continue;
        if (!may_follow(name) || !follows(groups, name)) result.push_back(name);
    }
    return result;
}

std::string unfitted_words(const std::vector<FitGroup>& groups, const std::vector<std::string>& names) {
    std::string words;
    for (const std::string& name : names) {
        const std::vector<json> values = distinct_values(groups, name);
        words += (words.empty() ? "" : ", ") + name + " (";
        for (std::size_t i = 0; i < std::min(values.size(), most_values); ++i) {
            words += (i == 0 ? "" : ", ") + setting_text(values[i]);
        }
        words += values.size() > most_values ? ", …)" : ")";
    }
    return words;
}

std::vector<FitGroup> fit_groups(const ResultsTable& table, std::span<const LossFitSource> runs, TableLossFit& result) {
    std::vector<FitGroup> groups;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        result.diverged += group.failed;
        if (!group.counted.empty()) groups.push_back({i, &group, loss_point_of(runs[group.counted.front()].spec)});
    }
    return groups;
}

// Removes the groups that do not agree with the chosen group in settings for which the fit has no term.
void choose_groups(const ResultsTable& table, std::vector<FitGroup>& groups, const LossFitChoice& choice,
                   TableLossFit& result) {
    for (;;) {
        const std::vector<std::string> names = unfitted_settings(table, groups);
        if (names.empty()) return;
        const auto like = std::find_if(groups.begin(), groups.end(),
                                       [&](const FitGroup& member) { return member.index == choice.like; });
        if (like == groups.end()) {
            throw BadInput("These runs cannot be fitted together, because they also differ in " +
                           unfitted_words(groups, names) + ", for which the fit has no term." +
                           (choice.how_to_choose.empty() ? "" : " " + choice.how_to_choose));
        }
        const FitGroup chosen = *like;
        const auto differs = [&](const FitGroup& member) {
            return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                const json a = effective_value(member, name);
                const json b = effective_value(chosen, name);
                return !a.is_null() && !b.is_null() && a != b;
            });
        };
        for (const FitGroup& member : groups) {
            if (differs(member)) result.other_runs += static_cast<std::int64_t>(member.group->counted.size());
        }
        const std::size_t before = groups.size();
        std::erase_if(groups, differs);
        result.chosen_by.insert(result.chosen_by.end(), names.begin(), names.end());
        if (groups.size() == before) {
            throw BadInput("The selected group does not have the settings " + unfitted_words(groups, names) +
                           ", in which the other runs differ, so that it cannot choose runs for the fit; select a "
                           "group that rotates.");
        }
    }
}

std::vector<LossFitRun> fit_runs(const std::vector<FitGroup>& groups, std::span<const LossFitSource> runs,
                                 TableLossFit& result) {
    std::vector<LossFitRun> fitted;
    for (const FitGroup& member : groups) {
        const std::vector<double> values = member.group->values(result.measure);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (runs[member.group->counted[i]].state != RunState::finished) continue;
            if (!std::isfinite(values[i])) {
                ++result.diverged;
                continue;
            }
            result.points[member.index] = member.at;
            const LossFitRun run{member.at, member.group->seeds[i], values[i]};
            const auto copy = std::find_if(fitted.begin(), fitted.end(), [&](const LossFitRun& known) {
                return known.at == run.at && known.seed == run.seed;
            });
            if (copy == fitted.end()) {
                fitted.push_back(run);
            } else {
                ++result.copies;
                *copy = run;
            }
        }
    }
    return fitted;
}

}  // namespace

LossPoint loss_point_of(const RunSpec& spec) {
    LossPoint at;
    const int head = spec.rotary_head_dim();
    at.fraction = spec.rotates() ? static_cast<double>(rotary_dim(head, spec.fraction)) / head : 0;
    at.parameters = static_cast<double>(non_embedding_parameters(spec));
    at.tokens = static_cast<double>(spec.iterations) * static_cast<double>(spec.batch * spec.context);
    return at;
}

TableLossFit fit_table(const ResultsTable& table, std::span<const LossFitSource> runs, const LossFitChoice& choice) {
    TableLossFit result;
    result.measure = table.compared;
    const std::string_view unit = measures()[table.compared].unit;
    if (unit != "nats" && unit != "bits") {
        throw BadInput("The fit needs a loss, but " + std::string(measures()[table.compared].name) +
                       " is not one; compare a loss, such as best_validation_loss.");
    }
    result.points.resize(table.groups.size());
    std::vector<FitGroup> groups = fit_groups(table, runs, result);
    if (groups.empty()) throw BadInput("The fit needs finished runs, and there is none yet.");
    choose_groups(table, groups, choice, result);
    for (const std::string& name : table.swept) {
        if (!is_free(name) && name != "batch" && distinct_values(groups, name).size() > 1)
            result.following.push_back(name);
    }
    result.fit = fit_loss(fit_runs(groups, runs, result));
    return result;
}

}  // namespace ropelab
