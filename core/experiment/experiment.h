#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/keys.h"
#include "core/spec/run_spec.h"

namespace ropelab {

/// The one description of an experiment: flat keys, a list where a key is swept. Window, terminal, lab file and link
/// all carry this. Keys that are not named keep their defaults.
class Experiment {
 public:
    Experiment() = default;
    explicit Experiment(std::string name) : name_(std::move(name)) {}
    /// {"name": …, "runs": [{…}, …]?, "zip": [[key, key, …], …]?, "exclude": [{key: value, …}, …]?, key: value or
    /// [values], …}. Throws BadInput for unknown keys (naming the nearest) and values out of range. A missing number
    /// (null) means the default.
    static Experiment from_json(const nlohmann::json& json);
    /// Throws BadInput where the text is not JSON, saying where.
    static Experiment from_text(std::string_view text);
    nlohmann::json to_json() const;

    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }

    /// The values of a key as texts ("10000", "25 %", "2 ch"); its default where the key was not set.
    std::vector<std::string> values(std::string_view key) const;
    /// One value, or several to sweep the key. An empty list takes the key back to its default. Throws BadInput.
    void set(std::string_view key, std::vector<std::string> values);
    /// "theta=500,1000": as --set takes it.
    void set_assignment(std::string_view assignment);
    bool is_set(std::string_view key) const { return settings_.contains(std::string(key)); }

    /// The runs: every combination of the swept keys (the first key of the table varies slowest), or the explicit list
    /// where one was given, each over the shared keys. Zipped keys vary as one, at the place of the first of them; runs
    /// that an exclusion matches are left out. Duplicates (rotating nothing at two thetas, say) are kept. Throws
    /// BadInput where a run does not hold together, zipped keys have unequal numbers of values or are set by the
    /// explicit runs, an exclusion matches no run, or all runs are left out.
    std::vector<RunSpec> expand() const;

    /// Explicit runs: each a set of keys over the shared ones; they multiply with the swept keys.
    const std::vector<std::map<std::string, std::string>>& explicit_runs() const { return explicit_runs_; }
    void set_explicit_runs(std::vector<std::map<std::string, std::string>> runs);

    /// Lists of swept keys that vary together, first value with first value: no grid among them. Throws BadInput unless
    /// each list names two known keys or more, and no key twice.
    const std::vector<std::vector<std::string>>& zips() const { return zips_; }
    void set_zips(std::vector<std::vector<std::string>> zips);
    /// Adds a list as --zip takes it: "theta,context".
    void add_zip(std::string_view keys);

    /// Runs that are left out: those that have every value of one of these sets of keys. Throws BadInput for unknown
    /// keys, values out of range, and an empty set.
    const std::vector<std::map<std::string, std::string>>& exclusions() const { return exclusions_; }
    void set_exclusions(std::vector<std::map<std::string, std::string>> exclusions);
    /// Adds a set as --exclude takes it: "fraction=0,theta=500".
    void add_exclusion(std::string_view assignments);

    bool operator==(const Experiment&) const = default;

 private:
    std::string name_;
    std::map<std::string, std::vector<std::string>> settings_;  // texts as typed
    std::vector<std::map<std::string, std::string>> explicit_runs_;
    std::vector<std::vector<std::string>> zips_;
    std::vector<std::map<std::string, std::string>> exclusions_;
};

/// Keys and values as people read them: "fraction = 0, theta = 500".
std::string assignments_text(const std::map<std::string, std::string>& assignments);

/// One run's settings as flat JSON: every key, by name, numbers as numbers.
nlohmann::json to_json(const RunSpec& spec);
/// The inverse; missing keys take their defaults. Throws BadInput.
RunSpec run_spec_from_json(const nlohmann::json& json);

/// Indices of runs of equal shape, in order of first appearance: each group can train as a cohort.
std::vector<std::vector<std::size_t>> group_into_cohorts(const std::vector<RunSpec>& runs);

/// The presets that come with the program: name, one sentence, description.
struct Preset {
    std::string name;
    std::string summary;
    Experiment experiment;
};
/// lecture-minute (the default) first.
const std::vector<Preset>& presets();
/// Throws BadInput, naming the nearest preset.
const Preset& preset(std::string_view name);

}  // namespace ropelab
