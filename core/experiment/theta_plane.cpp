#include "core/experiment/theta_plane.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/base/error.h"
#include "core/base/numbers.h"

namespace ropelab {

namespace {

constexpr double least_theta = 1.1;  // with two digits; RoPE's base is above 1

bool is_axis(const std::string& key) {
    return key == "theta" || key == "fraction";
}

void require_free_points(const Experiment& experiment) {
    const auto refuse = [](const std::string& what) {
        throw BadInput("The sweep " + what +
                       ", so its settings of θ and fraction cannot be changed as points; change them in the panel.");
    };
    for (const auto& zip : experiment.zips()) {
        if (std::ranges::any_of(zip, is_axis)) refuse("varies θ or fraction together with another setting");
    }
    for (const auto& exclusion : experiment.exclusions()) {
        if (std::ranges::any_of(exclusion, [](const auto& each) { return is_axis(each.first); }))
            refuse("excludes runs by θ or fraction");
    }
    for (const auto& run : experiment.explicit_runs()) {
        if (std::ranges::any_of(run, [](const auto& each) { return !is_axis(each.first); }))
            refuse("lists single runs that also differ in other settings");
    }
}

// The model shape and the value of fraction are those of the first run.
RunSpec first_run(const Experiment& experiment, const std::string& theta, const std::string& fraction) {
    Experiment one = experiment;
    one.set_explicit_runs({});
    one.set_zips({});
    one.set_exclusions({});
    one.set("theta", {theta});
    one.set("fraction", {fraction});
    return one.expand().front();
}

std::vector<std::string> distinct(const std::vector<PlanePoint>& points, std::string PlanePoint::*text) {
    std::vector<std::string> values;
    for (const PlanePoint& point : points) {
        if (std::ranges::find(values, point.*text) == values.end()) values.push_back(point.*text);
    }
    return values;
}

bool is_same(const PlanePoint& a, const PlanePoint& b) {
    return a.theta_number == b.theta_number && a.fraction_number == b.fraction_number;
}

}  // namespace

std::vector<PlanePoint> plane_points(const Experiment& experiment) {
    std::vector<PlanePoint> points;
    std::map<std::pair<std::string, std::string>, RunSpec> known;
    const auto add = [&](const std::string& theta, const std::string& fraction) {
        const auto [found, is_new] = known.try_emplace({theta, fraction});
        if (!is_new) return;
        found->second = first_run(experiment, theta, fraction);
        const PlanePoint point{theta, fraction, found->second.theta, found->second.fraction};
        if (std::ranges::none_of(points, [&](const PlanePoint& each) { return is_same(each, point); }))
            points.push_back(point);
    };
    const auto values_of = [&](const std::map<std::string, std::string>& run, const std::string& key) {
        const auto found = run.find(key);
        return found == run.end() ? experiment.values(key) : std::vector<std::string>{found->second};
    };
    const auto runs = experiment.explicit_runs();
    for (const auto& run : runs.empty() ? std::vector<std::map<std::string, std::string>>(1) : runs) {
        for (const std::string& theta : values_of(run, "theta")) {
            for (const std::string& fraction : values_of(run, "fraction")) add(theta, fraction);
        }
    }
    return points;
}

PlanePoint snapped_point(const Experiment& experiment, double theta, double fraction) {
    const double decade = std::pow(10.0, std::floor(std::log10(std::max(least_theta, theta))) - 1);
    const double rounded = std::max(least_theta, std::round(theta / decade) * decade);
    const RunSpec run = first_run(experiment, number_text(rounded), "1");
    const auto pairs = static_cast<double>(run.head_dim() / 2);
    const double share = std::round(std::clamp(fraction, 0.0, 1.0) * pairs) / pairs;
    return {number_text(rounded), number_text(share), rounded, share};
}

void set_plane_points(Experiment& experiment, const std::vector<PlanePoint>& points) {
    require_free_points(experiment);
    std::vector<PlanePoint> kept;
    for (const PlanePoint& point : points) {
        if (std::ranges::none_of(kept, [&](const PlanePoint& each) { return is_same(each, point); }))
            kept.push_back(point);
    }
    if (kept.empty()) throw BadInput("The sweep needs at least one setting of θ and fraction.");
    const std::vector<std::string> thetas = distinct(kept, &PlanePoint::theta);
    const std::vector<std::string> fractions = distinct(kept, &PlanePoint::fraction);
    const bool is_grid = kept.size() == thetas.size() * fractions.size();
    experiment.set_explicit_runs({});
    experiment.set("theta", is_grid ? thetas : std::vector<std::string>());
    experiment.set("fraction", is_grid ? fractions : std::vector<std::string>());
    if (is_grid) return;
    std::vector<std::map<std::string, std::string>> runs;
    for (const PlanePoint& point : kept) runs.push_back({{"theta", point.theta}, {"fraction", point.fraction}});
    experiment.set_explicit_runs(std::move(runs));
}

}  // namespace ropelab
