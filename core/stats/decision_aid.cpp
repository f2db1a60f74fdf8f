#include "core/stats/decision_aid.h"

#include <algorithm>

#include "core/stats/holm.h"
#include "core/stats/results_cells.h"
#include "core/stats/results_compare.h"

namespace ropelab {

namespace {

constexpr double significance = 0.05;
constexpr std::size_t most_pairs_in_words = 3;  // more undecided pairs are counted, and listed only in JSON

// Test of two groups in one measure. `better`: 1 if the first group's mean is better, −1 if the second's is.
struct PairTest {
    std::size_t first, second;
    int better;
    std::optional<double> p;
};

PairTest pair_test(const ResultsTable& table, std::size_t first, std::size_t second, std::size_t measure) {
    const ResultGroup& a = table.groups[first];
    const ResultGroup& b = table.groups[second];
    const auto test = test_between(a, b, measure, table.test);
    if (!test) return {first, second, 0, std::nullopt};
    const bool better = (test->t > 0) == measures()[measure].more_is_better;  // t has the sign of a − b
    return {first, second, better ? 1 : -1, test->p};
}

std::size_t loss_of(const ResultsTable& table) {
    const std::string_view unit = measures()[table.compared].unit;
    return unit == "nats" || unit == "bits" ? table.compared : measure_index("best_validation_loss");
}

std::size_t speed_of(const ResultsTable& table) {
    const std::size_t generation = measure_index("generated_tokens_per_second");
    const bool is_measured = std::any_of(table.groups.begin(), table.groups.end(),
                                         [&](const ResultGroup& group) { return group.described[generation].n > 0; });
    return is_measured ? generation : measure_index("tokens_per_second");
}

DecisionAid aid_of(const ResultsTable& table, const std::vector<std::size_t>& groups) {
    DecisionAid aid;
    aid.loss = loss_of(table);
    aid.speed = speed_of(table);
    std::vector<PairTest> tests;  // loss and speed of each pair in turn
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = i + 1; j < groups.size(); ++j) {
            for (const std::size_t measure : {aid.loss, aid.speed}) {
                tests.push_back(pair_test(table, groups[i], groups[j], measure));
            }
        }
    }
    std::vector<std::optional<double>> raw;
    for (const PairTest& test : tests) raw.push_back(test.p);
    aid.comparisons =
        static_cast<int>(std::count_if(raw.begin(), raw.end(), [](const auto& p) { return p.has_value(); }));
    const auto corrected = holm(raw);
    const auto sign = [&](std::size_t i) { return corrected[i] && *corrected[i] < significance ? tests[i].better : 0; };
    for (const std::size_t group : groups) {
        const auto beats = [&](std::size_t i) {  // the other group of pair i dominates `group`
            const int side = tests[i].first == group ? -1 : tests[i].second == group ? 1 : 0;
            const int loss = side * sign(i), speed = side * sign(i + 1);
            return side != 0 && loss >= 0 && speed >= 0 && loss + speed > 0;
        };
        std::optional<std::size_t> by;
        for (std::size_t i = 0; i < tests.size() && !by; i += 2) {
            if (beats(i)) by = tests[i].first == group ? tests[i].second : tests[i].first;
        }
        if (by) {
            aid.dominated.push_back({group, *by});
        } else {
            aid.front.push_back(group);
        }
    }
    const auto on_front = [&](std::size_t group) {
        return std::find(aid.front.begin(), aid.front.end(), group) != aid.front.end();
    };
    for (std::size_t i = 0; i < tests.size(); i += 2) {
        if (sign(i) != 0 || sign(i + 1) != 0) continue;
        if (on_front(tests[i].first) && on_front(tests[i].second)) {
            aid.undecided.push_back({tests[i].first, tests[i].second});
        }
    }
    return aid;
}

}  // namespace

