#include "ui/rooms/train/live_data.h"

#include <QObject>
#include <algorithm>

#include "core/run/probing.h"
#include "ui/common/format.h"

namespace ropelab::ui {

std::optional<ExpertPoint> expertPoint(std::int64_t iteration, const ProbeResult& result) {
    const std::vector<float>& balance = result.expert_balance.values;
    const std::vector<float>& dropped = result.expert_dropped.values;
    ExpertPoint mean{iteration};
    int layers = 0;
    for (std::size_t layer = 0; layer < balance.size(); ++layer) {
        if (balance[layer] <= 0) continue;  // a layer with a dense feed-forward network
        ++layers;
        mean.balance += static_cast<double>(balance[layer]);
        if (layer < dropped.size()) mean.dropped += static_cast<double>(dropped[layer]);
    }
    if (layers == 0) return std::nullopt;
    mean.balance /= layers;
    mean.dropped /= layers;
    return mean;
}

std::int64_t newestStepOf(const LiveSetting& setting) {
    std::int64_t newest = -1;
    for (const LiveRun& run : setting.seeds) {
        if (run.snapshot) newest = std::max(newest, run.snapshot->iteration);
    }
    return newest;
}

QString liveStepText(const LiveData& data) {
    std::vector<std::int64_t> steps;
    std::int64_t all = 0;
    const auto add = [&](std::int64_t step, const RunSpec& spec) {
        steps.push_back(step);
        all = std::max(all, spec.iterations);
    };
    if (data.picked) {
        if (data.picked->snapshot) add(data.picked->snapshot->iteration, data.picked->spec);
    } else {
        for (const LiveSetting& setting : data.settings) {
            if (const std::int64_t step = newestStepOf(setting); step >= 0) add(step, setting.seeds.front().spec);
        }
    }
    if (steps.empty()) return {};
    const auto [low, high] = std::minmax_element(steps.begin(), steps.end());
    if (*low == *high) return QObject::tr("step %1 of %2").arg(groupedText(*low), groupedText(all));
    return QObject::tr("steps %1 to %2 of %3").arg(groupedText(*low), groupedText(*high), groupedText(all));
}

QString whyNoProbe(const LiveRun& run) {
    if (run.snapshot) return {};
    if (run.spec.probe_every == 0) {
        return QObject::tr(
                   "%1 trains without probes (probe_every = 0). To record them in the next sweep, set probe_every to 1 "
                   "under “More settings”.")
            .arg(run.name);
    }
    const bool isOver = run.state == RunState::finished || run.state == RunState::failed;
    const bool hasStarted = run.iteration > 0 || run.state == RunState::running || run.state == RunState::paused;
    const auto next = isOver ? std::nullopt : next_probe(run.spec, hasStarted ? run.iteration : -1);
    if (!next) return QObject::tr("%1 stored no probes.").arg(run.name);
    if (*next == 0) {
        return QObject::tr("%1 has not started: its first probe is measured before its first step.").arg(run.name);
    }
    return QObject::tr("No probe of %1 yet: the next one is measured after step %2 of %3.")
        .arg(run.name, groupedText(*next), groupedText(run.spec.iterations));
}

}  // namespace ropelab::ui
