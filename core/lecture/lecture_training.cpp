#include <array>
#include <cstdint>

#include "core/experiment/experiment.h"
#include "core/lecture/lecture_scene.h"
#include "core/spec/error.h"
#include "core/spec/keys.h"

namespace ropelab {

namespace {

constexpr std::array<std::string_view, 4> training_keys = {"preset", "set", "check", "seconds"};
constexpr std::int64_t most_live_runs = 100;
constexpr double longest_wait = 3600;  // seconds

/// Returns the number of runs that the swept settings and explicit runs describe, without listing them.
std::int64_t described_runs(const Experiment& experiment) {
    std::int64_t runs = std::max<std::int64_t>(1, static_cast<std::int64_t>(experiment.explicit_runs().size()));
    for (const Key& key : keys()) {
        if (!experiment.is_set(key.name)) continue;
        runs *= static_cast<std::int64_t>(experiment.values(key.name).size());
        if (runs > most_live_runs) break;
    }
    return runs;
}

/// Replaces settings of an experiment. Lists of explicit runs, zips and exclusions are replaced as a whole; an empty
/// list removes those of a preset.
void apply_settings(Experiment& experiment, const nlohmann::json& settings) {
    const Experiment described = Experiment::from_json(settings);
    for (const Key& key : keys()) {
        if (described.is_set(key.name)) experiment.set(key.name, described.values(key.name));
    }
    if (settings.contains("runs")) experiment.set_explicit_runs(described.explicit_runs());
    if (settings.contains("zip")) experiment.set_zips(described.zips());
    if (settings.contains("exclude")) experiment.set_exclusions(described.exclusions());
}

nlohmann::json settings_of(const YamlMapping& mapping, std::string_view key) {
    const YamlNode* node = mapping.find(key);
    if (!node) return nlohmann::json::object();
    const LecturePlace place = mapping.place_of(key);
    if (node->kind != YamlNode::Kind::mapping) {
        place.fail("\"" + std::string(key) + "\" must be a mapping of settings, such as {theta: [500, 10000]}.");
    }
    nlohmann::json settings = json_of_yaml(*node);
    if (settings.size() != node->keys.size()) place.fail("A setting is given twice; give each setting once.");
    place.run([&] {
        for (const auto& [name, value] : settings.items()) {
            if (name != "runs" && name != "zip" && name != "exclude") ropelab::key(shortened(name));
        }
        return Experiment::from_json(settings);
    });
    return settings;
}

}  // namespace

Experiment experiment_of(const LectureTraining& training, bool for_checks) {
    Experiment experiment("lecture");
    if (!training.preset.empty()) experiment = preset(training.preset).experiment;
    apply_settings(experiment, training.experiment);
    if (!for_checks) return experiment;
    const bool states_scale = training.check_settings.contains("iterations");
    if (!states_scale) apply_settings(experiment, {{"iterations", 20}, {"evaluate_every", 10}});
    apply_settings(experiment, training.check_settings);
    experiment.set("device", {"cpu"});
    return experiment;
}

LectureTraining parse_training(const YamlNode& node, const LecturePlace& place) {
    const YamlMapping mapping(node, place, "experiment", training_keys);
    LectureTraining training;
    training.preset = mapping.text("preset");
    if (mapping.has("preset")) mapping.place_of("preset").run([&] { preset(shortened(training.preset)); });
    training.experiment = settings_of(mapping, "set");
    training.check_settings = settings_of(mapping, "check");
    training.seconds = mapping.number("seconds", training.seconds);
    if (training.seconds <= 0 || training.seconds > longest_wait) {
        mapping.place_of("seconds").fail("The time \"seconds\" that a class waits must be above 0 and at most 3600.");
    }
    for (const bool for_checks : {false, true}) {
        mapping.place().run([&] {
            const Experiment experiment = experiment_of(training, for_checks);
            if (described_runs(experiment) > most_live_runs) {
                throw BadInput("The experiment has more than " + std::to_string(most_live_runs) +
                               " runs, too many to train in front of a class; give fewer values.");
            }
            experiment.expand();
        });
    }
    return training;
}

}  // namespace ropelab
