#include "core/contract/anatomy_times.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>

#include "core/base/random_stream.h"
#include "core/plan/step_cost.h"

namespace ropelab {

namespace {

const AnatomySection* section_of(const Anatomy& anatomy, const StagePlace& place) {
    for (const AnatomySection& section : anatomy.sections) {
        if (place.layer >= 0) {
            if (std::find(section.layers.begin(), section.layers.end(), place.layer) != section.layers.end())
                return &section;
        } else if (section.layers.empty()) {
            const auto has = [&](const AnatomyStage& stage) { return stage.id == place.id; };
            if (std::any_of(section.stages.begin(), section.stages.end(), has)) return &section;
        }
    }
    return nullptr;
}

// The id if the anatomy lacks the stage.
std::string name_of(const Anatomy& anatomy, const StagePlace& place) {
    if (const AnatomySection* section = section_of(anatomy, place)) {
        for (const AnatomyStage& stage : section->stages) {
            if (stage.id == place.id) return stage.name;
        }
    }
    return place.id;
}

}  // namespace

StageTimes measure_stages(Engine& engine, const RunSpec& spec, std::int64_t vocabulary,
                          const std::function<bool()>& cancelled) {
    check(spec);
    refuse_large_model(spec, vocabulary);
    StageTimesRequest request;
    request.sequences = spec.sequences_per_pass();
    request.cancelled = cancelled;
    const RandomStream stream(spec.seed, "stage_times");
    const std::int64_t count = request.sequences * spec.context;
    request.tokens.reserve(static_cast<std::size_t>(count));
    for (std::int64_t i = 0; i < count; ++i) {
        request.tokens.push_back(static_cast<std::int32_t>(
            stream.below(static_cast<std::uint64_t>(vocabulary), 0, static_cast<std::uint64_t>(i))));
    }
    return create_untrained_model(engine, spec, static_cast<int>(vocabulary))->stage_times(request);
}

void add_times(Anatomy& anatomy, const StageTimes& times) {
    std::map<StagePlace, const StageTime*> measured;
    for (const StageTime& each : times.stages) measured[each.place] = &each;
    for (AnatomySection& section : anatomy.sections) {
        const std::vector<std::int64_t> layers =
            section.layers.empty() ? std::vector<std::int64_t>{-1} : section.layers;
        for (AnatomyStage& stage : section.stages) {
            stage.seconds.reset();
            stage.within.clear();
            double sum = 0;
            bool is_measured = false;
            for (const std::int64_t layer : layers) {
                const auto found = measured.find({stage.id, layer});
                if (found == measured.end()) continue;
                if (!found->second->within) {
                    sum += found->second->seconds;
                    is_measured = true;
                    continue;
                }
                const std::string name = name_of(anatomy, *found->second->within);
                if (std::find(stage.within.begin(), stage.within.end(), name) == stage.within.end())
                    stage.within.push_back(name);
            }
            if (is_measured && stage.within.empty()) stage.seconds = sum / static_cast<double>(layers.size());
        }
    }
    anatomy.times = times;
}

std::string milliseconds_text(double seconds) {
    std::array<char, 32> text{};
    const double milliseconds = 1000 * seconds;
    const int decimals = milliseconds < 9.995 ? 3 : milliseconds < 99.95 ? 2 : milliseconds < 999.5 ? 1 : 0;
    std::snprintf(text.data(), text.size(), "%.*f", decimals, milliseconds);
    return text.data();
}

std::string stage_time(const AnatomyStage& stage) {
    if (stage.seconds) return milliseconds_text(*stage.seconds);
    std::string names;
    for (const std::string& name : stage.within) names += (names.empty() ? "in " : ", ") + name;
    return names;
}

std::vector<std::string> times_remarks(const Anatomy& anatomy) {
    const StageTimes& times = anatomy.times;
    if (times.empty()) return {};
    return {"Times are medians of " + std::to_string(times.passes) + " forward passes of " +
                std::to_string(times.sequences) + " × " + std::to_string(times.length) +
                " tokens with random initial weights on this machine (" + times.precision + ", " +
                (times.device == "cuda" ? "CUDA" : "CPU") + "), in ms per pass.",
            "A whole forward pass takes " + milliseconds_text(times.whole) +
                " ms; rows that are computed as one operation share one time."};
}

}  // namespace ropelab
