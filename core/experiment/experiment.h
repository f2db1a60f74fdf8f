#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/spec/keys.h"
#include "core/spec/run_spec.h"
#include "core/store/run_settings.h"

namespace ropelab {

/// The description of an experiment: flat settings by key, with a list of values for each swept setting. Window,
/// terminal, lab file and links all use this description. Settings that are not named have their defaults.
class Experiment {
 public:
    Experiment() = default;
    explicit Experiment(std::string name) : name_(std::move(name)) {}
    /// Parses {"name": …, "runs": [{…}, …]?, "zip": [[key, key, …], …]?, "exclude": [{key: value, …}, …]?, key: value
    /// or [values], …}. A null value means the default. Throws BadInput for unknown keys (naming the most similar one)
    /// for values out of range, and for a setting that is set twice (under its earlier and its current name).
    static Experiment from_json(const nlohmann::json& json);
    /// Parses JSON text as from_json() does. Throws BadInput, with the byte offset, if the text is not JSON, and if an
    /// object names a key twice.
    static Experiment from_text(std::string_view text);
    /// Returns the description as the JSON object that from_json() parses.
    nlohmann::json to_json() const;

    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }

    /// Returns the values of a setting as texts ("10000", "25 %", "2 ch"); its default if it was not set.
    std::vector<std::string> values(std::string_view key) const;
    /// Sets one value, or several to sweep the setting; an empty list restores the default. Throws BadInput for an
    /// unknown key or an invalid value.
    void set(std::string_view key, std::vector<std::string> values);
    /// Sets a setting from the text of --set, such as "theta=500,1000", or "seed=1..10" for all whole numbers from 1 to
    /// 10. Throws BadInput for an invalid text.
    void set_assignment(std::string_view assignment);
    /// Sets settings from the texts of all --set flags. Throws BadInput also if two of them set the same setting.
    void set_assignments(const std::vector<std::string>& assignments);
    /// Returns whether the setting was set explicitly.
    bool is_set(std::string_view key) const { return settings_.contains(std::string(key)); }

    /// Returns the runs: the Cartesian product of the explicit runs (if any) and the swept settings. The first key of
    /// the table of settings varies slowest. Zipped settings vary together, at the position of the first of them. Runs
    /// that match an exclusion are removed; runs that train the same model (for example two thetas with fraction 0) are
    /// not. Throws BadInput if a run is inconsistent, if zipped settings have different numbers of values or are also
    /// set by explicit runs, if an exclusion matches no run, if no run remains, or if there are more than 20,000.
    std::vector<RunSpec> expand() const;

    /// Returns the explicit runs: each is a map of settings that override the shared ones. expand() combines them with
    /// the swept settings.
    const std::vector<std::map<std::string, std::string>>& explicit_runs() const { return explicit_runs_; }
    /// Sets the explicit runs. Throws BadInput for unknown keys and invalid values.
    void set_explicit_runs(std::vector<std::map<std::string, std::string>> runs);

    /// Returns the zipped settings: each list names swept settings that vary together (first values, second values, …)
    /// instead of in all combinations.
    const std::vector<std::vector<std::string>>& zips() const { return zips_; }
    /// Sets the zipped settings. Throws BadInput unless each list has at least two known keys and no key occurs twice.
    void set_zips(std::vector<std::vector<std::string>> zips);
    /// Adds a list of zipped settings from the text of --zip, such as "theta,context".
    void add_zip(std::string_view keys);

    /// Returns the exclusions: expand() removes the runs that have all values of one of these maps.
    const std::vector<std::map<std::string, std::string>>& exclusions() const { return exclusions_; }
    /// Sets the exclusions. Throws BadInput for unknown keys, values out of range and empty maps.
    void set_exclusions(std::vector<std::map<std::string, std::string>> exclusions);
    /// Adds an exclusion from the text of --exclude, such as "fraction=0,theta=500".
    void add_exclusion(std::string_view assignments);

    bool operator==(const Experiment&) const = default;

 private:
    std::string name_;
    std::map<std::string, std::vector<std::string>> settings_;  // texts as typed
    std::vector<std::map<std::string, std::string>> explicit_runs_;
    std::vector<std::vector<std::string>> zips_;
    std::vector<std::map<std::string, std::string>> exclusions_;
};

/// Formats settings as text: "fraction = 0, theta = 500".
std::string assignments_text(const std::map<std::string, std::string>& assignments);

/// Groups the indices of runs of equal shape, in order of first appearance. Each group can train as one cohort.
std::vector<std::vector<std::size_t>> group_into_cohorts(const std::vector<RunSpec>& runs);

/// A built-in experiment.
struct Preset {
    std::string name;
    std::string summary;  // one sentence
    Experiment experiment;
};
/// Returns the built-in experiments; the first one, lecture-minute, is the default.
const std::vector<Preset>& presets();
/// Returns the preset with this name. Throws BadInput, naming the most similar preset, if there is none.
const Preset& preset(std::string_view name);

}  // namespace ropelab
