#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/forecast/time_model.h"
#include "core/settings/run_spec.h"

namespace ropelab {

struct Estimate {
    double seconds = 0;
    std::int64_t bytes = 0;       // peak resident memory, engine included; with device=cuda the device's memory
    std::int64_t parameters = 0;  // trainable parameters of the largest run
    int runs = 0;
    int cohorts = 0;
};
/// `model` gives the time. Data sets are also searched in `data_dir`. `loads_engine`: the sweep loads the engine if
/// this process has not loaded it yet.
Estimate estimate(const std::vector<RunSpec>& runs, const TimeModel& model = *machine_time_model(),
                  const std::filesystem::path& data_dir = {}, bool loads_engine = true);

}  // namespace ropelab
