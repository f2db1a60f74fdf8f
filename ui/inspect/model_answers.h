#pragma once

#include <QObject>
#include <future>
#include <map>
#include <optional>

#include "ui/inspect/engine_turn.h"
#include "ui/inspect/inspect_figures.h"
#include "ui/inspect/probe_work.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

class Workspace;

/// What a run's model answers, asked beside the window's thread: the latest question of each kind stands, and the one
/// before it is cancelled. The old answer stays until the new one is here. Another lab has none of them.
class ModelAnswers : public QObject {
    Q_OBJECT

 public:
    explicit ModelAnswers(Workspace& workspace, QObject* parent = nullptr);

    // Asking the same again does nothing. While something else has the engine, the problem says what; changed() follows
    // when that ends, to ask again.
    /// "" takes the text away. A run in training is asked itself.
    void wantText(const std::shared_ptr<const InsideRun>& run, const QString& text, std::optional<int> pair);
    void wantKnockOut(const std::shared_ptr<const InsideRun>& run, const KnockOut& knockOut);
    void wantKnockOutCurve(const std::shared_ptr<const InsideRun>& run, KnockOut::Kind kind);
    void wantBeyond(const std::shared_ptr<const InsideRun>& run, std::int64_t factor);
    /// Trains a copy of the run on, which takes its time: only where it is asked for, and it goes on while the room is
    /// hidden. What was trained of the same checkpoint for other methods and lengths stays, and so does other runs'.
    void startFineTuning(const std::shared_ptr<const InsideRun>& run, const FineTuning& how);
    void cancelFineTuning();
    /// Why it cannot be started; "" where it can.
    QString whyNoFineTuning(const InsideRun& run, const FineTuning& how) const;
    /// Why that run's last one did not go; "" where it did.
    QString fineTuningProblem(RunId run) const;
    bool isFineTuning() const { return m_tuning.job.isRunning(); }
    /// The run whose copy trains; "" where none does.
    QString fineTunedRun() const { return isFineTuning() ? m_tuning.run->name : QString(); }
    /// Ends what is being asked, as when the room is hidden; asking again starts anew.
    void pause();

    /// Puts the answers that belong to its run into the data, and why the one that a figure reads is missing.
    void fill(InspectData& data, InspectFigure::Reads reads) const;
    /// Why the text cannot be read; "" where it can.
    const QString& textProblem() const { return m_text.problem; }
    bool isBusy() const;

 signals:
    /// An answer came, or work began or ended.
    void changed();
    void fineTuned(std::int64_t done, std::int64_t steps);

 private:
    template <typename Answer>
    struct Question {
        QString key;
        RunId run = 0;  // whose answer and problem it is
        std::optional<Answer> answer;
        QString problem;
        bool waits = false;  // for the engine
        LatestJob job;
    };
    struct Tuning {
        std::shared_ptr<const InsideRun> run;  // whose copy trains, or trained last
        QString problem;                       // of that run
        bool waits = false;                    // for who has the engine, says the problem
        std::map<RunId, std::vector<BeyondResult>> results;
        LatestJob job;
    };
    template <typename Answer>
    void begin(Question<Answer>& question, const InsideRun& run, const QString& key);
    template <typename Answer>
    void ask(Question<Answer>& question, const std::shared_ptr<const InsideRun>& run, const QString& key,
             std::function<Answer(Engine&, const Cancelled&)> work);
    bool askTraining(const std::shared_ptr<const InsideRun>& run, const QString& text, std::optional<int> pair,
                     const QString& question);
    bool isTraining(RunId run) const;
    QString whoHasTheEngine() const;
    QString waitingWords() const;
    void keep(RunId run, const BeyondResult& result);
    template <typename Visit>
    void each(const Visit& visit);
    void again(bool onlyWaiting);
    void forget();

    Workspace& m_workspace;
    Question<TextAnswer> m_text;
    std::optional<int> m_pair;  // asked with the text
    Question<KnockOutResult> m_knockOut;
    Question<KnockOutCurve> m_curve;
    Question<BeyondResult> m_beyond;
    Tuning m_tuning;  // last, so that it ends first and the others need not wait
};

}  // namespace ropelab::ui
