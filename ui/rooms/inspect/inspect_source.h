#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <set>

#include "ui/common/latest_job.h"
#include "ui/probes/inside_run.h"
#include "ui/session/event_queue.h"

namespace ropelab::ui {

class LabDocument;
class SweepSession;

/// Loads runs from the lab on another thread and then updates them with the events of a training sweep.
class InspectSource : public QObject {
    Q_OBJECT

 public:
    InspectSource(LabDocument& lab, SweepSession& session, QObject* parent = nullptr);

    /// Loads missing runs; changed() follows. The id 0 means no run.
    void setRuns(RunId run, RunId ghost);
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
    SweepSession& m_session;
    std::set<RunId> m_wanted;
    std::map<RunId, std::shared_ptr<const InsideRun>> m_runs;
    std::vector<Delivery> m_pending;  // events that arrived while runs were being loaded
    QString m_problem;
    bool m_active = false;
    LatestJob m_job;  // declared last, so that its thread ends before the other members are destroyed
};

}  // namespace ropelab::ui
