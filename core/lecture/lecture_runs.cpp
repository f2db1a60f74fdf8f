#include <chrono>
#include <stdexcept>
#include <thread>

#include "core/machine/engine_loader.h"
#include "core/sweep/lab_plan.h"
#include "core/run/runner.h"
#include "core/lecture/lecture_check.h"
#include "core/store/lab_recorder.h"

namespace ropelab {

namespace {

/// Stores a new experiment in the lab and returns the plan of its runs.
Plan plan_of_check(const std::filesystem::path& lab, const Experiment& experiment,
                   const std::filesystem::path& data_dir) {
    Plan plan;
    plan.data_dir = data_dir;
    const auto file = create_filled_lab(lab, [&](LabFile& fresh) {
        plan.runs = plan_new_runs(fresh, experiment).runs;
        settle_data(fresh, plan);
    });
    plan.runs = plan_continued_runs(*file, unfinished_runs(*file)).runs;
    return plan;
}

void require_finished(const std::filesystem::path& lab) {
    for (const RunRecord& run : LabFile::open(lab, LabFile::Mode::read)->runs()) {
        if (run.state == RunState::finished) continue;
        throw std::runtime_error("The run \"" + run.name + "\" did not finish" +
                                 (run.message.empty() ? "." : ": " + run.message));
    }
}

}  // namespace

std::filesystem::path train_into(const std::filesystem::path& folder, const Experiment& experiment,
                                 const LectureCheckOptions& options) {
    const std::filesystem::path lab = folder / "checks.ropelab";
    Plan plan = plan_of_check(lab, experiment, options.data_dir);
    LabRecorder recorder(lab);
    connect(plan, lab, recorder);
    Runner runner(open_engine, [&](const Event& event) { recorder.record(event); });
    runner.start(std::move(plan));
    bool cancelled = false;
    while (runner.running()) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        if (!cancelled && options.cancelled && options.cancelled()) {
            cancelled = true;
            runner.stop();
        }
    }
    runner.join();
    if (const std::string error = recorder.close(); !error.empty()) throw std::runtime_error(error);
    if (cancelled) throw std::runtime_error("Training was interrupted.");
    require_finished(lab);
    return lab;
}

}  // namespace ropelab
