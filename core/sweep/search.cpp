#include "core/sweep/search.h"

#include <algorithm>
#include <array>
#include <boost/random/sobol.hpp>
#include <cmath>
#include <cstdio>
#include <set>

#include "core/base/error.h"
#include "core/base/random_stream.h"
#include "core/data/json_text.h"
#include "core/forecast/cohort_width.h"

namespace ropelab {

namespace {

bool is_whole_setting(const std::string& name) {
    return std::holds_alternative<std::int64_t>(key(name).get(RunSpec{}));
}

// Throws BadInput unless all runs can be compared at the rungs.
void check_halving(const Search& search, const std::vector<RunSpec>& runs) {
    const auto cohorts = group_into_cohorts(runs);
    if (cohorts.size() > 1) {
        throw BadInput(
            "Successive halving compares runs that train as one batch (a cohort), but these runs differ in settings "
            "that change their shape or length, so they form " +
            std::to_string(cohorts.size()) +
            " cohorts; vary only settings that keep the shape, such as the learning rate, theta or the seed.");
    }
    if (split_by_memory(cohorts, runs).size() > 1) {
        throw BadInput(
            "Successive halving compares runs that train as one batch (a cohort), but the memory is too small for a "
            "cohort of " +
            std::to_string(runs.size()) + " runs; use fewer samples.");
    }
    const RunSpec& first = runs.front();
    if (search.first_rung % first.evaluate_every != 0) {
        throw BadInput("The first rung of successive halving (--first-rung) is at iteration " +
                       std::to_string(search.first_rung) +
                       ", where there is no evaluation; it must be a multiple of evaluate_every, which is " +
                       std::to_string(first.evaluate_every) + ".");
    }
    if (search.first_rung >= first.iterations) {
        throw BadInput("The first rung of successive halving (--first-rung) is at iteration " +
                       std::to_string(search.first_rung) + ", but the runs have only " +
                       std::to_string(first.iterations) + " iterations.");
    }
    if (count_settings(runs) < 2)
        throw BadInput("Successive halving compares settings, so it needs runs of at least two different settings.");
}

std::int64_t default_first_rung(const RunSpec& run) {
    const std::int64_t eighth = std::max<std::int64_t>(1, run.iterations / 8);
    return (eighth + run.evaluate_every - 1) / run.evaluate_every * run.evaluate_every;
}

// In the order of Search::Method.
const std::vector<std::string>& method_words() {
    static const std::vector<std::string> words = {"random", "sobol", "halving"};
    return words;
}

}  // namespace

Search::Method search_method(std::string_view word) {
    return static_cast<Search::Method>(choice_of(std::string(word), "a method of search", method_words()));
}

std::optional<SearchRange> parse_search_range(std::string_view assignment) {
    const auto equals = assignment.find('=');
    if (equals == std::string_view::npos || equals == 0) return std::nullopt;
    const Key& entry = key(trimmed(assignment.substr(0, equals)));
    const Value sample = entry.get(RunSpec{});
    std::string_view text = trimmed(assignment.substr(equals + 1));
    const auto dots = text.find("..");
    const bool is_number = std::holds_alternative<std::int64_t>(sample) || std::holds_alternative<double>(sample);
    if (dots == std::string_view::npos || !is_number || entry.name == "seed" ||
        text.find(',') != std::string_view::npos) {
        return std::nullopt;
    }
    SearchRange range{std::string(entry.name)};
    if (text.ends_with(" log")) {
        range.logarithmic = true;
        text.remove_suffix(4);
    }
    const auto number = [&](std::string_view part) {
        RunSpec scratch;
        const Value value = parse_value(entry, trimmed(part), scratch);
        entry.set(scratch, value);  // throws BadInput for a value out of range
        const auto* whole = std::get_if<std::int64_t>(&value);
        return whole != nullptr ? static_cast<double>(*whole) : std::get<double>(value);
    };
    range.low = number(text.substr(0, dots));
    range.high = number(text.substr(dots + 2));
    if (!(range.low < range.high) || (range.logarithmic && range.low <= 0)) {
        throw BadInput("The range \"" + std::string(assignment) +
                       "\" must ascend, and begin above 0 if it is logarithmic, such as learning_rate=1e-4..1e-2 log.");
    }
    return range;
}

std::string range_text(const SearchRange& range) {
    return range.key + "=" + number_text(range.low) + ".." + number_text(range.high) +
           (range.logarithmic ? " log" : "");
}

bool Search::samples_key(std::string_view key) const {
    return std::any_of(ranges.begin(), ranges.end(), [&](const SearchRange& range) { return range.key == key; });
}

std::map<std::string, std::string> search_values(const Search& search, const std::vector<double>& point) {
    std::map<std::string, std::string> values;
    for (std::size_t i = 0; i < search.ranges.size(); ++i) {
        const SearchRange& range = search.ranges[i];
        const bool whole = is_whole_setting(range.key);
        // A whole number stands for the interval of length 1 around it, so that the ends are as probable as the others.
        const double low = whole ? range.low - 0.5 : range.low;
        const double high = whole ? range.high + 0.5 : range.high;
        double value = range.logarithmic ? low * std::pow(high / low, point[i]) : low + point[i] * (high - low);
        if (whole) value = std::clamp(std::round(value), range.low, range.high);
        std::array<char, 32> text{};
        std::snprintf(text.data(), text.size(), whole ? "%.0f" : "%.6g", value);
        values[range.key] = text.data();
    }
    return values;
}

std::vector<std::vector<double>> search_points(const Search& search) {
    const std::size_t dimensions = search.ranges.size();
    const RandomStream stream(search.seed, "search");
    std::vector<std::vector<double>> points;
    if (dimensions == 0) return points;
    if (search.method == Search::Method::random) {
        for (std::int64_t sample = 0; sample < search.samples; ++sample) {
            std::vector<double>& point = points.emplace_back();
            for (std::size_t i = 0; i < dimensions; ++i)
                point.push_back(stream.uniform(static_cast<std::uint64_t>(sample), i));
        }
        return points;
    }
    boost::random::sobol sequence(dimensions);
    for (std::int64_t sample = 0; sample < search.samples; ++sample) {
        std::vector<double>& point = points.emplace_back();
        for (std::size_t i = 0; i < dimensions; ++i) {
            // The digital shift keeps the even distribution of the sequence, and makes it depend on the seed.
            const auto bits = stream.block(i, 0);
            const std::uint64_t shift = static_cast<std::uint64_t>(bits[0]) << 32 | bits[1];
            // Boost's sequence leaves out its first point, 0, without which 2^k samples would not fill 2^k intervals.
            const std::uint64_t coordinate = sample == 0 ? 0 : sequence();
            point.push_back(static_cast<double>((coordinate ^ shift) >> 11) * 0x1p-53);
        }
    }
    return points;
}

void apply_search(Search& search, Experiment& experiment) {
    if (search.samples < 1 || search.samples > 10000) {
        throw BadInput("The number of samples is " + std::to_string(search.samples) + "; it must be from 1 to 10000.");
    }
    if (search.ranges.empty() && search.method != Search::Method::halving) {
        throw BadInput(
            "The search samples a range of values, so at least one setting needs a range, such as "
            "\"learning_rate=1e-4..1e-2 log\".");
    }
    std::set<std::string> sampled;
    for (const SearchRange& range : search.ranges) {
        if (sampled.insert(range.key).second) continue;
        throw BadInput("The setting " + range.key + " has two ranges; give the setting one range.");
    }
    if (!search.ranges.empty()) {
        std::vector<std::map<std::string, std::string>> runs;
        for (const auto& point : search_points(search)) runs.push_back(search_values(search, point));
        for (const SearchRange& range : search.ranges) experiment.set(range.key, {});
        experiment.set_explicit_runs(std::move(runs));
    }
    if (search.method != Search::Method::halving) return;
    const std::vector<RunSpec> runs = experiment.expand();
    if (search.first_rung == 0) search.first_rung = default_first_rung(runs.front());
    check_halving(search, runs);
}

nlohmann::json to_json(const Search& search) {
    nlohmann::json result = {{"method", method_words()[static_cast<std::size_t>(search.method)]}};
    if (!search.ranges.empty()) {
        result["samples"] = search.samples;
        result["seed"] = search.seed;
    }
    for (const SearchRange& range : search.ranges) {
        result["ranges"].push_back({{"key", range.key},
                                    {"low", range.low},
                                    {"high", range.high},
                                    {"scale", range.logarithmic ? "log" : "linear"}});
    }
    if (search.method == Search::Method::halving) result["first_rung"] = search.first_rung;
    return result;
}

void store_search(LabFile& lab, std::int64_t experiment, const Search& search, const std::vector<RunSpec>& runs) {
    nlohmann::json document = to_json(search);
    if (const auto halving = halving_of(search, experiment, runs)) document["settings"] = halving->settings;
    lab.add_document(experiment, search_document, document.dump());
}

std::optional<Search> stored_search(const LabFile& lab, std::int64_t experiment) {
    const auto document = lab.document(experiment, search_document);
    if (!document) return std::nullopt;
    try {
        const auto json = parse_bounded(*document);
        Search search;
        search.method = search_method(json.at("method").get<std::string>());
        search.samples = json.value("samples", search.samples);
        search.seed = json.value("seed", search.seed);
        search.first_rung = json.value("first_rung", std::int64_t{0});
        for (const auto& range : json.value("ranges", nlohmann::json::array())) {
            search.ranges.push_back({range.at("key").get<std::string>(), range.at("low").get<double>(),
                                     range.at("high").get<double>(), range.value("scale", "") == "log"});
        }
        return search;
    } catch (const nlohmann::json::exception&) {  // written by a newer program
        return std::nullopt;
    } catch (const BadInput&) {
        return std::nullopt;
    }
}

std::string search_words(const std::string& document) {
    const auto json = parse_bounded(document, nullptr, false);
    if (!json.is_object()) return document;
    std::string words = json.value("method", "");
    if (json.contains("samples")) {
        words += ", " + std::to_string(json.value("samples", std::int64_t{0})) + " samples with seed " +
                 std::to_string(json.value("seed", std::int64_t{0}));
    }
    if (json.contains("first_rung")) {
        words += ", first rung at iteration " + std::to_string(json.value("first_rung", std::int64_t{0})) + " of " +
                 std::to_string(json.value("settings", std::int64_t{0})) + " settings";
    }
    std::string ranges;
    for (const auto& range : json.value("ranges", nlohmann::json::array())) {
        ranges += (ranges.empty() ? ": " : ", ") + range.value("key", "") + " from " +
                  number_text(range.value("low", 0.0)) + " to " + number_text(range.value("high", 0.0)) + " (" +
                  range.value("scale", "") + ")";
    }
    return words + ranges;
}

std::optional<Halving> halving_of(const Search& search, std::int64_t experiment, const std::vector<RunSpec>& runs) {
    if (search.method != Search::Method::halving) return std::nullopt;
    return Halving{experiment, search.first_rung, count_settings(runs)};
}

std::optional<StoppingRule> stored_stopping_rule(const LabFile& lab, std::int64_t experiment) {
    if (const auto document = lab.document(experiment, stopping_document))
        return sequential_design_from_json(parse_bounded(*document));
    const auto document = lab.document(experiment, search_document);
    if (!document) return std::nullopt;
    const auto json = parse_bounded(*document, nullptr, false);
    if (!json.is_object() || json.value("method", "") != "halving") return std::nullopt;
    return Halving{experiment, json.value("first_rung", std::int64_t{0}), json.value("settings", std::int64_t{0})};
}

}  // namespace ropelab
