#include "core/results/theta_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/base/numbers.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

using nlohmann::json;

struct ThetaRuns {
    std::map<std::string, json> settings;
    std::set<std::size_t> models;                                           // of the groups (ResultGroup::model)
    std::map<double, std::vector<std::pair<std::int64_t, double>>> values;  // seed and value of each run by θ

    std::vector<double> thetas() const {
        std::vector<double> result;
        for (const auto& [theta, runs] : values) result.push_back(theta);
        return result;
    }
};

// In the order of θ; nullopt unless every seed has exactly one run at every θ.
std::optional<std::vector<std::vector<double>>> values_by_seed(const ThetaRuns& runs) {
    std::map<std::int64_t, std::vector<double>> by_seed;
    std::size_t place = 0;
    for (const auto& [theta, values] : runs.values) {
        for (const auto& [seed, value] : values) {
            if (by_seed[seed].size() != place) return std::nullopt;
            by_seed[seed].push_back(value);
        }
        ++place;
    }
    std::vector<std::vector<double>> result;
    for (auto& [seed, values] : by_seed) {
        if (values.size() != place) return std::nullopt;
        result.push_back(std::move(values));
    }
    return result;
}

std::optional<QuadraticFit> fit_of(const ThetaRuns& runs) {
    std::vector<double> x;
    if (const auto blocks = values_by_seed(runs); blocks && !blocks->empty()) {
        for (const double theta : runs.thetas()) x.push_back(std::log(theta));
        return fit_quadratic_in_blocks(x, *blocks);
    }
    std::vector<double> y;
    for (const auto& [theta, values] : runs.values) {
        for (const auto& [seed, value] : values) {
            x.push_back(std::log(theta));
            y.push_back(value);
        }
    }
    return fit_quadratic(x, y);
}

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
        const bool is_new = found->models.insert(group.model).second;
        if (!is_new && is_loss(measures()[table.compared])) continue;  // theta has no effect without rotation
        const std::vector<double> values = group.values(table.compared);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (std::isfinite(values[i]) && at > 0) found->values[at].emplace_back(group.seeds[i], values[i]);
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
    std::set<std::set<std::size_t>> fitted;
    for (const ThetaRuns& runs : runs_by_settings(table)) {
        const bool is_new = fitted.insert(runs.models).second;
        if (!is_new && is_loss(measures()[table.compared])) continue;  // the same losses again
        const auto fit = fit_of(runs);
        if (fit) result.push_back({runs.settings, runs.thetas(), values_by_seed(runs).has_value(), *fit});
    }
    return result;
}

std::string theta_curve_words(const ResultsTable& table, const ThetaCurve& curve) {
    const QuadraticFit& fit = curve.fit;
    const Measure& measure = measures()[table.compared];
    std::string which;
    for (const auto& [key, value] : curve.settings) {
        which += (which.empty() ? " for " : ", ") + key + " = " +
                 (key == "fraction" ? setting_words(key, value, head_dim_of(table)) : setting_text(value));
    }
    const std::string constant = !curve.has_blocks ? "a constant (runs of equal seed count as independent, because not "
                                                     "every seed has one run at every theta)"
                                 : fit.blocks > 1  ? "a constant per seed (each seed is a block)"
                                                   : "a constant";
    std::string words = "F test of a quadratic in ln theta for " + std::string(measure.name) + which + ", against " +
                        constant + ": F(2, " + number_text(fit.degrees_of_freedom) + ") = " + rough_text(fit.f) + ", " +
                        p_words(fit.p) + " over " + counted(fit.n, "run") + " at " +
                        std::to_string(curve.thetas.size()) + " values of theta. The coefficient of (ln theta)² is " +
                        rough_text(fit.curvature.value) + " " + std::string(measure.unit) + " (95 % interval " +
                        rough_text(fit.curvature.low) + " … " + rough_text(fit.curvature.high) + ", " +
                        p_words(fit.curvature_p) + ")";
    if (!fit.vertex_interval) return words + ", so neither a minimum nor a maximum is shown.";
    words += fit.curvature.value > 0 ? "; the fitted minimum" : "; the fitted maximum";
    words += " is at theta = " + exponential_text(fit.vertex) + " (95 % interval " +
             exponential_text(fit.vertex_interval->low) + " … " + exponential_text(fit.vertex_interval->high) + ")";
    const double theta = std::exp(fit.vertex);
    if (theta >= curve.thetas.front() && theta <= curve.thetas.back()) return words + ".";
    const bool reaches_in = std::exp(fit.vertex_interval->low) <= curve.thetas.back() &&
                            std::exp(fit.vertex_interval->high) >= curve.thetas.front();
    return words + ", outside the swept values" + (reaches_in ? ", but its interval includes some of them." : ".");
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
                          {"seeds_as_blocks", curve.has_blocks},
                          {"coefficient", fit.curvature.value},
                          {"coefficient_confidence_95", {fit.curvature.low, fit.curvature.high}},
                          {"coefficient_p", fit.curvature_p},
                          {"f", fit.f},
                          {"degrees_of_freedom", fit.degrees_of_freedom},
                          {"p", fit.p},
                          {"vertex_theta", json_number(vertex)},
                          {"vertex_theta_confidence_95",
                           interval ? json{std::exp(interval->low), std::exp(interval->high)} : json()},
                          {"words", theta_curve_words(table, curve)}});
    }
    return result;
}

}  // namespace ropelab
