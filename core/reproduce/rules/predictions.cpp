#include "core/reproduce/rules/predictions.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "core/base/numbers.h"
#include "core/reproduce/rules/measuring.h"
#include "core/results/results_cells.h"
#include "core/rope/context.h"
#include "core/rope/frequencies.h"
#include "core/run/probing.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

// Sequences per lag in the retrieval test; each tests 12 of 16 repeated tokens.
std::int64_t windows_for(SheetScale scale) {
    if (scale == SheetScale::smoke) return 2;
    return scale == SheetScale::laptop ? 32 : 64;
}

GroupKeys with(GroupKeys where, const char* key, const std::string& value) {
    where[key] = value;
    return where;
}

struct Candidate {
    GroupKeys group;
    std::string label;
    GroupProbe probe;           // lags at which B is highest and lowest (formulas 12 and 13)
    std::int64_t breaks = 0;    // smallest measured distance at which B is negative, if there is one
    std::int64_t negative = 0;  // number of measured distances at which B is negative
    int incomplete = 0;         // rotated channels that saw no full period (d_r − d_c, formula 14)
};

// The control lag separates a low B from a long distance. There B is positive and higher than at the far lag by at
// least this part of the difference between the near and the far lag.
constexpr double clearly_higher = 0.25;
// A control lag that is nearer than the far lag has at least this part of its distance.
constexpr double about_as_far = 0.75;

// The closest beyond the far lag, else before it; none if B is clearly higher at no such lag. `bound`: B by distance.
void place_control(GroupProbe& probe, const std::vector<double>& bound, std::int64_t longest) {
    const double least = std::max(0.0, probe.far_bound + clearly_higher * (probe.near_bound - probe.far_bound));
    const auto is_control = [&](std::int64_t lag) {
        const double value = bound[static_cast<std::size_t>(lag - 1)];
        return value > 0 && value >= least;
    };
    const auto set = [&](std::int64_t lag) {
        probe.control_lag = lag;
        probe.control_bound = bound[static_cast<std::size_t>(lag - 1)];
    };
    for (std::int64_t lag = probe.far_lag + 1; lag <= longest; ++lag) {
        if (is_control(lag)) return set(lag);
    }
    const auto nearest = static_cast<std::int64_t>(std::ceil(about_as_far * static_cast<double>(probe.far_lag - 1)));
    for (std::int64_t lag = probe.far_lag - 1; lag > probe.near_lag && lag - 1 >= nearest; --lag) {
        if (is_control(lag)) return set(lag);
    }
}

// Lags at which B is highest and lowest among those that the retrieval test can measure, and the control.
void place_probe(Candidate& candidate, const Frequencies& rotated, int head_dim, std::int64_t context) {
    const std::vector<std::int64_t> lags = retrieval_lags(context);
    if (lags.empty()) return;
    const std::vector<double> bound = context_bound(rotated, head_dim, static_cast<std::size_t>(lags.back()));
    GroupProbe& probe = candidate.probe;
    for (std::int64_t lag = lags.front(); lag <= lags.back(); ++lag) {
        const double value = bound[static_cast<std::size_t>(lag - 1)];  // retrieval attends at the distance lag − 1
        if (probe.near_lag == 0 || value > probe.near_bound) {
            probe.near_lag = lag;
            probe.near_bound = value;
        }
        if (probe.far_lag == 0 || value < probe.far_bound) {
            probe.far_lag = lag;
            probe.far_bound = value;
        }
        if (value < 0 && candidate.negative++ == 0) candidate.breaks = lag - 1;
    }
    place_control(probe, bound, lags.back());
}

Candidate candidate(GroupKeys group, std::string label, const FrequencySettings& settings, std::int64_t context) {
    const Frequencies rotated = frequencies(settings);
    // With Partial::truncate a part of the head's spectrum rotates, otherwise a spectrum of its own.
    const int spectrum = settings.partial == Partial::truncate ? settings.head_dim : rotated.rotary_dim;
    const int complete = critical_dimension(spectrum, settings.theta, static_cast<double>(context));
    Candidate result;
    result.group = group;
    result.label = label;
    result.probe.group = std::move(group);
    result.probe.label = std::move(label);
    result.incomplete = std::max(0, rotated.rotary_dim - complete);
    place_probe(result, rotated, settings.head_dim, context);
    return result;
}

