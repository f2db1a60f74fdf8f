#include "core/results/across_texts.h"

#include <algorithm>
#include <cmath>

#include "core/base/numbers.h"
#include "core/results/results_compare.h"
#include "core/results/results_verdict.h"
#include "core/table/table.h"

namespace ropelab {

namespace {

using nlohmann::json;
using Settings = std::map<std::string, json>;

// The swept settings that are (or are not) those of the text.
Settings part_of(const ResultGroup& group, bool of_text) {
    Settings result = group.settings;
    std::erase_if(result, [of_text](const auto& setting) { return is_text_setting(setting.first) != of_text; });
    return result;
}

std::string words_of(const ResultsTable& table, const Settings& settings) {
    const int head_dim = head_dim_of(table);
    return joined(settings, ", ", [&](const auto& entry) {
        return setting_title(entry.first) + " " + setting_words(entry.first, entry.second, head_dim);
    });
}

// Only the settings in which the two differ are named.
std::string pair_words(const ResultsTable& table, const AcrossTexts& across) {
    Settings ours, theirs;
    for (const auto& [key, value] : across.settings) {
        if (across.reference.at(key) == value) continue;
        ours[key] = value;
        theirs[key] = across.reference.at(key);
    }
    Settings level = across.settings;
    std::erase_if(level, [&](const auto& entry) { return ours.contains(entry.first); });
    return words_of(table, ours) + " − " + words_of(table, theirs) +
           (level.empty() ? "" : " at " + words_of(table, level));
}

// In balanced data, the test of μ is the t test of the texts' means, and moments give the restricted likelihood's
// standard deviations.
void fit_mixed_model(const ResultsTable& table, AcrossTexts& across,
                     const std::vector<std::vector<double>>& differences) {
    std::vector<double> means;
    double squares = 0, freedom = 0, of_seeds = 0;
    for (const std::vector<double>& own : differences) {
        const Sample sample = sample_of(own);
        means.push_back(sample.mean);
        if (sample.n < 2) continue;
        const double square = sample.standard_deviation * sample.standard_deviation;
        squares += square * static_cast<double>(sample.n - 1);
        freedom += static_cast<double>(sample.n - 1);
    }
    if (freedom > 0) across.within = std::sqrt(squares / freedom);
    for (const std::vector<double>& own : differences)
        of_seeds += across.within * across.within / static_cast<double>(own.size() * differences.size());
    const Description described = describe(means);
    across.estimate.difference = described.mean;
    across.estimate.values = static_cast<int>(described.n);
    const double variance = described.standard_deviation * described.standard_deviation - of_seeds;
    across.between = variance > 0 ? std::sqrt(variance) : 0;
    if (means.size() < least_texts || table.sequential) return;
    const std::vector<double> zeros(means.size(), 0.0);
    const auto test = paired_t_test(means, zeros);
    if (!test) return;
    across.estimate.low = described.confidence_low;
    across.estimate.high = described.confidence_high;
    across.p = test->p;
}

}  // namespace

std::vector<AcrossTexts> across_texts(const ResultsTable& table) {
    std::vector<AcrossTexts> result;
    std::vector<std::vector<std::vector<double>>> differences;  // of each result, per text
    if (!is_loss(measures()[table.compared])) return result;
    for (const ResultGroup& group : table.groups) {
        const ResultGroup* baseline = table.baseline_of(group);
        const auto& estimate = group.decided().estimate;
        if (!baseline || baseline == &group || !estimate || repeats(table, group)) continue;
        const Settings settings = part_of(group, false), reference = part_of(*baseline, false);
        auto found = std::ranges::find_if(result, [&](const AcrossTexts& known) {
            return known.settings == settings && known.reference == reference;
        });
        if (found == result.end()) {
            result.push_back({settings, reference, {}, {}, 0, 0, {}, {}});
            differences.emplace_back();
            found = result.end() - 1;
        }
        std::vector<double> own;
        for (const SeedDifference& each : seed_differences(group, *baseline, table.compared))
            own.push_back(each.difference);
        if (own.empty()) own.push_back(estimate->difference);  // without common seeds
        differences[static_cast<std::size_t>(found - result.begin())].push_back(std::move(own));
        found->texts.push_back({part_of(group, true), *estimate, to_string(verdict_of(table, group))});
    }
    for (std::size_t i = 0; i < result.size(); ++i) fit_mixed_model(table, result[i], differences[i]);
    std::erase_if(result, [](const AcrossTexts& across) { return across.texts.size() < 2; });
    std::vector<std::optional<double>> raw;
    for (const AcrossTexts& across : result) raw.push_back(across.p);
    const auto corrected = holm(raw);
    for (std::size_t i = 0; i < result.size(); ++i) result[i].p_holm = corrected[i];
    return result;
}

std::string across_words(const ResultsTable& table, const AcrossTexts& across) {
    const std::string unit = unit_after(table);
    const std::string texts = counted(across.texts.size(), "text");
    std::string list = joined(across.texts, ", ", [&](const AcrossTexts::OnText& each) {
        return words_of(table, each.data) + " " + difference_text(each.estimate) + " (" + each.verdict + ")";
    });
    const std::string begin = pair_words(table, across) + ", on each of " + texts + ": " + list + ". ";
    if (table.sequential)
        return begin + "The stopping rule decides on each text alone, so there is no test across texts.";
    if (across.texts.size() < least_texts) {
        return begin + texts + " are too few for a statement on texts of this kind (at least " +
               std::to_string(least_texts) + "); the verdicts hold on these texts.";
    }
    if (!across.p_holm) return begin + "The differences on the texts are equal, so there is no test across texts.";
    const bool is_significant = *across.p_holm < family_level;
    const bool better = (across.estimate.difference > 0) == measures()[table.compared].more_is_better;
    return begin + (is_significant ? (better ? "Better" : "Worse") : "Not significant") +
           " on texts of this kind, if these are a sample of them: " + difference_text(across.estimate) + unit + " (" +
           texts + ", " + p_words(*across.p_holm) +
           " after Holm's correction; mixed model with a random effect per text, standard deviation " +
           rough_text(across.between) + unit + " between texts, " + rough_text(across.within) + unit +
           " between seeds).";
}

json across_texts_json(const ResultsTable& table) {
    json result = json::array();
    const auto interval = [](const DifferenceInterval& estimate) {
        return json{json_number(estimate.low), json_number(estimate.high)};
    };
    for (const AcrossTexts& across : across_texts(table)) {
        json texts = json::array();
        for (const AcrossTexts::OnText& each : across.texts) {
            texts.push_back({{"data", each.data},
                             {"difference", json_number(each.estimate.difference)},
                             {"difference_confidence_95", interval(each.estimate)},
                             {"n", each.estimate.values},
                             {"verdict", each.verdict}});
        }
        result.push_back({{"settings", across.settings},
                          {"baseline", across.reference},
                          {"n_texts", across.texts.size()},
                          {"texts", std::move(texts)},
                          {"difference", json_number(across.estimate.difference)},
                          {"difference_confidence_95", interval(across.estimate)},
                          {"std_between_texts", across.between},
                          {"std_between_seeds", across.within},
                          {"p", json_number(across.p)},
                          {"p_holm", json_number(across.p_holm)},
                          {"words", across_words(table, across)}});
    }
    return result;
}

}  // namespace ropelab
