#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/results/result_group.h"

namespace ropelab {

/// With fewer, a t test over texts has no more than one degree of freedom.
inline constexpr std::size_t least_texts = 3;

/// One comparison on several texts (data sets), as a sample of texts of their kind: the mixed model
/// d_ij = μ + b_i + e_ij with a random effect b_i per text i, for seed j (formula 70).
struct AcrossTexts {
    std::map<std::string, nlohmann::json> settings, reference;  // of the groups, without those of the text
    struct OnText {
        std::map<std::string, nlohmann::json> data;
        DifferenceInterval estimate;  // of the test that decides on this text
        std::string verdict;
    };
    std::vector<OnText> texts;
    /// μ with its 95 % interval, `values` texts; without ends for fewer than `least_texts` or with a stopping rule.
    DifferenceInterval estimate;
    double between = 0;               // standard deviation of b, 0 if the seeds explain all variation between texts
    double within = 0;                // standard deviation of e, pooled over texts
    std::optional<double> p, p_holm;  // Holm's correction over all comparisons across texts
};

/// Of each comparison that the table makes on at least two texts, in the order of the groups.
std::vector<AcrossTexts> across_texts(const ResultsTable& table);
/// "θ 100 − θ 10k on texts of this kind (5 texts): …", or why there is no statement on other texts.
std::string across_words(const ResultsTable& table, const AcrossTexts& across);
nlohmann::json across_texts_json(const ResultsTable& table);

}  // namespace ropelab
