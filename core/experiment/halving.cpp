#include "core/experiment/halving.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "core/base/numbers.h"

namespace ropelab {

namespace {

// The message of a stopped run begins with these words and the number of the rung.
constexpr std::string_view rung_words = "Stopped at rung ";

RunSpec setting_of(RunSpec spec) {
    spec.seed = RunSpec{}.seed;
    return spec;
}

struct RungSetting {
    RunSpec spec;
    std::vector<std::size_t> runs;
    double loss = 0;  // mean over the runs; infinite if a loss is not finite
};

std::vector<RungSetting> settings_at_rung(std::span<const RungRun> runs) {
    std::vector<RungSetting> settings;
    for (std::size_t i = 0; i < runs.size(); ++i) {
        const RunSpec spec = setting_of(runs[i].spec);
        auto found = std::find_if(settings.begin(), settings.end(),
                                  [&](const RungSetting& setting) { return setting.spec == spec; });
        if (found == settings.end()) found = settings.insert(settings.end(), {spec, {}, 0});
        found->runs.push_back(i);
    }
    for (RungSetting& setting : settings) {
        for (const std::size_t run : setting.runs) setting.loss += runs[run].validation_loss;
        setting.loss /= static_cast<double>(setting.runs.size());
        if (!std::isfinite(setting.loss)) setting.loss = std::numeric_limits<double>::infinity();
    }
    return settings;
}

std::int64_t remaining_after(const Halving& halving, int rung) {
    const std::int64_t parts = std::int64_t{1} << std::min(rung, 40);
    return (halving.settings + parts - 1) / parts;
}

}  // namespace

int rung_at(const Halving& halving, std::int64_t iteration, std::int64_t iterations) {
    if (iteration >= iterations || halving.first_rung < 1) return 0;
    int rung = 1;
    for (std::int64_t at = halving.first_rung; at <= iteration; at *= 2, ++rung) {
        if (rung > 1 && remaining_after(halving, rung - 1) <= 1) return 0;
        if (at == iteration) return rung;
    }
    return 0;
}

std::vector<std::int64_t> rungs_of(const Halving& halving, std::int64_t iterations) {
    std::vector<std::int64_t> rungs;
    for (std::int64_t at = halving.first_rung; rung_at(halving, at, iterations) > 0; at *= 2) rungs.push_back(at);
    return rungs;
}

std::vector<RungStop> stops_at_rung(const Halving& halving, int rung, std::int64_t iteration,
                                    std::span<const RungRun> runs) {
    std::vector<RungSetting> settings = settings_at_rung(runs);
    std::stable_sort(settings.begin(), settings.end(), [](const RungSetting& a, const RungSetting& b) {
        return a.runs.size() != b.runs.size() ? a.runs.size() > b.runs.size() : a.loss < b.loss;
    });
    std::vector<RungStop> stops;
    for (auto rank = static_cast<std::size_t>(remaining_after(halving, rung)); rank < settings.size(); ++rank) {
        for (const std::size_t run : settings[rank].runs) {
            stops.push_back({run, std::string(rung_words) + std::to_string(rung) +
                                      " of successive halving, iteration " + std::to_string(iteration) +
                                      ": the mean validation loss of its setting, " +
                                      number_text(std::round(settings[rank].loss * 1e6) / 1e6) + ", has rank " +
                                      std::to_string(rank + 1) + " of " + std::to_string(settings.size()) + "."});
        }
    }
    std::sort(stops.begin(), stops.end(), [](const RungStop& a, const RungStop& b) { return a.run < b.run; });
    return stops;
}

std::int64_t count_settings(std::span<const RunSpec> runs) {
    std::vector<RunSpec> settings;
    for (const RunSpec& run : runs) {
        RunSpec setting = setting_of(run);
        if (std::find(settings.begin(), settings.end(), setting) == settings.end())
            settings.push_back(std::move(setting));
    }
    return static_cast<std::int64_t>(settings.size());
}

std::optional<int> stopped_at_rung(const RunRecord& run) {
    if (run.state != RunState::stopped || !run.message.starts_with(rung_words)) return std::nullopt;
    int rung = 0;
    const char* first = run.message.data() + rung_words.size();
    if (std::from_chars(first, run.message.data() + run.message.size(), rung).ec != std::errc()) return std::nullopt;
    return rung;
}

}  // namespace ropelab
