#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/settings/keys.h"
#include "core/settings/run_spec.h"
#include "core/store/run_settings.h"

namespace ropelab {

/// Flat settings by key, with a list of values for each swept setting. Window, terminal, lab file and links all use
/// this description. Settings that are not named have their defaults.
class Experiment {
 public:
    Experiment() = default;
    explicit Experiment(std::string name) : name_(std::move(name)) {}
    /// {"name": …, "runs": [{…}, …]?, "zip": [[key, key, …], …]?, "exclude": [{key: value, …}, …]?, key: value or
    /// [values], …}. A null value means the default. Throws BadInput for unknown keys (naming the most similar one) for
    /// values out of range, and for a setting that is set twice (under its earlier and its current name).
    static Experiment from_json(const nlohmann::json& json);
    /// As from_json(). Throws BadInput also if the text is not JSON (with the byte offset) or a key repeats.
    static Experiment from_text(std::string_view text);
    nlohmann::json to_json() const;

    const std::string& name() const { return name_; }
    void set_name(std::string name) { name_ = std::move(name); }

    /// Texts ("10000", "25 %", "2 ch"); the default if the setting was not set.
    std::vector<std::string> values(std::string_view key) const;
    /// Several values sweep the setting; none restores the default. Throws BadInput for a wrong key or value.
    void set(std::string_view key, std::vector<std::string> values);
    /// --set: "theta=500,1000", or "seed=1..10" for all whole numbers from 1 to 10. Throws BadInput for an invalid
    /// text.
    void set_assignment(std::string_view assignment);
    /// Throws BadInput also if two of the texts set the same setting.
    void set_assignments(const std::vector<std::string>& assignments);
    bool is_set(std::string_view key) const { return settings_.contains(std::string(key)); }

    /// The Cartesian product of the explicit runs (if any) and the swept settings. The first key of the table of
    /// settings varies slowest. Zipped settings vary together, at the position of the first of them. Runs that match an
    /// exclusion are removed; runs that train the same model (for example two thetas with fraction 0) are not. Throws
    /// BadInput if a run is inconsistent, if zipped settings have different numbers of values or are also set by
    /// explicit runs, if an exclusion matches no run, if no run remains, or if there are more than 20,000.
    std::vector<RunSpec> expand() const;

    /// They override the shared settings. expand() combines them with the swept settings.
    const std::vector<std::map<std::string, std::string>>& explicit_runs() const { return explicit_runs_; }
    /// Throws BadInput for unknown keys and invalid values.
    void set_explicit_runs(std::vector<std::map<std::string, std::string>> runs);

    /// Each list names swept settings that vary together instead of in all combinations.
    const std::vector<std::vector<std::string>>& zips() const { return zips_; }
    /// Throws BadInput unless each list has at least two known keys and no key occurs twice.
    void set_zips(std::vector<std::vector<std::string>> zips);
    void add_zip(std::string_view keys);

    /// expand() removes the runs that have all values of one of these maps.
    const std::vector<std::map<std::string, std::string>>& exclusions() const { return exclusions_; }
    /// Throws BadInput for unknown keys, values out of range and empty maps.
    void set_exclusions(std::vector<std::map<std::string, std::string>> exclusions);
    void add_exclusion(std::string_view assignments);

    bool operator==(const Experiment&) const = default;

 private:
    std::string name_;
    std::map<std::string, std::vector<std::string>> settings_;  // texts as typed
    std::vector<std::map<std::string, std::string>> explicit_runs_;
    std::vector<std::vector<std::string>> zips_;
    std::vector<std::map<std::string, std::string>> exclusions_;
};

/// "fraction = 0, theta = 500".
std::string assignments_text(const std::map<std::string, std::string>& assignments);

/// Indices of runs of equal shape, in order of first appearance.
std::vector<std::vector<std::size_t>> group_into_cohorts(const std::vector<RunSpec>& runs);

struct Preset {
    std::string name;
    std::string summary;  // one sentence
    Experiment experiment;
};
/// The first one, lecture-minute, is the default.
const std::vector<Preset>& presets();
/// Throws BadInput, naming the most similar preset, if there is none.
const Preset& preset(std::string_view name);

}  // namespace ropelab
