#pragma once

#include <optional>
#include <span>
#include <vector>

#include "core/contract/event.h"
#include "ui/probes/inside_run.h"
#include "ui/probes/inspect_data.h"

namespace ropelab::ui {

struct ExpertPoint {
    std::int64_t iteration = 0;
    double balance = 0;  // load-balancing loss (formula 50)
    double dropped = 0;  // part of the choices beyond the capacity, 0 to 1 (formula 51)
    bool operator==(const ExpertPoint&) const = default;
};
/// nullopt if the probe contains no experts.
std::optional<ExpertPoint> expertPoint(std::int64_t iteration, const ProbeResult& result);

struct LiveRun {
    RunId id = 0;
    QString name;
    const RunSpec* spec = nullptr;     // never null; copies for thousands of runs take long
    Ink ink;                           // with the shade of the seed
    std::optional<Snapshot> snapshot;  // nullopt before the first one
    RunState state = RunState::waiting;
    std::int64_t iteration = 0;             // finished steps
    std::vector<ExpertPoint> experts = {};  // of all probes so far, ascending; empty without experts
};

/// The visible runs of one setting, which differ only in their seed.
struct LiveSetting {
    QString label;
    std::vector<LiveRun> seeds;
};

/// The picked run alone, or all visible settings.
struct LiveData {
    std::vector<LiveSetting> settings;
    std::optional<LiveRun> picked;
};

/// −1 without snapshots.
std::int64_t newestStepOf(const LiveSetting& setting);
/// "step 450 of 2,000" or, if the newest snapshots of the settings are of different steps, "steps 64 to 2,000 of
/// 2,000"; "" without snapshots.
QString liveStepText(const LiveData& data);
/// A training run is beyond the step of its next measurement, which it left out (probes_are_expensive).
bool skipsProbes(const LiveData& data);
/// Tells when the first snapshot follows, or how to turn probes on; "" if the run has one.
QString whyNoProbe(const LiveRun& run);

// Figures of the newest snapshots of runs in training: of one run, or one curve per setting.

struct LiveFigure {
    const char* name;  // as that of the Inspect room's figure of the same quantity
    QString title;
    QString why;  // explanation with the formula, for the tooltip
    InspectPicture (*make)(const LiveData& data);
    bool isOfExperts = false;  // it shows LiveRun::experts
};

/// In the order of the Train room's list.
std::span<const LiveFigure> liveFigures();
const LiveFigure* findLiveFigure(const QString& name);

}  // namespace ropelab::ui