std::vector<DecisionAid> decision_aids(const ResultsTable& table) {
    std::vector<DecisionAid> aids;
    if (table.groups.empty()) return aids;
    const std::size_t loss = loss_of(table), speed = speed_of(table);
    std::vector<bool> seen(table.groups.size());
    for (std::size_t first = 0; first < table.groups.size(); ++first) {
        if (seen[first]) continue;
        std::vector<std::size_t> members;
        for (std::size_t i = first; i < table.groups.size(); ++i) {
            const ResultGroup& group = table.groups[i];
            if (!same_data(table.groups[first], group)) continue;
            seen[i] = true;
            if (group.described[loss].n > 0 && group.described[speed].n > 0) members.push_back(i);
        }
        DecisionAid aid = aid_of(table, members);
        if (aid.comparisons > 0) aids.push_back(std::move(aid));
    }
    return aids;
}

std::string decision_rule_words() {
    return "A setting is dominated if another setting is significantly better in loss or speed and not significantly "
           "worse in the other one. Every pair of settings is tested in both, at the 5 % level after Holm's correction "
           "over all these tests. Two settings that no test separates are undecided: this does not show that they are "
           "equal.";
}

std::string decision_words(const ResultsTable& table, const DecisionAid& aid) {
    const auto label = [&](std::size_t group) { return group_label(table, table.groups[group]); };
    const std::string both = std::string(measures()[aid.loss].name) + " and " + std::string(measures()[aid.speed].name);
    const std::string tests = " (" + test_title(table.test) + ", " + std::to_string(aid.comparisons) +
                              (aid.comparisons == 1 ? " test)." : " tests).");
    if (aid.front.empty()) return "Each of these settings is dominated by another one.";  // the rule is not transitive
    std::string words;
    if (aid.dominated.empty()) {
        words = "No setting is dominated by another one in " + both + tests;
    } else {
        words = "None of these settings is better in " + both + " than ";
        for (const std::size_t group : aid.front) words += (group == aid.front.front() ? "" : "; ") + label(group);
        words += tests;
    }
    if (aid.undecided.empty()) return words;
    words += " Undecided: ";
    if (aid.undecided.size() > most_pairs_in_words) {
        words += std::to_string(aid.undecided.size()) + " of the " +
                 std::to_string(aid.front.size() * (aid.front.size() - 1) / 2) + " pairs of " +
                 (aid.dominated.empty() ? "settings" : "them");
    } else {
        for (const auto& [first, second] : aid.undecided) {
            words += (words.ends_with(": ") ? "" : "; ") + label(first) + " against " + label(second);
        }
    }
    return words + ", for which no test finds a difference in loss or speed.";
}

std::string decision_text(const ResultsTable& table) {
    std::string text;
    for (const DecisionAid& aid : decision_aids(table)) text += decision_words(table, aid) + '\n';
    return text;
}

nlohmann::json decision_json(const ResultsTable& table) {
    nlohmann::json result = nlohmann::json::array();
    const auto settings = [&](std::size_t group) { return nlohmann::json(table.groups[group].settings); };
    for (const DecisionAid& aid : decision_aids(table)) {
        nlohmann::json front = nlohmann::json::array(), dominated = front, undecided = front;
        for (const std::size_t group : aid.front) front.push_back(settings(group));
        for (const auto& each : aid.dominated) {
            dominated.push_back({{"settings", settings(each.group)}, {"by", settings(each.by)}});
        }
        for (const auto& each : aid.undecided) {
            undecided.push_back(nlohmann::json::array({settings(each.first), settings(each.second)}));
        }
        result.push_back({{"loss", measures()[aid.loss].name},
                          {"speed", measures()[aid.speed].name},
                          {"front", std::move(front)},
                          {"dominated", std::move(dominated)},
                          {"undecided", std::move(undecided)},
                          {"comparisons", aid.comparisons},
                          {"rule", decision_rule_words()},
                          {"words", decision_words(table, aid)}});
    }
    return result;
}

}  // namespace ropelab