// "θ = 1850 (lowest value of the context bound B(Δ): −0.16 of at most 32 at distance 235; B < 0 at 1 of 226 distances,
// from 235 on)".
std::string depth_words(const Candidate& candidate, int head_dim, std::int64_t distances) {
    return candidate.label + " (lowest value of the context bound B(Δ): " + minus_text(candidate.probe.far_bound, 2) +
           " of at most " + std::to_string(head_dim / 2) + " at distance " +
           std::to_string(candidate.probe.far_lag - 1) + "; B < 0 at " + std::to_string(candidate.negative) + " of " +
           std::to_string(distances) + " distances, from distance " + std::to_string(candidate.breaks) + " on)";
}

Prediction collapse_prediction(const std::vector<Candidate>& candidates, int head_dim, std::int64_t context,
                               const std::string& unscored) {
    Prediction prediction;
    prediction.theory = "context bound (Men et al. 2024)";
    prediction.quantity = "retrieval by distance";
    const std::vector<std::int64_t> lags = retrieval_lags(context);
    for (const Candidate& each : candidates) {
        (each.negative > 0 ? prediction.high : prediction.low).push_back(each.group);
    }
    if (lags.empty() || !unscored.empty()) {
        prediction.unmeasured =
            unscored.empty()
                ? "The context is too short for the retrieval test, which needs two copies of a sequence of tokens."
                : unscored;
    } else {
        prediction.retrieval.emplace();
        prediction.retrieval->shortest_lag = lags.front();
        prediction.retrieval->longest_lag = lags.back();
        for (const bool negative : {false, true}) {
            for (const Candidate& each : candidates) {
                if ((each.negative > 0) == negative) prediction.retrieval->probes.push_back(each.probe);
            }
        }
        prediction.measure = retrieval_gains;
    }
    const RetrievalGroups groups = retrieval_groups(prediction);
    prediction.chance = chance_of_set(groups.all, groups.high);
    if (lags.empty()) {
        prediction.words =
            "The context bound of Men et al. cannot be compared with retrieval, because the context is too short for "
            "the retrieval test.";
        return prediction;
    }
    const std::string within = "distances " + std::to_string(lags.front() - 1) + " to " +
                               std::to_string(lags.back() - 1) + " of the context of " + std::to_string(context) +
                               " tokens";
    std::string failing;
    for (const Candidate& each : candidates) {
        if (each.negative == 0) continue;
        failing += (failing.empty() ? "" : ", ") + (prediction.high.size() > most_listed
                                                        ? each.label
                                                        : depth_words(each, head_dim, lags.back() - lags.front() + 1));
    }
    prediction.words = failing.empty() ? "The context bound B(Δ), the mean logit advantage of similar keys at distance "
                                         "Δ, is not negative in any group at the " +
                                             within + ": retrieval collapses in no group."
                                       : "Among the " + within + ", retrieval collapses for " + failing +
                                             " and for no other group. The loss may stay low nevertheless.";
    if (prediction.retrieval) prediction.words += " " + rule_words(*prediction.retrieval);
    return prediction;
}

void predict_context_bound(SheetPlan& plan, const std::vector<Candidate>& candidates, int head_dim,
                           std::int64_t context, const std::string& unscored) {
    Prediction prediction = collapse_prediction(candidates, head_dim, context, unscored);
    if (prediction.retrieval) plan.retrieval_windows = windows_for(plan.scale);
    plan.predictions.push_back(std::move(prediction));
}

