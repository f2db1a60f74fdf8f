#pragma once

#include <QObject>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

#include "ui/common/latest_job.h"
#include "ui/probes/inside_run.h"
#include "ui/rooms/train/live_data.h"
#include "ui/session/event_queue.h"

namespace ropelab::ui {

class LabDocument;
class SweepSession;

/// Loads stored snapshots from the lab on another thread; the events of training replace them. Only one snapshot per
/// run is in memory, with a few numbers of all its snapshots, so that sweeps of many runs stay small.
class LatestSnapshots : public QObject {
    Q_OBJECT

 public:
    LatestSnapshots(LabDocument& lab, SweepSession& session, QObject* parent = nullptr);

    /// Loads the snapshots of new runs; changed() follows if there are any.
    void setRuns(const std::set<RunId>& runs);
    /// nullptr if there is none, or while it is being loaded.
    const Snapshot* find(RunId run) const;
    /// If true, the numbers of experts of earlier snapshots are loaded too, for which all snapshots are read.
    void setWithExperts(bool wanted);
    /// In ascending order of steps; empty without experts.
    std::vector<ExpertPoint> experts(RunId run) const;
    bool isLoading() const { return m_job.isRunning(); }
    /// Tells why the lab could not be read; "" if it could.
    const QString& problem() const { return m_problem; }

 signals:
    void changed();

 private:
    void load();
    void reload();
    void handleDeliveries(const std::vector<Delivery>& deliveries);

    LabDocument& m_lab;
    std::set<RunId> m_runs;
    std::set<RunId> m_loaded;                 // runs whose stored snapshot has been loaded, if there is one
    std::map<RunId, Snapshot> m_latest;       // of selected runs only
    std::map<RunId, std::int64_t> m_discard;  // step after which a resumed run's snapshots do not count
    std::map<RunId, std::map<std::int64_t, ExpertPoint>> m_experts;  // by step
    bool m_withExperts = false;
    QString m_problem;
    LatestJob m_job;  // declared last, so that its thread ends before the other members are destroyed
};

}  // namespace ropelab::ui
