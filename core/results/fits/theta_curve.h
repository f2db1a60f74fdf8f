#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/results/results_table.h"
#include "core/stats/least_squares.h"

namespace ropelab {

/// Quadratic in ln θ: tests the claim of a minimum loss at a middle θ (an inverse U of the model's quality).
struct ThetaCurve {
    std::map<std::string, nlohmann::json> settings;  // values of the swept settings other than θ
    std::vector<double> thetas;                      // different θ with a finite value, ascending
    /// Every seed has one run at every θ: one constant per seed. Otherwise runs of equal seed are independent.
    bool has_blocks = false;
    QuadraticFit fit;  // x is ln θ
};

/// One per combination of other settings with at least four finite θ, in the order of the groups.
std::vector<ThetaCurve> theta_curves(const ResultsTable& table);

/// The coefficient of (ln θ)² with its interval, the test against a constant, and θ at the vertex with its interval.
std::string theta_curve_words(const ResultsTable& table, const ThetaCurve& curve);

/// Settings, thetas, n, blocks, coefficient, F test, and θ at the vertex with its interval (null if unbounded).
nlohmann::json theta_curves_json(const ResultsTable& table);

/// Where the mean of the compared measure over seeds is best along a setting, for one combination of the other swept
/// settings, such as a data set and a tokenizer.
struct SettingOptimum {
    std::string key;                                      // "theta" or "fraction"
    std::map<std::string, nlohmann::json> settings = {};  // values of the swept settings other than `key`
    std::vector<double> values = {};                      // different values of `key`, ascending
    std::vector<double> means = {};                       // of the measure at each value
    std::int64_t seeds = 0;                               // seeds with a finite measure at every value
    std::size_t best = 0;                                 // index of the best mean
    double share = 0;                                     // of the resamples in which that value is the best
    /// Vertex of the parabola through the best mean and its neighbours, over ln θ or the fraction, or the best value
    /// itself if it is an end of the sweep.
    double at = 0;
    /// 95 % of `at` over resamples of the seeds, each for all values together (percentile bootstrap, which is too
    /// narrow for few seeds); NaN for fewer than three seeds.
    Interval interval = {};

    /// The best value is an end of the sweep, and values beyond it are possible.
    bool is_end() const {
        const double value = values[best];
        return (best == 0 || best + 1 == values.size()) && (key != "fraction" || (value > 0 && value < 1));
    }
};

/// One per combination with at least three values of `key`, in the order of the groups.
std::vector<SettingOptimum> setting_optima(const ResultsTable& table, const std::string& key);
/// Of both keys, one sentence per optimum.
std::vector<std::string> optimum_words(const ResultsTable& table);
nlohmann::json optima_json(const ResultsTable& table);

}  // namespace ropelab
