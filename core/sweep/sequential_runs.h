#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/experiment/experiment.h"
#include "core/experiment/stopping_rule.h"
#include "core/store/lab_file.h"

namespace ropelab {

// A sequential experiment names all seeds up to the cap; a lab has runs only of the seeds that were needed so far. The
// data decide how many seeds a setting uses and never which: choosing seeds after the baseline's values are known gives
// false verdicts.

/// The experiment's seeds, and the whole numbers after the largest of them up to the cap, without the seeds of tuning.
/// Throws BadInput if it lists more seeds, or has fewer than two settings to compare with each other.
void set_sequential_seeds(Experiment& experiment, const SequentialDesign& design);

/// Indices in the expansion of the experiment: each setting with the seeds of the first look.
std::vector<std::size_t> first_runs(const Experiment& experiment, const SequentialDesign& design);

struct SeedNeed {
    std::int64_t seeds = 0;  // number of the experiment's seeds, from the first on
    double chance = 0;       // that a verdict follows, for the order of training
};
/// For a setting (a spec with any seed).
using SeedNeeds = std::function<SeedNeed(const RunSpec& setting)>;
/// Of the open comparisons in the results of the experiment: the next look of each, in the group and its baseline.
SeedNeeds needs_of_results(const LabFile& lab, std::int64_t experiment);

/// Adds the missing runs to the experiment, in descending order of chance per estimated second of training. Returns
/// their number; 0 if no setting needs another seed, or if an earlier run of the experiment has not ended.
std::size_t add_needed_runs(LabFile& lab, std::int64_t experiment, const SeedNeeds& needs);

/// Before training: what the comparisons of a sweep can show.
struct PowerForecast {
    bool to_target = false;  // comparisons with a target loss; effects are in standard deviations of the seeds
    int comparisons = 0;     // settings, or the largest family of settings with a baseline that are no repeats
    bool share_baseline = true;
    std::int64_t seeds = 0;  // per setting, or the cap
    /// With 80 % power at the level 5 % / comparisons, in standard deviations of the differences within pairs; for a
    /// fixed number of seeds.
    std::optional<double> detectable_deviations;
    std::optional<double> paired_deviation;  // in nats, stated or estimated from a lab
    /// In nats; the interval is 95 % and follows from that of an estimated deviation.
    std::optional<double> detectable, detectable_low, detectable_high;
    struct Effect {
        double deviations = 0;
        SequentialPower power;
    };
    std::vector<Effect> effects;  // with a stopping rule, by simulation
};
/// nullopt for fewer than two settings or two seeds. `stated`: standard deviation of the differences within pairs;
/// `estimated`: its estimate, n − 1 the degrees of freedom.
std::optional<PowerForecast> power_forecast(const std::vector<RunSpec>& runs,
                                            const std::optional<SequentialDesign>& stopping,
                                            std::optional<double> stated = {}, std::optional<Sample> estimated = {});
/// Pooled over the comparisons of the lab's newest experiment; nullopt without pairs.
std::optional<Sample> paired_deviation(const LabFile& lab);
std::string words_of(const PowerForecast& forecast);
/// For a narrow panel: "With 5 seeds, differences below 2.3 times their spread over seeds are missed in more than 20 %
/// of sweeps."
std::string short_words_of(const PowerForecast& forecast);
nlohmann::json to_json(const PowerForecast& forecast);

}  // namespace ropelab
