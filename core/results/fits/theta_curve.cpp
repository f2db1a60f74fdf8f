#include "core/results/fits/theta_curve.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "core/base/numbers.h"
#include "core/base/random_stream.h"
#include "core/results/results_cells.h"

namespace ropelab {

namespace {

using nlohmann::json;

struct ThetaRuns {
    std::map<std::string, json> settings;
    std::set<std::size_t> models;  // of the groups (ResultGroup::model)
    /// Seed and value of each run by θ or another setting.
    std::map<double, std::vector<std::pair<std::int64_t, double>>> values;

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

std::vector<ThetaRuns> runs_by_settings(const ResultsTable& table, const std::string& key) {
    std::vector<ThetaRuns> result;
    for (const ResultGroup& group : table.groups) {
        auto settings = group.settings;
        const auto own = settings.find(key);
        if (own == settings.end() || !own->second.is_number()) continue;
        const auto at = own->second.get<double>();
        settings.erase(own);
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
            if (std::isfinite(values[i]) && (at > 0 || key != "theta"))
                found->values[at].emplace_back(group.seeds[i], values[i]);
        }
    }
    return result;
}

// " for data = text8, fraction = 25 %"; "" for none.
std::string words_for(const ResultsTable& table, const std::map<std::string, json>& settings) {
    std::string which;
    for (const auto& [key, value] : settings) {
        which += (which.empty() ? " for " : ", ") + key + " = " +
                 (key == "fraction" ? setting_words(key, value, head_dim_of(table)) : setting_text(value));
    }
    return which;
}

// Index of the lowest mean.
std::size_t lowest(const std::vector<double>& means) {
    return static_cast<std::size_t>(std::ranges::min_element(means) - means.begin());
}

// x of the lowest point of the curve through the lowest mean and its neighbours.
double lowest_x(const std::vector<double>& x, const std::vector<double>& means) {
    const std::size_t i = lowest(means);
    if (i == 0 || i + 1 == x.size()) return x[i];
    const double before = (means[i] - means[i - 1]) / (x[i] - x[i - 1]);
    const double after = (means[i + 1] - means[i]) / (x[i + 1] - x[i]);
    const double curvature = (after - before) / (x[i + 1] - x[i - 1]);
    return curvature > 0 ? (x[i - 1] + x[i]) / 2 - before / (2 * curvature) : x[i];
}

// The sign makes lower values better.
std::optional<SettingOptimum> optimum_of(const ThetaRuns& runs, const std::string& key, double sign) {
    if (runs.values.size() < 3) return std::nullopt;
    std::map<std::int64_t, std::map<double, double>> by_seed;
    for (const auto& [at, values] : runs.values) {
        for (const auto& [seed, value] : values) by_seed[seed][at] = sign * value;
    }
    std::erase_if(by_seed, [&](const auto& entry) { return entry.second.size() < runs.values.size(); });
    if (by_seed.empty()) return std::nullopt;
    SettingOptimum result{.key = key, .settings = runs.settings, .values = runs.thetas()};
    result.seeds = std::ssize(by_seed);
    std::vector<std::vector<double>> rows;
    for (const auto& [seed, values] : by_seed) {
        auto& row = rows.emplace_back();
        for (const auto& [at, value] : values) row.push_back(value);
    }
    const bool is_log = key == "theta";
    std::vector<double> x = result.values;
    if (is_log) std::ranges::transform(x, x.begin(), [](double at) { return std::log(at); });
    const auto means_of = [&](const auto& row_at) {
        std::vector<double> means(x.size());
        for (std::size_t row = 0; row < rows.size(); ++row) {
            for (std::size_t i = 0; i < x.size(); ++i)
                means[i] += rows[row_at(row)][i] / static_cast<double>(rows.size());
        }
        return means;
    };
    const auto value_at = [&](double place) { return is_log ? std::exp(place) : place; };
    const std::vector<double> means = means_of([](std::size_t row) { return row; });
    for (const double mean : means) result.means.push_back(sign * mean);
    result.best = lowest(means);
    result.at = value_at(lowest_x(x, means));
    if (rows.size() < 3) return result;
    constexpr std::uint64_t resamples = 9999;
    const RandomStream stream(result.seeds, "optimum");
    std::vector<double> places;
    for (std::uint64_t i = 0; i < resamples; ++i) {
        const auto resampled = means_of([&](std::size_t row) { return stream.below(rows.size(), i, row); });
        places.push_back(lowest_x(x, resampled));
        result.share += lowest(resampled) == result.best ? 1.0 / resamples : 0;
    }
    std::ranges::sort(places);
    const auto end = [&](double level) { return value_at(places[static_cast<std::size_t>(level * (resamples - 1))]); };
    result.interval = {end(0.025), end(0.975)};
    return result;
}

// 10,099 for θ: rough_text() has no separators.
std::string optimum_text(const std::string& key, double value) {
    if (key == "fraction") return rough_text(100 * value) + " %";
    return value >= 1000 && value < 1e12 ? grouped(std::llround(value)) : rough_text(value);
}

bool are_equivalent(const ResultsTable& table) {
    return !equivalence_headline(table, "").empty();
}

constexpr const char* all_equivalent = "all settings are equivalent within the relevance margin";

std::string optimum_sentence(const ResultsTable& table, const SettingOptimum& optimum) {
    const Measure& measure = measures()[table.compared];
    const auto text = [&](double value) { return optimum_text(optimum.key, value); };
    const std::string begin = "Best " + optimum.key + words_for(table, optimum.settings);
    if (are_equivalent(table)) return begin + ": none is named, because " + all_equivalent + ".";
    const bool is_fitted = optimum.best > 0 && optimum.best + 1 < optimum.values.size();
    std::string words =
        begin + (is_fitted ? ", estimated from the best mean and its two neighbours: " : ": ") + text(optimum.at);
    words += optimum.seeds < 3
                 ? " (" + counted(optimum.seeds, "seed") + ", so without an interval)"
                 : " (95 % bootstrap interval " + text(optimum.interval.low) + " … " + text(optimum.interval.high) +
                       " over " + counted(optimum.seeds, "seed") + ", too narrow for few seeds)";
    words += "; of the " + std::to_string(optimum.values.size()) + " swept values, " +
             text(optimum.values[optimum.best]) + " has the best mean " + std::string(measure.name) + ", " +
             fixed_text(optimum.means[optimum.best], measure.decimals) + unit_after(table);
    if (optimum.seeds >= 3) words += ", in " + fixed_text(100 * optimum.share, 0) + " % of the resamples";
    return words + (optimum.is_end() ? ". It is an end of the sweep, so that the optimum may lie beyond it." : ".");
}

std::string exponential_text(double logarithm) {
    return optimum_text("theta", std::exp(logarithm));
}

}  // namespace

std::vector<ThetaCurve> theta_curves(const ResultsTable& table) {
    std::vector<ThetaCurve> result;
    std::set<std::set<std::size_t>> fitted;
    for (const ThetaRuns& runs : runs_by_settings(table, "theta")) {
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
    const std::string which = words_for(table, curve.settings);
    const std::string constant = !curve.has_blocks ? "a constant (runs of equal seed count as independent, because not "
                                                     "every seed has one run at every theta)"
                                 : fit.blocks > 1  ? "a constant per seed (each seed is a block)"
                                                   : "a constant";
    std::string words = "F test of a quadratic in ln theta for " + std::string(measure.name) + which + ", against " +
                        constant + ": F(2, " + number_text(fit.degrees_of_freedom) + ") = " + rough_text(fit.f) + ", " +
                        p_words(fit.p) + " over " + counted(fit.n, "run") + " at " +
                        std::to_string(curve.thetas.size()) + " values of theta. The coefficient of (ln theta)² is " +
                        rough_text(fit.curvature.value) + unit_after(table) + " (95 % interval " +
                        rough_text(fit.curvature.low) + " … " + rough_text(fit.curvature.high) + ", " +
                        p_words(fit.curvature_p) + ")";
    if (!fit.vertex_interval) return words + ", so neither a minimum nor a maximum is shown.";
    const std::string extremum = fit.curvature.value > 0 ? "minimum" : "maximum";
    if (are_equivalent(table)) return words + "; no " + extremum + " is named, because " + all_equivalent + ".";
    words += "; the fitted " + extremum + " is at theta = " + exponential_text(fit.vertex) + " (95 % interval " +
             exponential_text(fit.vertex_interval->low) + " … " + exponential_text(fit.vertex_interval->high) +
             "), estimated from all values of theta";
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

std::vector<SettingOptimum> setting_optima(const ResultsTable& table, const std::string& key) {
    std::vector<SettingOptimum> result;
    const double sign = measures()[table.compared].more_is_better ? -1 : 1;
    for (const ThetaRuns& runs : runs_by_settings(table, key)) {
        if (auto optimum = optimum_of(runs, key, sign)) result.push_back(std::move(*optimum));
    }
    return result;
}

std::vector<std::string> optimum_words(const ResultsTable& table) {
    std::vector<std::string> result;
    for (const char* key : {"theta", "fraction"}) {
        for (const SettingOptimum& optimum : setting_optima(table, key))
            result.push_back(optimum_sentence(table, optimum));
    }
    return result;
}

json optima_json(const ResultsTable& table) {
    json result = json::array();
    for (const char* key : {"theta", "fraction"}) {
        for (const SettingOptimum& optimum : setting_optima(table, key)) {
            result.push_back(
                {{"key", optimum.key},
                 {"settings", optimum.settings},
                 {"values", optimum.values},
                 {"means", optimum.means},
                 {"seeds", optimum.seeds},
                 {"best", optimum.values[optimum.best]},
                 {"share_of_resamples", optimum.seeds < 3 ? json() : json(optimum.share)},
                 {"optimum", optimum.at},
                 {"optimum_bootstrap_95", {json_number(optimum.interval.low), json_number(optimum.interval.high)}},
                 {"is_end_of_sweep", optimum.is_end()},
                 {"words", optimum_sentence(table, optimum)}});
        }
    }
    return result;
}

}  // namespace ropelab
