#include "core/results/interactions.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include "core/base/numbers.h"
#include "core/results/results_compare.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

using nlohmann::json;
using Settings = std::map<std::string, json>;

Settings level_of(const ResultGroup& group, const std::vector<std::string>& keys, const std::string& without) {
    Settings level;
    for (const std::string& key : keys) {
        if (key != without) level[key] = group.settings.at(key);
    }
    return level;
}

// The key in which most groups differ from their baseline, if it is the only one for each of them.
std::string factor_of(const ResultsTable& table, const std::vector<std::string>& keys) {
    std::map<std::string, int> counts;
    for (const ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        if (!baseline || baseline == &group) continue;
        std::vector<std::string> differing;
        std::ranges::copy_if(keys, std::back_inserter(differing), [&](const std::string& key) {
            return group.settings.at(key) != baseline->settings.at(key);
        });
        if (differing.size() == 1) ++counts[differing.front()];
    }
    const auto most = std::ranges::max_element(counts, {}, [](const auto& entry) { return entry.second; });
    return most == counts.end() ? std::string() : most->first;
}

// Values of the measure by seed; only finite ones.
std::map<std::int64_t, double> by_seed(const ResultGroup& group, std::size_t measure) {
    std::map<std::int64_t, double> result;
    const std::vector<double> values = group.values(measure);
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (std::isfinite(values[i])) result[group.seeds[i]] = values[i];
    }
    return result;
}

// Welch and Satterthwaite for the sum of the means of four groups with the signs +, −, −, +.
void test_means(Contrast& contrast, const std::array<const ResultGroup*, 4>& groups, std::size_t measure) {
    double squares = 0, weights = 0;
    constexpr std::array<double, 4> signs = {1, -1, -1, 1};
    contrast.estimate.difference = 0;
    for (std::size_t i = 0; i < groups.size(); ++i) {
        const Sample sample = sample_of(groups[i]->values(measure));
        if (sample.n < 2) {
            contrast.estimate.values = 0;
            return;
        }
        const double square = sample.standard_deviation * sample.standard_deviation / static_cast<double>(sample.n);
        squares += square;
        weights += square * square / static_cast<double>(sample.n - 1);
        contrast.estimate.difference += signs[i] * sample.mean;
        contrast.estimate.values =
            static_cast<int>(i == 0 ? sample.n : std::min<std::int64_t>(contrast.estimate.values, sample.n));
    }
    contrast.test = TestKind::welch;
    if (!(squares > 0)) return;
    const double freedom = squares * squares / weights, error = std::sqrt(squares);
    const double half = t_quantile(freedom) * error;
    contrast.estimate.low = contrast.estimate.difference - half;
    contrast.estimate.high = contrast.estimate.difference + half;
    contrast.p = 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(freedom),
                                                              std::abs(contrast.estimate.difference) / error));
}

// Contrast of four groups over the seeds that all of them have.
Contrast contrast_of(const ResultsTable& table, const std::array<const ResultGroup*, 4>& groups, std::size_t measure) {
    Contrast contrast;
    std::array<std::map<std::int64_t, double>, 4> values;
    std::size_t fewest = groups.front()->seeds.size();
    for (std::size_t i = 0; i < groups.size(); ++i) {
        values[i] = by_seed(*groups[i], measure);
        fewest = std::min(fewest, groups[i]->seeds.size());
    }
    std::vector<double> plus, minus;
    for (const auto& [seed, first] : values[0]) {
        if (std::ranges::any_of(values, [seed = seed](const auto& own) { return !own.contains(seed); })) continue;
        plus.push_back(first + values[3].at(seed));
        minus.push_back(values[1].at(seed) + values[2].at(seed));
    }
    if (plus.size() < 2 || 2 * plus.size() < fewest) {
        test_means(contrast, groups, measure);
        return contrast;
    }
    const Sample sample = sample_of(paired_differences(plus, minus));
    const auto test = paired_t_test(plus, minus);
    contrast.estimate.difference = sample.mean;
    contrast.estimate.values = static_cast<int>(sample.n);
    if (!test) return contrast;
    if (table.sequential) {  // the results decided the number of seeds
        const Interval interval = t_mixture_interval(sample, table.sequential->design.alpha);
        contrast.estimate.low = interval.low;
        contrast.estimate.high = interval.high;
        contrast.p = sequential_p({.cap = max_seeds}, statement_different(plus, minus), sample.n);
        return contrast;
    }
    const Description described = describe(paired_differences(plus, minus));
    contrast.estimate.low = described.confidence_low;
    contrast.estimate.high = described.confidence_high;
    contrast.p = test->p;
    return contrast;
}

