#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <set>

#include "ui/common/latest_job.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/inspect/inspect_need.h"
#include "ui/session/run_access.h"

namespace ropelab::ui {

/// Loads runs from the lab on another thread and then updates them with the events of a training sweep.
class InspectSource : public QObject {
    Q_OBJECT

 public:
    explicit InspectSource(const RunAccess& access, QObject* parent = nullptr);

    /// Loads missing runs; changed() follows. The id 0 means no run. `modelText`: as openModel().
    void setRuns(RunId run, RunId ghost, const QString& modelText);
    /// nullptr while the run is being loaded.
    std::shared_ptr<const InsideRun> run(RunId id) const;
    /// Tells why the lab could not be read; "" if it could.
    const QString& problem() const { return m_problem; }
    bool isLoading() const { return m_job.isRunning(); }
    /// While inactive the source loads nothing and ignores events; it reloads the runs when it is activated.
    void setActive(bool active);

 signals:
    void changed();

 private:
    void load();
    void handleDeliveries(const std::vector<Delivery>& deliveries);
    void apply(const Delivery& delivery);
    void reload();
    /// The user may have changed the colours.
    void renewColors();

    LabDocument& m_lab;
    const RunStore& m_runStore;
    SweepSession& m_session;
    std::filesystem::path m_dataDir;
    QString m_modelText;
    std::set<RunId> m_wanted;
    std::map<RunId, std::shared_ptr<const InsideRun>> m_runs;
    std::vector<Delivery> m_pending;  // events that arrived while runs were being loaded
    QString m_problem;
    bool m_active = false;
    LatestJob m_job;  // declared last, so that its thread ends before the other members are destroyed
};

/// Computes results that need a run's model (attention in a typed text, ablation, length extrapolation, fine-tuning) on
/// another thread. A new request of a kind cancels the previous one; the old result is kept until the new one is
/// available. Opening another lab discards all results.
class ModelAnswers : public QObject {
    Q_OBJECT

 public:
    explicit ModelAnswers(RunAccess access, QObject* parent = nullptr);

    // A repeated request does nothing. While other work uses the engine, the problem states which; changed() is emitted
    // when that work has ended, so that the request can be repeated.

    /// Inputs for which the need is not asked remove the result. For a run in training, a need that a probe can answer
    /// uses the training model instead of the checkpoint.
    void request(const InspectNeed& need, const std::shared_ptr<const InsideRun>& run, const ModelInputs& inputs);
    /// This can take long and continues while the room is hidden. Results of other runs, and of the same checkpoint
    /// with other methods and lengths, are kept.
    void startFineTuning(const std::shared_ptr<const InsideRun>& run, const FineTuning& how);
    /// Its result is discarded.
    void cancelFineTuning();
    /// "" if fine-tuning can start.
    QString whyNoFineTuning(const InsideRun& run, const FineTuning& how) const;
    /// "" if the last fine-tuning of this run did not fail.
    QString fineTuningProblem(RunId run) const;
    bool isFineTuning() const { return m_tuning.job.isRunning(); }
    /// The run whose copy is being fine-tuned; "" if there is none.
    QString fineTunedRun() const { return isFineTuning() ? m_tuning.run->name : QString(); }
    /// Cancels all requests except fine-tuning. A repeated request starts again.
    void pause();

    /// Copies the results for the run of `data`, and the reason if that of `need`, which may be null, is missing.
    void fill(InspectData& data, const InspectNeed* need) const;
    /// Tells why the last request failed or waits; "" if it does neither.
    QString problemOf(const InspectNeed& need) const;
    bool isBusy() const;

 signals:
    /// A result is available, or work has started or ended.
    void changed();
    void fineTuningProgressed(std::int64_t done, std::int64_t steps);

 private:
    struct Question {
        QString key;    // identifies the last request
        RunId run = 0;  // the run to which `answer` and `problem` belong
        ModelInputs inputs;
        InspectFill answer;  // null: none yet
        QString problem;
        bool waits = false;  // other work uses the engine
        LatestJob job;

        void clear();
    };
    struct Tuning {
        std::shared_ptr<const InsideRun> run;  // the run that is being fine-tuned, or was last
        QString problem;                       // why fine-tuning `run` failed; "" if it did not
        bool waits = false;                    // other work uses the engine, as `problem` states
        std::map<RunId, std::vector<ExtrapolationResult>> results;
        LatestJob job;
    };
    void take(Question& question, const InspectFill& answer, const QString& problem);
    void computeWithoutEngine(Question& question, const InspectNeed& need, const std::shared_ptr<const InsideRun>& run);
    void computeWithEngine(Question& question, const InspectNeed& need, const std::shared_ptr<const InsideRun>& run);
    void askTraining(Question& question, const InspectNeed& need, const std::shared_ptr<const InsideRun>& run);
    bool isTraining(RunId run) const;
    QString engineUser() const;
    QString waitingReason() const;
    void storeResult(RunId run, const ExtrapolationResult& result);
    void retry(bool onlyWaiting);
    void discard();

    RunAccess m_access;
    std::map<const InspectNeed*, Question> m_questions;
    Tuning m_tuning;  // declared last: its thread ends first, so that the others need not wait for the engine
};

}  // namespace ropelab::ui
