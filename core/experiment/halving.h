#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/settings/run_spec.h"
#include "core/store/lab_file.h"

namespace ropelab {

/// Karnin et al. 2013; Jamieson and Talwalkar 2016: at the rungs, which are the iterations r, 2r, 4r, …, the worse half
/// of the settings is stopped. A setting is all runs that differ only in their seed; settings are ranked by their mean
/// validation loss. After rung k, ceil(n / 2^k) of n settings remain.
struct Halving {
    std::int64_t experiment = 0;  // number in the lab; runs of different experiments are not compared
    std::int64_t first_rung = 0;  // iteration of the first rung
    std::int64_t settings = 0;    // number of settings before the first rung
    bool operator==(const Halving&) const = default;
};

/// Counted from 1; 0 if there is none. There is no rung at the last iteration, and none where one setting remains.
int rung_at(const Halving& halving, std::int64_t iteration, std::int64_t iterations);

/// In ascending order.
std::vector<std::int64_t> rungs_of(const Halving& halving, std::int64_t iterations);

struct RungRun {
    RunSpec spec;
    double validation_loss = 0;
};
struct RungStop {
    std::size_t run = 0;
    std::string message;
};
/// Ascending. A setting that lost a run (because it diverged) ranks after all settings with more runs; settings with
/// equal losses rank in the order of their first runs. If fewer settings than planned remain, none is stopped.
std::vector<RungStop> stops_at_rung(const Halving& halving, int rung, std::int64_t iteration,
                                    std::span<const RungRun> runs);

/// Runs that differ only in their seed are one setting.
std::int64_t count_settings(std::span<const RunSpec> runs);

/// By successive halving; nullopt if it did not stop the run.
std::optional<int> stopped_at_rung(const RunRecord& run);

}  // namespace ropelab
