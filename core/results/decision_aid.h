#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/results/results_table.h"

namespace ropelab {

struct DecisionCost {
    std::string_view name;   // "tokens_per_second", "generated_tokens_per_second" or "cache_bytes"
    std::string_view title;  // "training speed"
};
std::span<const DecisionCost> decision_costs();

struct DecisionChoice {
    /// In nats or bits; "": the compared measure, or the best validation loss if that is not a loss.
    std::string loss = {};
    /// "": generation speed if measured, else training speed if testable (is_testable), else the size of the caches.
    std::string cost = {};
};
/// "LOSS,COST", or one of them alone; "": the default. Throws BadInput for a name that is neither.
DecisionChoice decision_choice(const std::string& typed);
std::vector<std::string_view> decision_losses();

/// The settings of a data set that the tests do not find dominated, and what they leave undecided (section 7.1 of Huang
/// et al. 2025).
struct DecisionAid {
    struct Dominated {
        std::size_t group = 0;
        std::size_t by = 0;
    };
    /// Both on the front, without a significant difference in loss or speed, and with caches of equal size.
    struct Undecided {
        std::size_t first = 0;
        std::size_t second = 0;
    };
    std::size_t loss = 0;  // index of a measure
    DecisionCost cost;
    std::vector<std::size_t> front;    // indices of groups that no group dominates
    std::vector<Dominated> dominated;  // all other groups with values of both quantities
    std::vector<Undecided> undecided;
    int comparisons = 0;      // number of tests over which Holm's correction is
    int paired = 0;           // of these, tests that are paired by seed
    std::size_t untried = 0;  // settings that are too many to test each pair; nothing else is then known
    /// The training times of some pair are one measurement.
    bool untested_cost = false;
};

/// One per data set with a pair of groups that can be tested. Of groups that train the same models, the largest counts.
/// All pairs of groups are tested in both quantities (ResultsOptions::test), at the 5 % level after Holm's correction
/// over all these tests. The size of the caches is compared exactly. Throws BadInput for a choice that does not exist.
std::vector<DecisionAid> decision_aids(const ResultsTable& table, const DecisionChoice& choice = {});

/// KV cache and RoPE cache at the context (cache_bytes).
double group_cache_bytes(const ResultsTable& table, const ResultGroup& group);

/// Dominated: another setting is significantly better in one quantity and not inferior in the other (margin 1 %).
std::string decision_rule_words(const ResultsTable& table);

struct DecisionNames {
    std::function<std::string(const ResultGroup&)> group;  // "θ = 10k"
    std::function<std::string(const Measure&)> loss;       // "best validation loss"
    std::function<std::string(const DecisionCost&)> cost;  // "training speed"
};
DecisionNames decision_names(const ResultsTable& table);
/// "2 of 6 settings are not dominated: θ = 500; θ = 1k." More than four settings are counted.
std::string decision_words(const DecisionAid& aid, const ResultsTable& table, const DecisionNames& names);
/// Quantities and test, which setting dominates each other one, and undecided pairs; at most eight sentences of each.
std::vector<std::string> decision_details(const DecisionAid& aid, const ResultsTable& table,
                                          const DecisionNames& names);
/// Each aid as its sentence and a line per detail; "" if there is none.
std::string decision_text(const ResultsTable& table, const DecisionChoice& choice = {});
/// A list with loss, speed (the name of the cost), front, dominated, undecided and words.
nlohmann::json decision_json(const ResultsTable& table, const DecisionChoice& choice = {});

/// Lower is better.
struct Costs {
    double first = 0;
    double second = 0;
};

/// In ascending order of the first cost. A choice is on the front unless another is at least as good in both costs and
/// better in one. Equal choices all are; one with an infinite cost or NaN is not.
std::vector<std::size_t> pareto_front(std::span<const Costs> choices);

}  // namespace ropelab
