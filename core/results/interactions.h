#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/results/result_group.h"

namespace ropelab {

// Sweeps over two or more settings (formula 69). The factor is the setting that the table compares: most groups differ
// from their baseline in it alone. Its simple effects are the rows of the table, each within a level of the others.

/// The effect of a value of the factor at one level of the other settings, less the same effect at another level.
struct Contrast {
    std::map<std::string, nlohmann::json> level;         // the other settings in which the groups differ
    nlohmann::json value, reference, by_reference = {};  // of the factor, and of the second setting at the other level
    DifferenceInterval estimate;
    TestKind test = TestKind::paired;  // by seed, over the seeds of all four groups; else Welch's
    std::optional<double> p, p_holm;
};
struct Interaction {
    std::string by;                   // the second setting
    std::size_t measure = 0;          // bits per byte between tokenizers, else the compared one
    std::vector<Contrast> contrasts;  // Holm's correction is over all of them
};
struct Interactions {
    std::string factor;
    std::vector<Interaction> list;
};

/// Of every value of the factor with every value of each second setting, at equal values of the further ones:
/// (y_ab − y_0b) − (y_a0 − y_00), where 0 are the values of the table's baseline. Groups that train the same models
/// have no contrast. Empty if fewer than two settings are swept.
Interactions interactions(const ResultsTable& table);
/// "(θ 100 − θ 10k) at fraction 25 % − at fraction 100 %".
std::string contrast_words(const ResultsTable& table, const Interactions& all, const std::string& by,
                           const Contrast& contrast);
/// How many contrasts are significant, with their family; "" without interactions.
std::string interaction_words(const ResultsTable& table, const Interactions& all);
/// Rows with intervals and interaction_words(); "" without interactions.
std::string interaction_text(const ResultsTable& table);
nlohmann::json interactions_json(const ResultsTable& table);

}  // namespace ropelab
