#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "core/spec/run_spec.h"

namespace ropelab::terminal {

/// The runs that a training would train.
struct PlannedTraining {
    std::vector<RunSpec> runs;
    std::vector<std::int64_t> from;  // iteration from which each run resumes; 0 for the beginning
    std::string words;               // sentence on the lab that is resumed; "" without a lab

    void add(RunSpec run, std::int64_t iteration) {
        runs.push_back(std::move(run));
        from.push_back(iteration);
    }
};

/// Prints the output of `sweep --plan`: a table of the runs with the settings that differ, their cohorts, and the time
/// and memory of each cohort. If `measure` is true, a few steps of each cohort are timed on this machine; otherwise
/// time and memory are estimated. The time is that of the remaining iterations. Writes no file and trains no run.
/// Throws BadInput if the data is unsuitable and std::runtime_error if a measurement is interrupted.
void print_plan(const PlannedTraining& training, bool measure, const std::filesystem::path& data_dir, bool as_json);

}  // namespace ropelab::terminal
