#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/stopping_rule.h"

namespace ropelab {

struct SearchRange {
    std::string key;
    double low = 0;
    double high = 0;
    bool logarithmic = false;  // uniform in the logarithm
    bool operator==(const SearchRange&) const = default;
};

/// Samples are fixed before training: they depend only on the members.
struct Search {
    /// random: independent uniform samples. sobol: points of a Sobol sequence with a random digital shift, which fill
    /// the ranges evenly. halving: the points of sobol (or the values of the sweep, if there are no ranges), of which
    /// the worse half is stopped at each rung.
    enum class Method { random, sobol, halving } method = Method::random;
    std::vector<SearchRange> ranges;
    std::int64_t samples = 16;
    std::int64_t seed = 1;
    std::int64_t first_rung = 0;  // of halving
    bool operator==(const Search&) const = default;

    bool samples_key(std::string_view key) const;
};

inline constexpr const char* search_document = "search";

/// Throws BadInput for any word but "random", "sobol" and "halving".
Search::Method search_method(std::string_view word);
/// "learning_rate=1e-4..1e-2 log" or "theta=500..10000"; nullopt if the text is no range of a numeric setting other
/// than the seed. Throws BadInput if the range is empty or outside the setting's range.
std::optional<SearchRange> parse_search_range(std::string_view assignment);
/// For parse_search_range(): "learning_rate=0.0001..0.01 log".
std::string range_text(const SearchRange& range);

/// At a point of the unit cube, rounded to six digits, or to a whole number.
std::map<std::string, std::string> search_values(const Search& search, const std::vector<double>& point);
/// In the unit cube, one coordinate per range. More samples have the same first points.
std::vector<std::vector<double>> search_points(const Search& search);

/// Replaces the explicit runs by samples and sets the first rung of halving, if it is 0, to an eighth of the
/// iterations, rounded up to an evaluation. Throws BadInput if there is no range for random or sobol, if a setting has
/// two ranges, or if halving cannot compare the runs: they must have one length, shape and evaluation interval, fit
/// into the memory in one cohort, and have an evaluation at each rung.
void apply_search(Search& search, Experiment& experiment);

/// "sobol, 16 samples with seed 1: learning_rate from 0.0001 to 0.01 (log)".
std::string search_words(const std::string& document);
nlohmann::json to_json(const Search& search);
void store_search(LabFile& lab, std::int64_t experiment, const Search& search, const std::vector<RunSpec>& runs);
/// nullopt if there is none.
std::optional<Search> stored_search(const LabFile& lab, std::int64_t experiment);
/// nullopt if the experiment's lab stores none.
std::optional<StoppingRule> stored_stopping_rule(const LabFile& lab, std::int64_t experiment);
/// nullopt for other methods.
std::optional<Halving> halving_of(const Search& search, std::int64_t experiment, const std::vector<RunSpec>& runs);

}  // namespace ropelab
