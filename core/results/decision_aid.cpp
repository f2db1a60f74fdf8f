#include "core/results/decision_aid.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/names.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/plan/step_cost.h"
#include "core/results/results_cells.h"
#include "core/results/results_compare.h"
#include "core/stats/t_test.h"
#include "core/store/run_settings.h"

namespace ropelab {

std::vector<std::size_t> pareto_front(std::span<const Costs> choices) {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < choices.size(); ++i) {
        if (std::isfinite(choices[i].first) && std::isfinite(choices[i].second)) order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return choices[a].first != choices[b].first ? choices[a].first < choices[b].first
                                                    : choices[a].second < choices[b].second;
    });
    std::vector<std::size_t> front;
    for (const std::size_t i : order) {
        const bool first = front.empty();
        const Costs last = first ? Costs{} : choices[front.back()];
        const bool equal = !first && choices[i].first == last.first && choices[i].second == last.second;
        if (first || equal || choices[i].second < last.second) front.push_back(i);
    }
    return front;
}

namespace {

constexpr double significance = 0.05;
constexpr double margin = 0.01;  // of the other setting's mean: how much worse the interval of a difference may reach
constexpr std::size_t most_settings = 200;         // of which each pair is tested
constexpr std::size_t most_settings_in_words = 4;  // more settings are counted
constexpr std::size_t most_details = 8;  // more dominated settings and undecided pairs are listed only in JSON

// `better`: 1 if the first group's mean is better, −1 if the second's is. `…_holds`: not inferior; the mean is not
// worse, and the 95 % interval excludes worse than the margin.
struct PairTest {
    std::size_t first, second;
    int better;
    std::optional<double> p;
    bool first_holds = false, second_holds = false;
    bool is_paired = false;
};

PairTest pair_test(const ResultsTable& table, std::size_t first, std::size_t second, std::size_t measure) {
    const ResultGroup& a = table.groups[first];
    const ResultGroup& b = table.groups[second];
    const TestKind kind = test_kind_between(a, b, measure);
    PairTest result{first, second, 0, std::nullopt};
    const double sign = measures()[measure].more_is_better ? 1 : -1;
    if (table.sequential && is_loss(measures()[measure])) {
        // Losses decided the numbers of seeds, so only the stopping rule's own test of two groups holds.
        const bool is_first = table.baseline_of(a) == &b;
        const Comparison& own = is_first ? a.paired : b.paired;
        const bool is_tested = is_first || table.baseline_of(b) == &a;
        if (measure != table.compared || !is_tested || !own.sequential || !own.estimate) return result;
        const double side = is_first ? sign : -sign;
        const auto& [difference, low, high, reference, values] = *own.estimate;
        result.better = own.sequential->end == SequentialResult::End::refutation ? 0 : side * difference > 0 ? 1 : -1;
        result.p = own.p;
        result.is_paired = own.p.has_value();
        const double tolerated = -margin * std::abs(reference);
        result.first_holds = side * difference >= 0 && std::min(side * low, side * high) >= tolerated;
        result.second_holds = side * difference <= 0 && std::min(-side * low, -side * high) >= tolerated;
        return result;
    }
    auto test = test_between(a, b, measure, kind);
    result.is_paired = test && kind == TestKind::paired;
    // Equal differences for all seeds have no paired test.
    if (!test) test = test_between(a, b, measure, TestKind::welch);
    if (test) {
        result.better = test->t * sign > 0 ? 1 : test->t * sign < 0 ? -1 : 0;  // t has the sign of a − b
        if (is_equivalent(table, difference_interval(a, b, measure, kind))) result.better = 0;
        result.p = test->p;
    }
    const auto holds = [&](const ResultGroup& own, const ResultGroup& other) {
        const auto interval = difference_interval(own, other, measure, kind);
        if (!interval) return false;
        const double worst = std::min(sign * interval->low, sign * interval->high);  // NaN with one value
        return sign * interval->difference >= 0 && worst >= -margin * std::abs(interval->reference);
    };
    result.first_holds = holds(a, b);
    result.second_holds = holds(b, a);
    return result;
}

std::size_t loss_of(const ResultsTable& table, const DecisionChoice& choice) {
    if (choice.loss.empty())
        return is_loss(measures()[table.compared]) ? table.compared : measure_index("best_validation_loss");
    const std::size_t index = measure_index(choice.loss);
    if (is_loss(measures()[index])) return index;
    throw BadInput("\"" + choice.loss +
                   "\" is not a loss, so it cannot be weighed against a speed or a cache size; name a loss, such as "
                   "best_validation_loss.");
}

// Settings of other versions may have unknown values.
bool has_cache_sizes(const ResultsTable& table) {
    if (!imported_words(table).empty()) return false;  // their models are not known
    try {
        for (const ResultGroup& group : table.groups) group_cache_bytes(table, group);
    } catch (const BadInput&) {
        return false;
    }
    return true;
}

DecisionCost cost_of(const ResultsTable& table, const DecisionChoice& choice) {
    if (!choice.cost.empty()) return item_named(decision_costs(), choice.cost, "cost of a decision");
    const std::size_t generation = measure_index("generated_tokens_per_second");
    const bool is_measured = std::any_of(table.groups.begin(), table.groups.end(),
                                         [&](const ResultGroup& group) { return group.described[generation].n > 0; });
    if (is_measured) return decision_costs()[1];
    const bool has_tests = std::all_of(table.groups.begin(), table.groups.end(), has_own_clocks);
    return decision_costs()[has_tests || !has_cache_sizes(table) ? 0 : 2];
}

bool is_cache(const DecisionCost& cost) {
    return cost.name == "cache_bytes";
}

// The sizes are exact, so that the comparison has no p.
PairTest cache_test(std::size_t first, std::size_t second, double first_bytes, double second_bytes) {
    return {first,
            second,
            first_bytes < second_bytes   ? 1
            : first_bytes > second_bytes ? -1
                                         : 0,
            std::nullopt,
            first_bytes <= second_bytes,
            second_bytes <= first_bytes};
}

DecisionAid aid_of(const ResultsTable& table, const std::vector<std::size_t>& groups, std::size_t loss,
                   const DecisionCost& cost) {
    DecisionAid aid;
    aid.loss = loss;
    aid.cost = cost;
    if (groups.size() > most_settings) {
        aid.untried = groups.size();
        return aid;
    }
    std::vector<double> caches;  // bytes of each group, only if they are the cost
    if (is_cache(cost)) {
        for (const std::size_t group : groups) caches.push_back(group_cache_bytes(table, table.groups[group]));
    }
    const std::optional<std::size_t> speed =
        is_cache(cost) ? std::nullopt : std::optional(measure_index(std::string(cost.name)));
    std::vector<PairTest> tests;  // loss and cost of each pair in turn
    for (std::size_t i = 0; i < groups.size(); ++i) {
        for (std::size_t j = i + 1; j < groups.size(); ++j) {
            tests.push_back(pair_test(table, groups[i], groups[j], loss));
            if (speed && !is_testable(table.groups[groups[i]], table.groups[groups[j]], *speed))
                aid.untested_cost = true;
            tests.push_back(speed ? pair_test(table, groups[i], groups[j], *speed)
                                  : cache_test(groups[i], groups[j], caches[i], caches[j]));
        }
    }
    std::vector<std::optional<double>> raw;
    for (const PairTest& test : tests) {
        raw.push_back(test.p);
        aid.paired += test.is_paired ? 1 : 0;
    }
    aid.comparisons =
        static_cast<int>(std::count_if(raw.begin(), raw.end(), [](const auto& p) { return p.has_value(); }));
    const auto corrected = holm(raw);
    const auto sign = [&](std::size_t i) {
        if (is_cache(cost) && i % 2 == 1) return tests[i].better;
        return corrected[i] && *corrected[i] < significance ? tests[i].better : 0;
    };
    std::map<std::size_t, std::size_t> dominator;  // by the group that it dominates
    for (std::size_t i = 0; i < tests.size(); i += 2) {
        for (const int side : {1, -1}) {  // whether the first group dominates the second, and the reverse
            const auto is_better = [&](std::size_t test) { return side * sign(test) > 0; };
            const auto holds = [&](std::size_t test) {
                return is_better(test) || (side > 0 ? tests[test].first_holds : tests[test].second_holds);
            };
            if (!(is_better(i) || is_better(i + 1)) || !holds(i) || !holds(i + 1)) continue;
            side > 0 ? dominator.emplace(tests[i].second, tests[i].first)
                     : dominator.emplace(tests[i].first, tests[i].second);
        }
    }
    for (const std::size_t group : groups) {
        if (const auto by = dominator.find(group); by != dominator.end()) {
            aid.dominated.push_back({group, by->second});
        } else {
            aid.front.push_back(group);
        }
    }
    for (std::size_t i = 0; i < tests.size(); i += 2) {
        if (sign(i) != 0 || sign(i + 1) != 0) continue;
        if (dominator.contains(tests[i].first) || dominator.contains(tests[i].second)) continue;
        aid.undecided.push_back({tests[i].first, tests[i].second});
    }
    return aid;
}

}  // namespace