Interaction interaction_with(const ResultsTable& table, const std::vector<std::string>& keys, const std::string& factor,
                             const std::string& by) {
    Interaction result{by, table.compared, {}};
    if (separates_data(by, table.compared) && !separates_data(by, measure_index("bits_per_byte")))
        result.measure = measure_index("bits_per_byte");
    std::map<Settings, const ResultGroup*> groups;
    for (const ResultGroup& group : table.groups) groups[level_of(group, keys, {})] = &group;
    const Settings& reference = table.groups[table.baseline].settings;
    for (const auto& group : table.groups) {
        Settings at = level_of(group, keys, {});
        if (at.at(factor) == reference.at(factor) || at.at(by) == reference.at(by)) continue;
        const auto find = [&](bool same_factor, bool same_by) -> const ResultGroup* {
            Settings place = at;
            if (!same_factor) place[factor] = reference.at(factor);
            if (!same_by) place[by] = reference.at(by);
            const auto found = groups.find(place);
            return found == groups.end() ? nullptr : found->second;
        };
        const std::array<const ResultGroup*, 4> four = {&group, find(false, true), find(true, false),
                                                        find(false, false)};
        if (std::ranges::any_of(four, [](const ResultGroup* each) { return !each; })) continue;
        if (!is_testable(*four[0], *four[1], result.measure) || !is_testable(*four[2], *four[3], result.measure))
            continue;
        if (is_repeat(*four[0], *four[2]) && is_repeat(*four[1], *four[3])) continue;  // 0 by construction
        Contrast contrast = contrast_of(table, four, result.measure);
        if (contrast.estimate.values == 0) continue;
        contrast.level = level_of(group, keys, factor);
        contrast.value = at.at(factor);
        contrast.reference = reference.at(factor);
        contrast.by_reference = reference.at(by);
        result.contrasts.push_back(std::move(contrast));
    }
    std::vector<std::optional<double>> raw;
    for (const Contrast& contrast : result.contrasts) raw.push_back(contrast.p);
    const auto corrected = holm(raw);
    for (std::size_t i = 0; i < corrected.size(); ++i) result.contrasts[i].p_holm = corrected[i];
    return result;
}

std::string value_words(const ResultsTable& table, const std::string& key, const json& value) {
    const int head_dim = key == "fraction" ? head_dim_of(table) : 0;  // looks at all groups
    return setting_title(key) + " " + setting_words(key, value, head_dim);
}

}  // namespace

Interactions interactions(const ResultsTable& table) {
    Interactions result;
    const std::vector<std::string> keys = distinguishing_keys(table);
    if (keys.size() < 2) return result;
    result.factor = factor_of(table, keys);
    if (result.factor.empty()) return result;
    for (const std::string& by : keys) {
        if (by == result.factor || decides_best_loss(by)) continue;
        Interaction interaction = interaction_with(table, keys, result.factor, by);
        if (!interaction.contrasts.empty()) result.list.push_back(std::move(interaction));
    }
    return result;
}

std::string contrast_words(const ResultsTable& table, const Interactions& all, const std::string& by,
                           const Contrast& contrast) {
    return "(" + value_words(table, all.factor, contrast.value) + " − " +
           value_words(table, all.factor, contrast.reference) + ") at " +
           joined(contrast.level, ", ", [&](const auto& each) { return value_words(table, each.first, each.second); }) +
           " − at " + value_words(table, by, contrast.by_reference);
}

std::string interaction_words(const ResultsTable& table, const Interactions& all) {
    std::string words;
    for (const Interaction& each : all.list) {
        const auto is_tested = [](const Contrast& contrast) { return contrast.p_holm.has_value(); };
        const auto is_significant = [](const Contrast& contrast) {
            return contrast.p_holm && *contrast.p_holm < family_level;
        };
        const auto tested = std::ranges::count_if(each.contrasts, is_tested);
        const auto by_seed = std::ranges::count(each.contrasts, TestKind::paired, &Contrast::test);
        const std::string tests = table.sequential ? "tests for a number of seeds that results chose"
                                  : by_seed == std::ssize(each.contrasts) ? "t tests paired by seed"
                                  : by_seed == 0                          ? "Welch's t tests"
                                                                          : "t tests, paired by seed or Welch's";
        const auto significant = std::ranges::count_if(each.contrasts, is_significant);
        words += (words.empty() ? "Interaction " : " Interaction ") + setting_title(all.factor) + " × " +
                 setting_title(each.by) + (each.measure == table.compared ? "" : " (in bits per byte)") + ": " +
                 std::to_string(significant) + " of " + counted(tested, "tested contrast") +
                 (tested == 1 ? " is" : " are") + " significant at 5 % after Holm's correction over these contrasts (" +
                 tests + ")" +
                 (significant > 0 ? ", so the effect of " + setting_title(all.factor) + " differs between levels of " +
                                        setting_title(each.by) + "."
                                  : ", which does not show that the effects are equal.");
    }
    return words;
}

std::string interaction_text(const ResultsTable& table) {
    const Interactions all = interactions(table);
    if (all.list.empty()) return {};
    Table rows = Table::titled({"interaction", "difference [95 % interval]", "n", "p, Holm"}, "lrrr");
    for (const Interaction& each : all.list) {
        for (const Contrast& contrast : each.contrasts)
            rows.rows.push_back({contrast_words(table, all, each.by, contrast), difference_text(contrast.estimate),
                                 std::to_string(contrast.estimate.values), p_text(contrast.p_holm)});
    }
    return rows.text() + interaction_words(table, all) + '\n';
}

json interactions_json(const ResultsTable& table) {
    const Interactions all = interactions(table);
    json list = json::array();
    for (const Interaction& each : all.list) {
        json contrasts = json::array();
        for (const Contrast& contrast : each.contrasts) {
            contrasts.push_back({{"level", contrast.level},
                                 {"value", contrast.value},
                                 {"reference", contrast.reference},
                                 {"by_reference", contrast.by_reference},
                                 {"difference", json_number(contrast.estimate.difference)},
                                 {"difference_confidence_95",
                                  {json_number(contrast.estimate.low), json_number(contrast.estimate.high)}},
                                 {"n", contrast.estimate.values},
                                 {"test", to_string(contrast.test)},
                                 {"p", json_number(contrast.p)},
                                 {"p_holm", json_number(contrast.p_holm)},
                                 {"words", contrast_words(table, all, each.by, contrast)}});
        }
        list.push_back({{"factor", all.factor},
                        {"by", each.by},
                        {"measure", std::string(measures()[each.measure].name)},
                        {"contrasts", std::move(contrasts)}});
    }
    return list;
}

}  // namespace ropelab