void predict_critical_dimension(SheetPlan& plan, const std::vector<Candidate>& candidates, std::int64_t context,
                                const std::string& extended, const std::string& why_not) {
    const auto fewest = std::min_element(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
                            return a.incomplete < b.incomplete;
                        })->incomplete;
    Prediction prediction;
    prediction.theory = "critical dimension (Liu et al. 2023)";
    prediction.quantity = "loss beyond the training context";
    prediction.measure = extended;
    prediction.order_rule = 2;
    prediction.unmeasured = extended.empty() ? why_not : "";
    std::string least;
    for (const Candidate& each : candidates) {
        const bool low = each.incomplete == fewest;
        (low ? prediction.low : prediction.high).push_back(each.group);
        if (low) least += (least.empty() ? "" : ", ") + each.label;
    }
    if (prediction.high.empty()) return;
    prediction.words =
        "Beyond the training context of " + std::to_string(context) + " tokens the loss rises least for " + least +
        ", which has the fewest rotated channels without a full period in training (" + std::to_string(fewest) + ").";
    prediction.chance = chance_of_set(candidates.size(), prediction.low.size());
    plan.predictions.push_back(std::move(prediction));
}

void predict(SheetPlan& plan, const std::vector<Candidate>& candidates, int head_dim, std::int64_t context,
             const std::string& extended, const std::string& why_not, const std::string& unscored) {
    predict_context_bound(plan, candidates, head_dim, context, unscored);
    predict_critical_dimension(plan, candidates, context, extended, why_not);
}

// Frequencies follow from one base, in all layers and throughout the training.
bool has_plain_frequencies(const RunSpec& spec) {
    // Neither xPos' decay nor a learned bias.
    const bool only_rotates = spec.rotates() && spec.encoding().has_plain_scores();
    return only_rotates && !spec.theta_varies() && spec.pairs == "all" && spec.rotated_layers == "all" &&
           spec.frequencies == "auto" && spec.key_offset == "none" && !spec.token_smear &&
           rotary_dim(spec.head_dim(), spec.fraction) > 0;
}

struct SweptKey {
    const char* name;
    double RunSpec::*value;
};
constexpr SweptKey swept_keys[] = {{"theta", &RunSpec::theta}, {"fraction", &RunSpec::fraction}};

// From `first` on: Men et al. and Liu et al. rotate every channel; formulas 13 and 14 for fractions are this program's.
void attribute_extension(SheetPlan& plan, std::size_t first) {
    for (std::size_t i = first; i < plan.predictions.size(); ++i) {
        plan.predictions[i].theory += ", extended to partial RoPE by this program";
    }
}

// Except the seed and `swept`.
std::vector<const Key*> differing_keys(const std::vector<RunSpec>& runs, const SweptKey& swept) {
    std::vector<const Key*> result;
    for (const Key& known : keys()) {
        if (known.name == "seed" || known.name == swept.name) continue;
        const bool differs = std::any_of(runs.begin(), runs.end(),
                                         [&](const RunSpec& run) { return known.get(run) != known.get(runs.front()); });
        if (differs) result.push_back(&known);
    }
    return result;
}

// Runs that differ only in the swept setting and the seed.
void predict_sweep(SheetPlan& plan, const std::vector<const RunSpec*>& runs, const SweptKey& swept,
                   const GroupKeys& where) {
    const RunSpec& first = *runs.front();
    const Key& known = key(swept.name);
    std::vector<Candidate> candidates;
    std::set<double> seen;
    for (const RunSpec* run : runs) {
        if (!has_plain_frequencies(*run) || !seen.insert(run->*swept.value).second) continue;
        const std::string value = to_text(known.get(*run));
        candidates.push_back(
            candidate(with(where, swept.name, value),
                      std::string(swept.name == std::string_view("theta") ? "θ" : swept.name) + " = " + value,
                      {run->head_dim(), run->theta, run->fraction, run->partial}, first.context));
    }
    if (candidates.size() < 2) return;
    const bool learns_positions = first.learns_positions();
    const std::size_t before = plan.predictions.size();
    predict(plan, candidates, first.head_dim(), first.context, learns_positions ? "" : extension_rise,
            learns_positions ? "These models also have learned position embeddings, which end with the training "
                               "context, so they have no loss at longer contexts."
                             : "",
            learns_positions ? bound_with_learned_positions : "");
    if (std::any_of(runs.begin(), runs.end(), [](const RunSpec* run) { return run->fraction < 1; })) {
        attribute_extension(plan, before);
    }
    if (where.empty()) return;
    for (std::size_t i = before; i < plan.predictions.size(); ++i) {
        plan.predictions[i].words = "For runs with " + assignments_text(where) + ": " + plan.predictions[i].words;
    }
}

}  // namespace