std::span<const DecisionCost> decision_costs() {
    static constexpr std::array<DecisionCost, 3> costs = {{{"tokens_per_second", "training speed"},
                                                           {"generated_tokens_per_second", "generation speed"},
                                                           {"cache_bytes", "size of KV cache and RoPE cache"}}};
    return costs;
}

std::vector<std::string_view> decision_losses() {
    std::vector<std::string_view> names;
    for (const Measure& measure : measures()) {
        if (is_loss(measure)) names.push_back(measure.name);
    }
    return names;
}

DecisionChoice decision_choice(const std::string& typed) {
    DecisionChoice choice;
    const std::vector<std::string_view> losses = decision_losses();
    std::vector<std::string_view> known = losses;
    for (const DecisionCost& cost : decision_costs()) known.push_back(cost.name);
    for (const std::string& name : parts_of(typed)) {
        if (name.empty()) continue;
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw BadInput("\"" + name +
                           "\" is neither a loss nor a cost (a speed or a cache size) that a decision can weigh" +
                           hint(name, known) + " Possible names are " + joined(known) + ".");
        }
        std::string& part = std::find(losses.begin(), losses.end(), name) != losses.end() ? choice.loss : choice.cost;
        if (!part.empty())
            throw BadInput("\"" + typed + "\" names two losses or two costs; a decision weighs one loss and one " +
                           "cost, such as best_validation_loss,cache_bytes.");
        part = name;
    }
    return choice;
}

