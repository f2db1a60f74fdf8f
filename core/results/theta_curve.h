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

}  // namespace ropelab