void predict_for_bases(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& bases, int head_dim,
                       std::int64_t context, const std::string& extended, const std::string& why_not,
                       const std::string& unscored) {
    std::vector<Candidate> candidates;
    for (const std::string& base : bases) {
        candidates.push_back(
            candidate(with(where, "theta", base), "θ = " + base, {head_dim, parse_number(base)}, context));
    }
    predict(plan, candidates, head_dim, context, extended, why_not, unscored);
}

void predict_for_fractions(SheetPlan& plan, const GroupKeys& where, const std::vector<std::string>& fractions,
                           int head_dim, std::int64_t context, const std::string& extended,
                           const std::string& why_not) {
    std::vector<Candidate> candidates;
    for (const std::string& fraction : fractions) {
        const double rotated_fraction = parse_fraction(fraction, head_dim);
        if (rotated_fraction == 0) continue;
        candidates.push_back(candidate(with(where, "fraction", fraction), fraction,
                                       {head_dim, RunSpec{}.theta, rotated_fraction}, context));
    }
    const std::size_t first = plan.predictions.size();
    predict(plan, candidates, head_dim, context, extended, why_not, "");
    attribute_extension(plan, first);
}

SheetPlan predicted(const std::vector<RunSpec>& runs) {
    SheetPlan plan;
    plan.scale = SheetScale::laptop;
    for (const SweptKey& swept : swept_keys) {
        const std::vector<const Key*> differing =
            runs.empty() ? std::vector<const Key*>{} : differing_keys(runs, swept);
        std::map<GroupKeys, std::vector<const RunSpec*>> sweeps;
        std::vector<const GroupKeys*> order;  // in the order of appearance
        for (const RunSpec& run : runs) {
            GroupKeys where;
            for (const Key* known : differing) where[std::string(known->name)] = to_text(known->get(run));
            const auto [sweep, is_new] = sweeps.try_emplace(std::move(where));
            if (is_new) order.push_back(&sweep->first);
            sweep->second.push_back(&run);
        }
        for (const GroupKeys* where : order) predict_sweep(plan, sweeps.at(*where), swept, *where);
    }
    return plan_of_predictions(std::move(plan.predictions));
}

SheetPlan plan_of_predictions(std::vector<Prediction> predictions) {
    SheetPlan plan;
    plan.scale = SheetScale::laptop;
    for (const Prediction& prediction : predictions) {
        if (prediction.retrieval) plan.retrieval_windows = windows_for(plan.scale);
        if (prediction.measure == extension_rise) plan.extensions = {1, 2, 4};
    }
    plan.predictions = std::move(predictions);
    return plan;
}

Prediction prediction_of_order(std::string theory, std::string words, std::string measure, std::vector<GroupKeys> low,
                               std::vector<GroupKeys> high) {
    Prediction prediction;
    prediction.theory = std::move(theory);
    prediction.words = std::move(words);
    prediction.quantity = measure;
    prediction.chance = chance_of_set(low.size() + high.size(), low.size());
    prediction.measure = std::move(measure);
    prediction.order_rule = 2;
    prediction.low = std::move(low);
    prediction.high = std::move(high);
    return prediction;
}

double chance_of_set(std::size_t n, std::size_t k) {
    double combinations = 1;
    for (std::size_t i = 0; i < k; ++i)
        combinations = combinations * static_cast<double>(n - i) / static_cast<double>(i + 1);
    return 1 / combinations;
}

std::string chance_text(double chance) {
    if (chance >= 1) return "100 %, as it cannot be wrong";
    return chance < 1e-4 ? "below 0.01 %" : rough_text(100 * chance) + " %";
}

}  // namespace ropelab