double group_cache_bytes(const ResultsTable& table, const ResultGroup& group) {
    nlohmann::json settings(table.shared);
    for (const auto& [key, value] : group.settings) {
        if (!value.is_null()) settings[key] = value;
    }
    return static_cast<double>(cache_bytes(run_spec_from_json(settings)).total());
}

std::vector<DecisionAid> decision_aids(const ResultsTable& table, const DecisionChoice& choice) {
    std::vector<DecisionAid> aids;
    const std::size_t loss = loss_of(table, choice);
    const DecisionCost cost = cost_of(table, choice);
    const auto is_known = [&](const ResultGroup& group) {
        return group.described[loss].n > 0 && ((is_cache(cost) && imported_words(table).empty()) ||
                                               group.described[measure_index(std::string(cost.name))].n > 0);
    };
    std::vector<bool> seen(table.groups.size());
    for (std::size_t first = 0; first < table.groups.size(); ++first) {
        if (seen[first]) continue;
        std::vector<std::size_t> members;
        for (std::size_t i = first; i < table.groups.size(); ++i) {
            const ResultGroup& group = table.groups[i];
            if (!same_data(table.groups[first], group, loss)) continue;
            seen[i] = true;
            if (!is_known(group)) continue;
            const auto same = std::ranges::find_if(
                members, [&](std::size_t member) { return is_repeat(table.groups[member], group); });
            if (same == members.end())
                members.push_back(i);
            else if (group.seeds.size() > table.groups[*same].seeds.size())
                *same = i;
        }
        DecisionAid aid = aid_of(table, members, loss, cost);
        if (aid.comparisons > 0 || aid.untried > 0) aids.push_back(std::move(aid));
    }
    return aids;
}

