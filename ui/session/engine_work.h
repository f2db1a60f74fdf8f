#pragma once

#include <QString>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/reproduce/sheet_lab.h"
#include "core/rope/context.h"
#include "core/run/checkpoint.h"
#include "core/store/lab_file.h"
#include "ui/common/latest_job.h"
#include "ui/session/engine_lock.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

class EngineLock;

/// An answer, a problem, or neither if the work was interrupted.
template <typename Answer>
struct Outcome {
    std::optional<Answer> answer;
    QString problem;           // why the work failed; "" if it did not fail
    bool interrupted = false;  // training needed the engine, or the work was cancelled
};

/// `work` is called with the engine and a function that returns true when it has to end. The result is valid if that
/// function never returned true, even if training wants the engine now.
template <typename Answer, typename Work>
Outcome<Answer> withEngine(EngineLock& engineLock, const Cancelled& cancelled, const Work& work) {
    Outcome<Answer> outcome;
    bool endRequested = false;
    const Cancelled ends = [&] { return endRequested = endRequested || cancelled() || engineLock.isWanted(); };
    try {
        const bool called = engineLock.hold([&](Engine& engine) { outcome.answer = work(engine, ends); });
        outcome.interrupted = endRequested || !called;
    } catch (const std::exception& error) {
        outcome.interrupted = endRequested;
        if (!endRequested) outcome.problem = QString::fromUtf8(error.what());
    }
    if (outcome.interrupted) outcome.answer.reset();
    return outcome;
}

/// Calls withEngine() on the thread of `job`, then `done` with the outcome on the window's thread, unless another job
/// has replaced it.
template <typename Answer, typename Work, typename Done>
void startWithEngine(LatestJob& job, EngineLock& engineLock, Work work, Done done) {
    engineLock.released();
    job.start([&engineLock, work = std::move(work),
               done = std::move(done)](const Cancelled& cancelled) -> std::function<void()> {
        const auto outcome = std::make_shared<Outcome<Answer>>(withEngine<Answer>(engineLock, cancelled, work));
        return [outcome, done] { done(*outcome); };
    });
}

/// At most every 33 ms, but always the first and the last step.
class ProgressLimiter {
 public:
    explicit ProgressLimiter(std::int64_t steps) : m_steps(steps) {}

    bool isDue(std::int64_t done) {
        using namespace std::chrono_literals;
        const auto now = std::chrono::steady_clock::now();
        if (done == m_reported || (m_reported >= 0 && done < m_steps && now - m_lastTime < 33ms)) return false;
        m_reported = done;
        m_lastTime = now;
        return true;
    }

 private:
    std::int64_t m_steps;
    std::int64_t m_reported = -1;
    std::chrono::steady_clock::time_point m_lastTime;
};

/// A run of the lab that has been evaluated, or a model that was opened with the lab.
struct EvaluatedRun {
    RunId id = 0;  // below 0 for a model (LabDocument::models)
    QString name;
    RunSpec spec = {};  // of a run
    std::optional<ModelMark> model = {};
};
/// nullopt if there is none with this id.
std::optional<EvaluatedRun> evaluatedRun(const RunAccess& access, RunId id);
bool canEvaluate(const RunView& run);
/// A function for any thread, which reads the headers of a model within seconds. It throws BadInput as readCheckpoint,
/// require_same_model and external_run.
std::function<Checkpoint()> checkpointReader(const RunAccess& access, const EvaluatedRun& run);
/// Why the engine cannot evaluate a model now; "" if it can.
QString whyEngineIsBusy(const RunAccess& access);

/// Its step is not compared, because pages show runs that are training.
RunCheckpoint checkpointOfRun(const LabFile& lab, RunId run);
/// The run has not written a checkpoint yet, or the file is missing.
std::string whyNoCheckpoint(const RunCheckpoint& checkpoint);
/// Throws BadInput, with whyNoCheckpoint, if there is none.
Checkpoint readCheckpoint(const RunCheckpoint& run);

/// Measures the quantities that sheets (reproductions and sets of predictions) require of their runs. Uses the engine
/// exclusively, because speeds are measured too. Returns why it failed; "" if it finished or was cancelled.
QString measureWithLock(EngineLock& engineLock, const QString& lab, const std::vector<StoredSheet>& sheets,
                        const std::filesystem::path& dataDir, const Cancelled& cancelled);

}  // namespace ropelab::ui
