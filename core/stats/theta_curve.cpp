#include "core/stats/theta_curve.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/spec/numbers.h"
#include "core/stats/results_cells.h"

namespace ropelab {

namespace {

using nlohmann::json;

// Runs of the groups that differ only in θ.
struct ThetaRuns {
    std::map<std::string, json> settings;
    std::set<double> thetas;
    std::vector<double> x, y;  // ln θ and value of each run
};

std::vector<ThetaRuns> runs_by_settings(const ResultsTable& table) {
    std::vector<ThetaRuns> result;
    for (const ResultGroup& group : table.groups) {
        auto settings = group.settings;
        const auto theta = settings.find("theta");
        if (theta == settings.end() || !theta->second.is_number()) continue;
        const double at = theta->second.get<double>();
        settings.erase(theta);
        auto found = std::find_if(result.begin(), result.end(),
                                  [&](const ThetaRuns& known) { return known.settings == settings; });
        if (found == result.end()) {
            result.emplace_back().settings = std::move(settings);
            found = result.end() - 1;
        }
        for (const double value : group.values(table.compared)) {
            if (!std::isfinite(value) || !(at > 0)) continue;
            found->thetas.insert(at);
            found->x.push_back(std::log(at));
            found->y.push_back(value);
        }
    }
    return result;
}

std::string exponential_text(double logarithm) {
    return rough_text(std::exp(logarithm));
}

}  // namespace

std::vector<ThetaCurve> theta_curves(const ResultsTable& table) {
    std::vector<ThetaCurve> result;
    for (const ThetaRuns& runs : runs_by_settings(table)) {
        const auto fit = fit_quadratic(runs.x, runs.y);
        if (fit) result.push_back({runs.settings, {runs.thetas.begin(), runs.thetas.end()}, *fit});
    }
    return result;
}

std::string theta_curve_words(const ResultsTable& table, const ThetaCurve& curve) {
    const QuadraticFit& fit = curve.fit;
    const Measure& measure = measures()[table.compared];
    std::string which;
    for (const auto& [key, value] : curve.settings) {
        which += (which.empty() ? " for " : ", ") + key + " = " + setting_text(value);
    }
    std::string words = "Quadratic in ln theta of " + std::string(measure.name) + which +
                        ", against a constant: F(2, " + number_text(fit.degrees_of_freedom) +
                        ") = " + rough_text(fit.f) + ", " + p_words(fit.p) + " over " + runs_text(fit.n) + " at " +
                        std::to_string(curve.thetas.size()) + " values of theta. The coefficient of (ln theta)² is " +
                        rough_text(fit.curvature.value) + " " + std::string(measure.unit) + " (95 % interval " +
                        rough_text(fit.curvature.low) + " … " + rough_text(fit.curvature.high) + ", " +
                        p_words(fit.curvature_p) + ")";
    if (!fit.vertex_interval) return words + ", so that neither a minimum nor a maximum is shown.";
    words += fit.curvature.value > 0 ? "; the fitted minimum" : "; the fitted maximum";
    words += " is at theta = " + exponential_text(fit.vertex) + " (95 % interval " +
             exponential_text(fit.vertex_interval->low) + " … " + exponential_text(fit.vertex_interval->high) + ")";
    const double theta = std::exp(fit.vertex);
    return words + (theta < curve.thetas.front() || theta > curve.thetas.back() ? ", outside the swept values." : ".");
}

json theta_curves_json(const ResultsTable& table) {
    json result = json::array();
    for (const ThetaCurve& curve : theta_curves(table)) {
        const QuadraticFit& fit = curve.fit;
        const auto& interval = fit.vertex_interval;
        // A flat fit has its vertex at any distance, so that exp() can overflow.
        const double vertex = std::exp(fit.vertex);
        result.push_back({{"settings", curve.settings},
                          {"thetas", curve.thetas},
                          {"n", fit.n},
                          {"coefficient", fit.curvature.value},
                          {"coefficient_confidence_95", {fit.curvature.low, fit.curvature.high}},
                          {"coefficient_p", fit.curvature_p},
                          {"f", fit.f},
                          {"degrees_of_freedom", fit.degrees_of_freedom},
                          {"p", fit.p},
                          {"vertex_theta", std::isfinite(vertex) ? json(vertex) : json()},
                          {"vertex_theta_confidence_95",
                           interval ? json{std::exp(interval->low), std::exp(interval->high)} : json()},
                          {"words", theta_curve_words(table, curve)}});
    }
    return result;
}

}  // namespace ropelab