std::string decision_rule_words(const ResultsTable& table) {
    return "A setting is Pareto-dominated if another setting is significantly better in loss or in cost (speed or "
           "cache size) and not inferior in the other of the two. \"Not inferior\" means that the mean is not worse "
           "and that the 95 % interval of the difference excludes a mean that is more than 1 % worse. Every pair of "
           "settings is tested in loss and in cost with " +
           test_title(std::nullopt) +
           (table.sequential ? " (losses with the stopping rule's test, and only a setting and its baseline)" : "") +
           ", at the 5 % level after Holm's correction over all these tests; a difference whose 95 % interval lies "
           "within the relevance margin of the table counts as none. Settings that train the same models count once. "
           "Cache sizes are exact and need no test. Two settings that no test separates are undecided: this does not "
           "show that they are equal.";
}

DecisionNames decision_names(const ResultsTable& table) {
    return {[&table](const ResultGroup& group) { return group_words(table, group); },
            [](const Measure& measure) { return setting_title(std::string(measure.name)); },
            [](const DecisionCost& cost) { return std::string(cost.title); }};
}

namespace {

std::string front_words(const DecisionAid& aid, const ResultsTable& table, const DecisionNames& names) {
    if (aid.untried > 0) {
        return "The decision aid tests each pair of settings, and these " + std::to_string(aid.untried) +
               " settings are too many for it: choose an experiment of at most " + std::to_string(most_settings) +
               " settings.";
    }
    const std::size_t count = aid.front.size() + aid.dominated.size();
    const std::string all = std::to_string(count);
    if (aid.front.empty())
        return "Each of the " + all + " settings is Pareto-dominated by another one.";  // not transitive
    if (aid.dominated.empty()) {
        const std::string words =
            count == 2 ? "Neither setting is Pareto-dominated" : "None of the " + all + " settings is Pareto-dominated";
        const bool is_undecided = aid.undecided.size() == count * (count - 1) / 2;
        if (!is_undecided) return words + " by another one.";
        return words + ": no difference in " + (is_cache(aid.cost) || aid.untested_cost ? "loss" : "loss or speed") +
               " is significant after Holm's correction over " + counted(aid.comparisons, "test") +
               " and beyond the relevance margin" +
               (is_cache(aid.cost)  ? ", and the caches are equal."
                : aid.untested_cost ? ", and the speeds cannot be tested."
                                    : ".");
    }
    std::string words =
        std::to_string(aid.front.size()) + " of " + all +
        (aid.front.size() == 1 ? " settings is not Pareto-dominated: " : " settings are not Pareto-dominated: ");
    for (std::size_t i = 0; i < std::min(aid.front.size(), most_settings_in_words); ++i) {
        words += (i == 0 ? "" : "; ") + names.group(table.groups[aid.front[i]]);
    }
    if (aid.front.size() > most_settings_in_words) {
        words += "; " + std::to_string(aid.front.size() - most_settings_in_words) + " more";
    }
    return words + ".";
}

}  // namespace

std::string decision_words(const DecisionAid& aid, const ResultsTable& table, const DecisionNames& names) {
    return (table.open() > 0 ? "So far, with " + counted(table.open(), "run") + " left: " : "") +
           front_words(aid, table, names);
}

