#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/store/lab_file.h"
#include "core/weights/safetensors.h"
#include "tests/core/data/scratch.h"

namespace ropelab {

/// Creates a lab with one experiment and `runs` waiting runs (with the ids 1, 2, …).
inline std::unique_ptr<LabFile> lab_with_runs(const std::filesystem::path& path, int runs) {
    std::unique_ptr<LabFile> lab = LabFile::create(path);
    const std::int64_t experiment = lab->add_experiment("sweep", R"({"theta":[500,10000]})");
    for (int i = 1; i <= runs; ++i) {
        lab->add_run(experiment, "run " + std::to_string(i), R"({"seed":)" + std::to_string(i) + "}");
    }
    return lab;
}

inline event::CohortStarted cohort_started(std::vector<RunId> runs, std::int64_t iteration = 0) {
    return {std::move(runs), iteration, 1000, {"bfloat16", "cpu", 2, "bfloat16: 1.4 × as fast as float32 here"}};
}

inline event::Step step(RunId run, std::int64_t iteration) {
    const double x = static_cast<double>(iteration);
    return {run, iteration, 4.0 / (1 + x), 0.1 * x, 1e-3, 1.7e9 + x};
}

/// Returns the events of training steps 1 … `iterations`, with an evaluation and a sample every 10 steps.
inline std::vector<Event> trained(RunId run, std::int64_t iterations) {
    std::vector<Event> events;
    for (std::int64_t i = 1; i <= iterations; ++i) {
        events.emplace_back(step(run, i));
        if (i % 10 != 0) continue;
        const double x = static_cast<double>(i);
        events.emplace_back(event::Evaluated{run, i, 3 / x, 3.5 / x, 1.7e9 + x + 0.5});
        events.emplace_back(event::Sampled{run, i, "text of step " + std::to_string(i)});
    }
    return events;
}

inline RunSummary summary_of(std::int64_t iterations) {
    return {iterations, 1.47, iterations - 10, 1.75, 1.5, 0.8, 12.5, 1e5};
}

inline void write_checkpoint_of(const LabFile& lab, RunId run, float value) {
    lab.checkpoint_folder();
    write_safetensors(lab.checkpoint_path(run), {{{"model.weight", {1}, {value}}}, {}});
}

inline float checkpoint_value(const LabFile& lab, RunId run) {
    return read_safetensors(lab.checkpoint_path(run)).tensors.at(0).values.at(0);
}

inline std::size_t files_in(const std::filesystem::path& folder) {
    std::size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) count += entry.exists();
    return count;
}

/// Expects equal metrics; NaN equals NaN.
inline void expect_equal(const RunMetrics& a, const RunMetrics& b) {
    const auto same = [](const std::vector<double>& x, const std::vector<double>& y) {
        if (x.size() != y.size()) return false;
        for (std::size_t i = 0; i < x.size(); ++i) {
            if (x[i] != y[i] && !(x[i] != x[i] && y[i] != y[i])) return false;
        }
        return true;
    };
    EXPECT_EQ(a.steps.iteration, b.steps.iteration);
    EXPECT_TRUE(same(a.steps.training_loss, b.steps.training_loss));
    EXPECT_TRUE(same(a.steps.gradient_norm, b.steps.gradient_norm));
    EXPECT_TRUE(same(a.steps.learning_rate, b.steps.learning_rate));
    EXPECT_TRUE(same(a.steps.time, b.steps.time));
    EXPECT_EQ(a.evaluations.iteration, b.evaluations.iteration);
    EXPECT_TRUE(same(a.evaluations.training_loss, b.evaluations.training_loss));
    EXPECT_TRUE(same(a.evaluations.validation_loss, b.evaluations.validation_loss));
    EXPECT_TRUE(same(a.evaluations.time, b.evaluations.time));
}

}  // namespace ropelab
