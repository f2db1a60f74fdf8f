#include "core/results/fits/loss_fit.h"

#include <algorithm>
#include <array>
#include <boost/math/distributions/fisher_f.hpp>
#include <charconv>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "core/base/error.h"
#include "core/base/numbers.h"
#include "core/data/json_text.h"
#include "core/plan/layout.h"
#include "core/results/results_cells.h"
#include "core/rope/frequencies.h"
#include "core/settings/keys.h"

namespace ropelab {

namespace {

constexpr std::int64_t fewest_degrees = 3;  // below, the quantile of Student's t exceeds 4
constexpr double range_tolerance = 1e-9;    // relative tolerance of the ends of a range

struct LossVariable {
    std::string_view name;   // in predictions: "tokens"
    std::string_view title;  // in sentences: "the number of training tokens"
    double LossPoint::*value;
    LossRange LossFit::*range;
};
const std::array<LossVariable, 3>& loss_variables() {
    static const std::array<LossVariable, 3> all = {
        {{"fraction", "the rotated fraction", &LossPoint::fraction, &LossFit::fraction},
         {"parameters", "the number of parameters", &LossPoint::parameters, &LossFit::parameters},
         {"tokens", "the number of training tokens", &LossPoint::tokens, &LossFit::tokens}}};
    return all;
}

struct LossTermFacts {
    const char* name;    // in JSON
    const char* symbol;  // in the formula
    double (*value)(const LossPoint&);
};
const LossTermFacts& facts_of(LossTerm term) {
    static constexpr std::array<LossTermFacts, 4> all = {
        {{"sqrt_fraction", "√p", [](const LossPoint& at) { return std::sqrt(at.fraction); }},
         {"fraction", "p", [](const LossPoint& at) { return at.fraction; }},
         {"ln_parameters", "ln N", [](const LossPoint& at) { return std::log(at.parameters); }},
         {"ln_tokens", "ln D", [](const LossPoint& at) { return std::log(at.tokens); }}}};
    return all[static_cast<std::size_t>(term)];
}

std::vector<double> term_row(const std::vector<LossTerm>& terms, const LossPoint& at) {
    std::vector<double> row;
    for (const LossTerm term : terms) row.push_back(facts_of(term).value(at));
    return row;
}

std::vector<std::vector<double>> term_rows(const std::vector<LossTerm>& terms, std::span<const LossFitRun> runs) {
    std::vector<std::vector<double>> rows;
    for (const LossFitRun& run : runs) rows.push_back(term_row(terms, run.at));
    return rows;
}

double mean_of(const std::vector<double>& values) {
    double mean = 0;
    for (const double value : values) mean += value / static_cast<double>(values.size());
    return mean;
}

std::vector<double> logarithms(std::span<const LossFitRun> runs) {
    std::vector<double> result;
    for (const LossFitRun& run : runs) result.push_back(std::log(run.loss));
    return result;
}

std::size_t count_distinct(std::span<const LossFitRun> runs, double LossPoint::*value) {
    std::set<double> values;
    for (const LossFitRun& run : runs) values.insert(run.at.*value);
    return values.size();
}

// Terms whose variables have enough different values in these runs.
std::vector<LossTerm> terms_of(std::span<const LossFitRun> runs) {
    std::vector<LossTerm> terms;
    const std::size_t fractions = count_distinct(runs, &LossPoint::fraction);
    if (fractions >= 2) terms.push_back(LossTerm::root_fraction);
    if (fractions >= 3) terms.push_back(LossTerm::fraction);
    if (count_distinct(runs, &LossPoint::parameters) >= 2) terms.push_back(LossTerm::parameters);
    if (count_distinct(runs, &LossPoint::tokens) >= 2) terms.push_back(LossTerm::tokens);
    return terms;
}

std::vector<LossPoint> points_of(std::span<const LossFitRun> runs) {
    std::vector<LossPoint> points;
    for (const LossFitRun& run : runs) {
        if (std::find(points.begin(), points.end(), run.at) == points.end()) points.push_back(run.at);
    }
    return points;
}

std::string collinear_words(LossTerm term) {
    if (term == LossTerm::fraction) {
        return "The rotated fractions of the runs are too close together to fit their effect; train runs at fractions "
               "that are farther apart, such as 0, 25 % and 100 %.";
    }
    const bool tokens = term == LossTerm::tokens;
    return std::string("In these runs ") + (tokens ? "the number of training tokens" : "the number of parameters") +
           " changes together with " + (tokens ? "the model size or the rotated fraction" : "the rotated fraction") +
           ", so their effects cannot be told apart; train runs in which they vary independently, such as every "
           "combination.";
}

FTest f_test(double explained, double numerator, double residual, double denominator) {
    FTest test{explained / numerator / (residual / denominator), numerator, denominator, 1};
    test.f = std::max(0.0, test.f);
    test.p = boost::math::cdf(boost::math::complement(boost::math::fisher_f(numerator, denominator), test.f));
    return test;
}

std::optional<FTest> lack_of_fit_test(const LossFit& fit, std::span<const LossFitRun> runs,
                                      const std::vector<LossPoint>& points) {
    double scatter = 0;  // sum of squares within the settings
    for (const LossPoint& point : points) {
        std::vector<double> values;
        for (const LossFitRun& run : runs) {
            if (run.at == point) values.push_back(std::log(run.loss));
        }
        const double mean = mean_of(values);
        for (const double value : values) scatter += (value - mean) * (value - mean);
    }
    const auto coefficients = static_cast<double>(fit.terms.size() + 1);
    const double numerator = static_cast<double>(points.size()) - coefficients;
    const auto denominator = static_cast<double>(runs.size() - points.size());
    if (numerator < 1 || denominator < 1 || !(scatter > 0)) return std::nullopt;
    return f_test(fit.linear.residual_sum - scatter, numerator, scatter, denominator);
}

std::optional<FTest> interaction_test(const LossFit& fit, std::span<const LossFitRun> runs) {
    if (fit.terms.empty() || fit.terms.front() != LossTerm::root_fraction) return std::nullopt;
    std::vector<std::vector<double>> rows = term_rows(fit.terms, runs);
    for (auto& row : rows) {
        for (std::size_t j = 1; j < fit.terms.size(); ++j) {
            if (fit.terms[j] == LossTerm::fraction) continue;
            // Centred factors give the same fit, without collinearity.
            row.push_back((row[0] - fit.linear.means[0]) * (row[j] - fit.linear.means[j]));
        }
    }
    const auto added = static_cast<double>(rows.front().size() - fit.terms.size());
    const auto larger = fit_linear(rows, logarithms(runs));
    if (added < 1 || !larger || larger->degrees_of_freedom() < fewest_degrees || !(larger->residual_sum > 0)) {
        return std::nullopt;
    }
    return f_test(fit.linear.residual_sum - larger->residual_sum, added, larger->residual_sum,
                  larger->degrees_of_freedom());
}

std::optional<LeftOutError> left_out_error(const std::vector<LossTerm>& terms, std::span<const LossFitRun> runs,
                                           const std::vector<LossPoint>& points) {
    LeftOutError result;
    double squares = 0;
    double mean_squares = 0;
    std::int64_t count = 0;
    for (const LossPoint& point : points) {
        std::vector<LossFitRun> others;
        std::copy_if(runs.begin(), runs.end(), std::back_inserter(others),
                     [&](const LossFitRun& run) { return run.at != point; });
        const std::vector<double> values = logarithms(others);
        const auto fit = others.empty() ? std::nullopt : fit_linear(term_rows(terms, others), values);
        if (!fit || fit->degrees_of_freedom() < 0) continue;  // without this setting a term cannot be fitted
        ++result.settings;
        const double mean = mean_of(values);
        for (const LossFitRun& run : runs) {
            if (run.at != point) continue;
            const double loss = std::log(run.loss);
            const double error = loss - fit->at(term_row(terms, point));
            squares += error * error;
            mean_squares += (loss - mean) * (loss - mean);
            ++count;
        }
    }
    if (count == 0) return std::nullopt;
    result.error = std::sqrt(squares / static_cast<double>(count));
    result.mean_error = std::sqrt(mean_squares / static_cast<double>(count));
    return result;
}

void check_runs(std::span<const LossFitRun> runs, const std::vector<LossTerm>& terms) {
    for (const LossFitRun& run : runs) {
        if (!std::isfinite(run.loss) || !(run.loss > 0)) {
            throw BadInput("The fit needs positive losses, but a run has the loss " + number_text(run.loss) + ".");
        }
    }
    if (terms.empty()) {
        throw BadInput(
            "The fit needs runs that differ in the rotated fraction, the model size or the number of training tokens; "
            "sweep the fraction, layers, width or iterations.");
    }
    const auto needed = static_cast<std::int64_t>(terms.size()) + 1 + fewest_degrees;
    if (std::ssize(runs) < needed) {
        throw BadInput("The fit has " + std::to_string(terms.size() + 1) + " coefficients and needs at least " +
                       std::to_string(needed) + " finished runs, but there are " + std::to_string(runs.size()) +
                       "; train more seeds or settings.");
    }
    if (const auto column = collinear_column(term_rows(terms, runs))) throw BadInput(collinear_words(terms[*column]));
}

}  // namespace

LossFit fit_loss(std::span<const LossFitRun> runs) {
    LossFit fit;
    fit.terms = terms_of(runs);
    check_runs(runs, fit.terms);
    const auto rows = term_rows(fit.terms, runs);
    fit.linear = fit_linear(rows, logarithms(runs)).value();
    fit.n = std::ssize(runs);
    fit.residual_deviation = std::sqrt(fit.linear.variance());
    if (!(fit.residual_deviation > 1e-12)) {
        throw BadInput(
            "The losses have no scatter around the fit, so the error of the fit cannot be estimated; the runs may "
            "be copies of each other.");
    }
    fit.r_squared = 1 - fit.linear.residual_sum / fit.linear.total_sum;
    const double t = t_quantile(fit.linear.degrees_of_freedom());
    const auto estimate = [t](double value, double error) {
        return IntervalEstimate{value, value - t * error, value + t * error};
    };
    fit.constant = estimate(fit.linear.intercept, fit.linear.intercept_error());
    for (std::size_t j = 0; j < fit.terms.size(); ++j) {
        fit.coefficients.push_back(estimate(fit.linear.slopes[j], fit.linear.slope_error(j)));
    }
    for (const LossVariable& variable : loss_variables()) {
        const auto [low, high] = std::minmax_element(runs.begin(), runs.end(), [&](const auto& a, const auto& b) {
            return a.at.*variable.value < b.at.*variable.value;
        });
        fit.*variable.range = {low->at.*variable.value, high->at.*variable.value};
    }
    for (const auto& row : rows) fit.largest_leverage = std::max(fit.largest_leverage, fit.linear.leverage(row));
    const std::vector<LossPoint> points = points_of(runs);
    fit.settings = std::ssize(points);
    fit.lack_of_fit = lack_of_fit_test(fit, runs, points);
    fit.interaction = interaction_test(fit, runs);
    fit.left_out = left_out_error(fit.terms, runs, points);
    return fit;
}

LossPrediction predict_loss(const LossFit& fit, const LossPoint& at, bool extrapolate) {
    if (!(at.fraction >= 0 && at.fraction <= 1)) {
        throw BadInput("The rotated fraction " + number_text(at.fraction) + " is not between 0 and 1.");
    }
    LossPrediction result;
    result.at = at;
    for (const LossVariable& variable : loss_variables()) {
        const double value = at.*variable.value;
        const LossRange range = fit.*variable.range;
        if (variable.name != "fraction" && !(std::isfinite(value) && value > 0)) {
            throw BadInput("\"" + number_text(value) + "\" cannot be " + std::string(variable.title) +
                           "; it must be a positive number.");
        }
        if (value >= range.low * (1 - range_tolerance) && value <= range.high * (1 + range_tolerance)) continue;
        if (!extrapolate) {
            throw BadInput("The prediction at " + std::string(variable.name) + " = " + number_text(value) +
                           " is refused, because the runs of the fit have " + std::string(variable.name) + " from " +
                           number_text(range.low) + " to " + number_text(range.high) +
                           ", and a fit says nothing beyond the range of its runs.");
        }
        result.outside.emplace_back(variable.name);
    }
    const std::vector<double> row = term_row(fit.terms, at);
    const double leverage = fit.linear.leverage(row);
    if (result.outside.empty() && leverage > fit.largest_leverage * (1 + range_tolerance)) {
        if (!extrapolate) {
            throw BadInput(
                "The prediction is refused, because no run of the fit is near this combination of fraction, parameters "
                "and tokens, although each of the three values is within the range of the runs.");
        }
        result.outside.emplace_back("combination");
    }
    const double middle = fit.linear.at(row);
    const double half = t_quantile(fit.linear.degrees_of_freedom()) * fit.residual_deviation * std::sqrt(1 + leverage);
    result.loss = std::exp(middle);
    result.low = std::exp(middle - half);
    result.high = std::exp(middle + half);
    return result;
}

LossPoint parse_loss_point(const LossFit& fit, const std::string& text) {
    LossPoint point;
    std::set<std::string_view> given;
    for (const std::string& part : parts_of(text)) {
        const std::size_t equals = part.find('=');
        const std::string name(trimmed(part.substr(0, equals)));
        const auto variable = std::find_if(loss_variables().begin(), loss_variables().end(),
                                           [&](const LossVariable& known) { return known.name == name; });
        if (equals == std::string::npos || variable == loss_variables().end()) {
            throw BadInput(
                "\"" + part +
                "\" does not give a variable of the fit and its value; write fraction=25%,parameters=1M,tokens=10M.");
        }
        const std::string value = part.substr(equals + 1);
        if (name == "fraction" && value.find("ch") != std::string::npos) {
            throw BadInput("\"" + value +
                           "\" is not a fraction for a prediction, because the runs of the fit may have different head "
                           "dimensions; write it as 0.25 or 25 %.");
        }
        point.*variable->value = name == "fraction" ? parse_fraction(value, 2) : parse_number(value);
        given.insert(variable->name);
    }
    for (const LossVariable& variable : loss_variables()) {
        if (given.contains(variable.name)) continue;
        const LossRange range = fit.*variable.range;
        if (range.low != range.high) {
            throw BadInput("The prediction needs a value of " + std::string(variable.name) +
                           ", because the runs of the fit differ in it; write fraction=25%,parameters=1M,tokens=10M.");
        }
        point.*variable.value = range.low;
    }
    return point;
}

namespace {

using nlohmann::json;

constexpr std::size_t most_values = 4;  // values of a setting that a message lists

// The fit's variables describe the setting, or the setting does not change what a run computes except for rounding.
bool is_free(const std::string& name) {
    static constexpr std::array<std::string_view, 16> free = {
        "seed",        "fraction",        "layers",     "width",       "heads",         "mlp_width",
        "probe_every", "key_value_heads", "iterations", "micro_batch", "sample_length", "device",
        "threads",     "operations",      "rope_cache", "cuda_graphs"};
    return std::find(free.begin(), free.end(), name) != free.end();
}

const Key* known_key(const std::string& name) {
    const auto known = std::find_if(keys().begin(), keys().end(), [&](const Key& each) { return each.name == name; });
    return known == keys().end() ? nullptr : &*known;
}

// Numbers of training and evaluation, such as a learning rate, may be chosen by size and number of tokens.
bool may_follow(const std::string& name) {
    const Key* key = known_key(name);
    return key && (key->group == "training" || key->group == "evaluation") && key->choices.empty();
}

struct FitGroup {
    std::size_t index = 0;
    const ResultGroup* group = nullptr;
    LossPoint at;
    RunSpec spec;  // with the fraction 0 if no whole pair is rotated
};

// Null if the setting has no effect on the group.
json effective_value(const FitGroup& member, const std::string& name) {
    const json& value = member.group->settings.at(name);
    if (const Key* key = known_key(name); key && !key->matters(member.spec)) return {};
    if (member.at.fraction > 0) return value;
    // A model without position encoding computes what RoPE on 0 channels computes.
    if (name == "position" && value == "none") return "rope";
    if (name == "position" && value == "learned") return "learned+rope";
    return value;
}

std::vector<json> distinct_values(const std::vector<FitGroup>& groups, const std::string& name) {
    std::vector<json> values;
    for (const FitGroup& member : groups) {
        json value = effective_value(member, name);
        if (!value.is_null() && std::find(values.begin(), values.end(), value) == values.end()) {
            values.push_back(std::move(value));
        }
    }
    return values;
}

// Size and number of tokens determine the setting's value.
bool follows(const std::vector<FitGroup>& groups, const std::string& name) {
    std::map<std::pair<double, double>, json> known;
    return std::all_of(groups.begin(), groups.end(), [&](const FitGroup& member) {
        const json value = effective_value(member, name);
        return value.is_null() ||
               known.try_emplace({member.at.parameters, member.at.tokens}, value).first->second == value;
    });
}

std::vector<std::string> unfitted_settings(const ResultsTable& table, const std::vector<FitGroup>& groups) {
    std::vector<std::string> result;
    for (const std::string& name : table.swept) {
        if (is_free(name) || distinct_values(groups, name).size() < 2) continue;
        if (!may_follow(name) || !follows(groups, name)) result.push_back(name);
    }
    return result;
}

std::string unfitted_words(const std::vector<FitGroup>& groups, const std::vector<std::string>& names) {
    return joined(names, ", ", [&](const std::string& name) {
        const std::vector<json> values = distinct_values(groups, name);
        const bool are_all = values.size() <= most_values;
        return name + " (" +
               joined(std::span(values).first(are_all ? values.size() : most_values), ", ", setting_text) +
               (are_all ? ")" : ", …)");
    });
}

std::vector<FitGroup> fit_groups(const ResultsTable& table, std::span<const LossFitSource> runs, TableLossFit& result) {
    std::vector<FitGroup> groups;
    for (std::size_t i = 0; i < table.groups.size(); ++i) {
        const ResultGroup& group = table.groups[i];
        result.diverged += group.failed;
        if (group.counted.empty()) continue;
        FitGroup& added = groups.emplace_back(FitGroup{i, &group, {}, runs[group.counted.front()].spec});
        added.at = loss_point_of(added.spec);
        if (added.at.fraction == 0) added.spec.fraction = 0;
    }
    return groups;
}

// Only groups remain that agree with the chosen one in settings for which the fit has no term.
void choose_groups(const ResultsTable& table, std::vector<FitGroup>& groups, const LossFitChoice& choice,
                   TableLossFit& result) {
    for (;;) {
        const std::vector<std::string> names = unfitted_settings(table, groups);
        if (names.empty()) return;
        const auto like = std::find_if(groups.begin(), groups.end(),
                                       [&](const FitGroup& member) { return member.index == choice.like; });
        if (like == groups.end()) {
            throw BadInput("The runs cannot be fitted together, because they also differ in " +
                           unfitted_words(groups, names) +
                           ", for which the fit has no term; choose runs without this difference." +
                           (choice.how_to_choose.empty() ? "" : " " + choice.how_to_choose));
        }
        const FitGroup chosen = *like;
        const auto differs = [&](const FitGroup& member) {
            return std::any_of(names.begin(), names.end(), [&](const std::string& name) {
                const json a = effective_value(member, name);
                const json b = effective_value(chosen, name);
                return !a.is_null() && !b.is_null() && a != b;
            });
        };
        for (const FitGroup& member : groups) {
            if (differs(member)) result.other_runs += static_cast<std::int64_t>(member.group->counted.size());
        }
        const std::size_t before = groups.size();
        std::erase_if(groups, differs);
        result.chosen_by.insert(result.chosen_by.end(), names.begin(), names.end());
        if (groups.size() == before) {
            throw BadInput("The selected group does not have the settings " + unfitted_words(groups, names) +
                           ", in which the other runs differ, so it cannot choose runs for the fit; select a "
                           "group of runs with RoPE.");
        }
    }
}

std::vector<LossFitRun> fit_runs(const std::vector<FitGroup>& groups, std::span<const LossFitSource> runs,
                                 TableLossFit& result) {
    std::vector<LossFitRun> fitted;
    for (const FitGroup& member : groups) {
        const std::vector<double> values = member.group->values(result.measure);
        for (std::size_t i = 0; i < values.size(); ++i) {
            if (runs[member.group->counted[i]].state != RunState::finished) continue;
            if (!std::isfinite(values[i])) {
                ++result.undefined;
                continue;
            }
            result.points[member.index] = member.at;
            const LossFitRun run{member.at, member.group->seeds[i], values[i]};
            const auto copy = std::find_if(fitted.begin(), fitted.end(), [&](const LossFitRun& known) {
                return known.at == run.at && known.seed == run.seed;
            });
            if (copy == fitted.end()) {
                fitted.push_back(run);
            } else {
                ++result.copies;
                *copy = run;
            }
        }
    }
    return fitted;
}

}  // namespace

LossPoint loss_point_of(const RunSpec& spec) {
    LossPoint at;
    const int head = spec.rotary_head_dim();
    at.fraction = spec.rotates() ? static_cast<double>(rotary_dim(head, spec.fraction)) / head : 0;
    at.parameters = static_cast<double>(non_embedding_parameters(spec));
    at.tokens = static_cast<double>(spec.iterations) * static_cast<double>(spec.batch * spec.context);
    return at;
}

TableLossFit fit_table(const ResultsTable& table, std::span<const LossFitSource> runs, const LossFitChoice& choice) {
    TableLossFit result;
    result.measure = table.compared;
    const std::string_view unit = measures()[table.compared].unit;
    if (const std::string programs = imported_words(table); !programs.empty()) {
        throw BadInput("The fit needs the number of parameters and tokens of each run, which runs imported from " +
                       programs + " do not have; choose an experiment of runs that RoPE Lab trained.");
    }
    if (unit != "nats" && unit != "bits") {
        throw BadInput("The fit needs a loss, but " + std::string(measures()[table.compared].name) +
                       " is not one; compare a loss, such as best_validation_loss.");
    }
    result.points.resize(table.groups.size());
    std::vector<FitGroup> groups = fit_groups(table, runs, result);
    if (groups.empty()) throw BadInput("The fit needs finished runs, and there is none yet.");
    choose_groups(table, groups, choice, result);
    for (const std::string& name : table.swept) {
        if (!is_free(name) && name != "batch" && distinct_values(groups, name).size() > 1)
            result.following.push_back(name);
    }
    result.fit = fit_loss(fit_runs(groups, runs, result));
    return result;
}

namespace {

using nlohmann::json;

std::string coefficient_text(double value) {
    std::array<char, 32> buffer{};
    const auto [end, error] =
        std::to_chars(buffer.data(), buffer.data() + buffer.size(), value, std::chars_format::general, 4);
    return {buffer.data(), end};
}

std::string estimate_text(const IntervalEstimate& estimate) {
    return coefficient_text(estimate.value) + " (95 % interval " + coefficient_text(estimate.low) + " … " +
           coefficient_text(estimate.high) + ")";
}

// A difference of ln loss as a percentage of the loss.
std::string relative_text(double logarithm) {
    return rough_text(100 * std::expm1(logarithm)) + " %";
}

std::string formula_text(const TableLossFit& table) {
    std::string result =
        "ln " + std::string(measures()[table.measure].name) + " = " + coefficient_text(table.fit.constant.value);
    for (std::size_t j = 0; j < table.fit.terms.size(); ++j) {
        const double value = table.fit.coefficients[j].value;
        result +=
            (value < 0 ? " - " : " + ") + coefficient_text(std::abs(value)) + "·" + facts_of(table.fit.terms[j]).symbol;
    }
    return result;
}

std::string range_text(const LossRange& range) {
    return range.low == range.high ? number_text(range.low) : number_text(range.low) + " to " + number_text(range.high);
}

std::string percent_range_text(const LossRange& range) {
    const LossRange percent = {100 * range.low, 100 * range.high};
    if (range.low == range.high) return coefficient_text(percent.low) + " %";
    return coefficient_text(percent.low) + " to " + coefficient_text(percent.high) + " %";
}

std::string test_text(const FTest& test) {
    return "F(" + number_text(test.numerator) + ", " + number_text(test.denominator) + ") = " + rough_text(test.f) +
           ", " + p_words(test.p);
}

std::vector<std::string> selection_words(const TableLossFit& table) {
    std::vector<std::string> lines;
    if (table.other_runs > 0) {
        lines.push_back("The fit omits " + counted(table.other_runs, "run") + " that differ from the chosen group in " +
                        joined(table.chosen_by) + ".");
    }
    if (table.copies > 0) {
        lines.push_back("The fit counts " + counted(table.copies, "run") +
                        " only once, because another run trained the same model from the same seed.");
    }
    if (table.diverged > 0) {
        lines.push_back("The fit omits " + counted(table.diverged, "run") + " that failed or diverged.");
    }
    if (table.undefined > 0) {
        lines.push_back("The fit omits " + counted(table.undefined, "run") + " without a finite " +
                        std::string(measures()[table.measure].name) + ".");
    }
    if (!table.following.empty()) {
        lines.push_back(
            "The fit's terms for model size and training tokens include the effect of settings that change with these "
            "two: " +
            joined(table.following) + ".");
    }
    return lines;
}

json json_test(const std::optional<FTest>& test) {
    if (!test) return nullptr;
    return {{"f", test->f}, {"degrees_of_freedom", {test->numerator, test->denominator}}, {"p", test->p}};
}

}  // namespace

std::vector<std::string> loss_fit_words(const TableLossFit& table) {
    const LossFit& fit = table.fit;
    std::vector<std::string> lines = {
        "Fit of the loss: " + formula_text(table) + ", by least squares over " + counted(fit.n, "run") + " at " +
        std::to_string(fit.settings) +
        " settings; p is the rotated fraction, N the number of parameters without embeddings, D the number of training "
        "tokens."};
    for (std::size_t j = 0; j < fit.terms.size(); ++j) {
        lines.push_back(std::string("  coefficient of ") + facts_of(fit.terms[j]).symbol + ": " +
                        estimate_text(fit.coefficients[j]));
    }
    lines.push_back("Residual standard deviation: " + relative_text(fit.residual_deviation) +
                    " of the loss; R² = " + fixed_text(fit.r_squared, 3) + " (of ln loss).");
    if (fit.left_out) {
        lines.push_back(
            "Prediction error for a setting that is left out of the fit: " + relative_text(fit.left_out->error) +
            " of the loss (root mean square over " + std::to_string(fit.left_out->settings) +
            " settings); the mean of the other runs as prediction has an error of " +
            relative_text(fit.left_out->mean_error) + ".");
    }
    if (fit.lack_of_fit) {
        const bool lacks = fit.lack_of_fit->p < 0.05;
        lines.push_back(std::string(lacks ? "The settings deviate from the fitted formula by more than the scatter of "
                                            "the seeds, so the intervals are only approximate: "
                                          : "The settings do not deviate from the fitted formula by significantly more "
                                            "than the scatter of the seeds: ") +
                        test_text(*fit.lack_of_fit) + ".");
    }
    if (fit.interaction) {
        lines.push_back(
            std::string(
                fit.interaction->p < 0.05
                    ? "The effect of the rotated fraction depends on model size or training tokens: "
                    : "No dependence of the rotated fraction's effect on model size or training tokens is shown: ") +
            test_text(*fit.interaction) + " (products of √p with ln N and ln D).");
    }
    lines.push_back("Range of the fitted runs: rotated fraction p = " + percent_range_text(fit.fraction) +
                    ", parameters N = " + range_text(fit.parameters) +
                    ", training tokens D = " + range_text(fit.tokens) +
                    ". The fit says nothing beyond this range, and assumes that the errors of the runs are "
                    "independent; the runs share one data set, so intervals do not generalise to other texts.");
    for (std::string& line : selection_words(table)) lines.push_back(std::move(line));
    return lines;
}

std::string prediction_words(const TableLossFit& table, const LossPrediction& prediction) {
    const Measure& measure = measures()[table.measure];
    std::string words = "Predicted " + std::string(measure.name) +
                        " of one run at rotated fraction p = " + coefficient_text(100 * prediction.at.fraction) +
                        " %, parameters N = " + number_text(prediction.at.parameters) +
                        ", training tokens D = " + number_text(prediction.at.tokens) + ": " +
                        fixed_text(prediction.loss, measure.decimals) + " " + std::string(measure.unit) +
                        " (95 % prediction interval " + fixed_text(prediction.low, measure.decimals) + " … " +
                        fixed_text(prediction.high, measure.decimals) + ")";
    if (!prediction.outside.empty()) words += ", outside the range of the runs in " + joined(prediction.outside);
    return words + ".";
}

json loss_fit_json(const TableLossFit& table, std::span<const LossPrediction> predictions) {
    const LossFit& fit = table.fit;
    const auto estimate = [](std::string name, const IntervalEstimate& value) {
        return json{{"name", std::move(name)}, {"value", value.value}, {"confidence_95", {value.low, value.high}}};
    };
    json terms = json::array({estimate("constant", fit.constant)});
    for (std::size_t j = 0; j < fit.terms.size(); ++j) {
        terms.push_back(estimate(facts_of(fit.terms[j]).name, fit.coefficients[j]));
    }
    const auto prediction_json = [&](const LossPrediction& each) -> json {
        return {{"fraction", each.at.fraction},
                {"parameters", each.at.parameters},
                {"tokens", each.at.tokens},
                {"value", each.loss},
                {"prediction_95", {each.low, each.high}},
                {"outside_range", each.outside},
                {"words", prediction_words(table, each)}};
    };
    return {{"measure", std::string(measures()[table.measure].name)},
            {"unit", std::string(measures()[table.measure].unit)},
            {"formula", formula_text(table)},
            {"terms", std::move(terms)},
            {"n", fit.n},
            {"settings", fit.settings},
            {"degrees_of_freedom", fit.linear.degrees_of_freedom()},
            {"residual_standard_deviation", fit.residual_deviation},
            {"r_squared", fit.r_squared},
            {"left_out", fit.left_out ? json{{"settings", fit.left_out->settings},
                                             {"error", fit.left_out->error},
                                             {"error_of_mean", fit.left_out->mean_error}}
                                      : json()},
            {"lack_of_fit", json_test(fit.lack_of_fit)},
            {"interaction", json_test(fit.interaction)},
            {"range",
             {{"fraction", {fit.fraction.low, fit.fraction.high}},
              {"parameters", {fit.parameters.low, fit.parameters.high}},
              {"tokens", {fit.tokens.low, fit.tokens.high}}}},
            {"chosen_by", table.chosen_by},
            {"following", table.following},
            {"other_runs", table.other_runs},
            {"copies", table.copies},
            {"diverged", table.diverged},
            {"words", loss_fit_words(table)},
            {"predictions", json_list(predictions, prediction_json)}};
}

}  // namespace ropelab