std::vector<std::string> decision_details(const DecisionAid& aid, const ResultsTable& table,
                                          const DecisionNames& names) {
    if (aid.untried > 0) return {};
    const auto label = [&](std::size_t group) { return names.group(table.groups[group]); };
    std::vector<std::string> lines = {"The settings are compared in " + names.loss(measures()[aid.loss]) + " and " +
                                      names.cost(aid.cost) + " with " +
                                      (table.sequential ? "the stopping rule's tests of losses and " : "") +
                                      test_title(aid.paired == 0                 ? std::optional(TestKind::welch)
                                                 : aid.paired == aid.comparisons ? std::optional(TestKind::paired)
                                                                                 : std::nullopt) +
                                      ", after Holm's correction over " + counted(aid.comparisons, "test") + "."};
    if (aid.untested_cost) {
        lines.emplace_back(
            "There is one measurement of training speed per setting: runs trained together (a cohort) share one clock, "
            "and the load of the machine differs between cohorts. The speeds are therefore not tested, and no setting "
            "is marked as Pareto-dominated.");
    }
    const auto add = [&](std::size_t count, const auto& line_of) {
        for (std::size_t i = 0; i < std::min(count, most_details); ++i) lines.push_back(line_of(i));
        if (count > most_details) lines.back() += " " + std::to_string(count - most_details) + " more are not listed.";
    };
    add(aid.dominated.size(), [&](std::size_t i) {
        return label(aid.dominated[i].group) + " is Pareto-dominated by " + label(aid.dominated[i].by) + ".";
    });
    const auto table_says = [&](std::size_t group, std::size_t other) {
        const bool compares = table.groups[group].against == other && aid.loss == table.compared;
        return compares ? verdict_of(table, table.groups[group]) : Verdict();
    };
    auto undecided = aid.undecided;
    if (undecided.size() > most_details) {
        const std::size_t count = aid.front.size() + aid.dominated.size();
        const bool all = undecided.size() == count * (count - 1) / 2;
        lines.push_back("Undecided: " + std::string(all ? "all " : "") + grouped(std::ssize(undecided)) +
                        (all ? "" : " of " + grouped(static_cast<std::int64_t>(count * (count - 1) / 2))) +
                        " pairs of settings.");
        // Only where the table decides.
        std::erase_if(undecided, [&](const auto& pair) {
            return table_says(pair.first, pair.second).kind <= Verdict::Kind::equivalent &&
                   table_says(pair.second, pair.first).kind <= Verdict::Kind::equivalent;
        });
    }
    add(undecided.size(), [&](std::size_t i) {
        const auto& [first, second] = undecided[i];
        std::string line = "Undecided: " + label(first) + " against " + label(second) + ".";
        for (const auto& [group, other] : {std::pair(first, second), std::pair(second, first)}) {
            const Verdict verdict = table_says(group, other);
            if (verdict.kind < Verdict::Kind::equivalent) continue;
            // No correction concerns an equivalence.
            const bool is_equivalent = verdict.kind == Verdict::Kind::equivalent;
            const std::string correction =
                ", whose correction is over " + counted(table.groups[group].comparisons, "comparison") + " only,";
            line += " The table" + (is_equivalent ? "" : correction) + " says: " + label(group) + " is " +
                    to_string(verdict) + (is_equivalent ? " within the relevance margin." : ".");
        }
        return line;
    });
    return lines;
}

std::string decision_text(const ResultsTable& table, const DecisionChoice& choice) {
    const DecisionNames names = decision_names(table);
    std::string text;
    for (const DecisionAid& aid : decision_aids(table, choice)) {
        text += decision_words(aid, table, names) + '\n';
        for (const std::string& line : decision_details(aid, table, names)) text += "  " + line + '\n';
    }
    return text;
}

nlohmann::json decision_json(const ResultsTable& table, const DecisionChoice& choice) {
    using nlohmann::json;
    const auto settings = [&](std::size_t group) { return json(table.groups[group].settings); };
    const auto dominated = [&](const auto& each) -> json {
        return {{"settings", settings(each.group)}, {"by", settings(each.by)}};
    };
    const auto undecided = [&](const auto& each) { return json::array({settings(each.first), settings(each.second)}); };
    return json_list(decision_aids(table, choice), [&](const DecisionAid& aid) -> json {
        return {{"loss", measures()[aid.loss].name},
                {"speed", aid.cost.name},
                {"front", json_list(aid.front, settings)},
                {"dominated", json_list(aid.dominated, dominated)},
                {"undecided", json_list(aid.undecided, undecided)},
                {"comparisons", aid.comparisons},
                {"rule", decision_rule_words(table)},
                {"words", decision_words(aid, table, decision_names(table))}};
    });
}

}  // namespace ropelab
