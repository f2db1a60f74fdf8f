#pragma once

#include <string>
#include <vector>

#include "core/stats/results_table.h"

namespace ropelab {

/// Settings of one data set on the Pareto front of a loss and a speed, with what the tests leave undecided (section 7.1
/// of Huang et al. 2025).
struct DecisionAid {
    /// Group `group` is dominated by group `by`.
    struct Dominated {
        std::size_t group = 0;
        std::size_t by = 0;
    };
    /// Two groups on the front without a significant difference in loss or speed.
    struct Undecided {
        std::size_t first = 0;
        std::size_t second = 0;
    };
    std::size_t loss = 0;  // indices of the two measures
    std::size_t speed = 0;
    std::vector<std::size_t> front;    // indices of groups that no group dominates
    std::vector<Dominated> dominated;  // all other groups with values of both measures
    std::vector<Undecided> undecided;
    int comparisons = 0;  // number of tests over which Holm's correction is
};

/// Returns one decision aid per data set in which at least one pair of groups can be tested. The loss is the
/// compared measure, or the best validation loss if that is not a loss; the speed is the generation speed if it is
/// measured, else the training speed. All pairs of groups are tested in both measures with the table's test, at the 5 %
/// level after Holm's correction over all these tests.
std::vector<DecisionAid> decision_aids(const ResultsTable& table);

/// States the rule in sentences: a setting is dominated if another is significantly better in one measure and not
/// significantly worse in the other.
std::string decision_rule_words();
/// Returns the aid in sentences: "None of these settings is better in best_validation_loss and tokens_per_second than
/// theta = 500; theta = 1000. Undecided: …". More than three undecided pairs are only counted.
std::string decision_words(const ResultsTable& table, const DecisionAid& aid);
/// Returns all aids as one line each; "" if there is none.
std::string decision_text(const ResultsTable& table);
/// Returns all aids as a JSON list with loss, speed, front, dominated, undecided and words.
nlohmann::json decision_json(const ResultsTable& table);

}  // namespace ropelab
