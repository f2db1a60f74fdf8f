#include "core/reproduce/rules/calibration.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/results/results_cells.h"

namespace ropelab {

double at_least_by_chance(std::span<const double> chances, int least) {
    std::vector<double> probability = {1};  // of 0, 1, 2 … successes
    for (const double chance : chances) {
        probability.push_back(0);
        for (std::size_t i = probability.size() - 1; i > 0; --i) {
            probability[i] = probability[i] * (1 - chance) + probability[i - 1] * chance;
        }
        probability[0] *= 1 - chance;
    }
    const auto first = std::clamp<std::ptrdiff_t>(least, 0, std::ssize(probability));
    return std::accumulate(probability.begin() + first, probability.end(), 0.0);
}

Calibration calibration_of(std::span<const ScoredPrediction> predictions) {
    using Outcome = ScoredPrediction::Outcome;
    Calibration result;
    std::vector<double> chances;
    for (const ScoredPrediction& each : predictions) {
        const bool has_score = each.outcome == Outcome::right || each.outcome == Outcome::wrong;
        if (!has_score || each.chance >= 1 || compares_groups(each.prediction)) continue;
        ++result.scored;
        if (each.outcome == Outcome::right) ++result.right;
        result.expected += each.chance;
        chances.push_back(each.chance);
    }
    result.p = at_least_by_chance(chances, result.right);
    return result;
}

std::string calibration_words(const Calibration& calibration) {
    if (calibration.scored == 0) return {};
    const std::string right = std::to_string(calibration.right);
    return "Calibration: " + right + " of " + std::to_string(calibration.scored) +
           (calibration.scored == 1 ? " prediction with a score is right; " : " predictions with a score are right; ") +
           fixed_text(calibration.expected, 2) + " would be expected by chance. At least " + right +
           " would be right by chance with probability " + p_text(calibration.p) +
           " if the predictions were independent; predictions on the same runs are not independent.";
}

nlohmann::json calibration_json(const Calibration& calibration) {
    return {{"scored", calibration.scored},
            {"right", calibration.right},
            {"expected_by_chance", calibration.expected},
            {"p_at_least_as_many", calibration.scored > 0 ? nlohmann::json(calibration.p) : nlohmann::json()},
            {"words", calibration_words(calibration)}};
}

}  // namespace ropelab
