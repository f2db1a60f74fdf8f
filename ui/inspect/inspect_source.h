#pragma once

#include <QObject>
#include <map>
#include <memory>
#include <set>

#include "ui/experiment/event_queue.h"
#include "ui/inspect/inside_run.h"
#include "ui/rotary/latest_job.h"

namespace ropelab::ui {

class Workspace;

/// The runs that the Inspect room shows: read from the lab beside the window's thread, then kept up to date by what is
/// delivered while a sweep trains.
class InspectSource : public QObject {
    Q_OBJECT

 public:
    explicit InspectSource(Workspace& workspace, QObject* parent = nullptr);

    /// Reads those of the runs that are not here yet; changed() follows. 0: none.
    void want(RunId run, RunId ghost);
    /// Null while it is being read.
    std::shared_ptr<const InsideRun> run(RunId id) const;
    /// Why the lab could not be read; "" where it was.
    const QString& problem() const { return m_problem; }
    bool isReading() const { return m_job.isRunning(); }
    /// While it sleeps it reads and takes nothing; what came meanwhile is read when it wakes.
    void setAwake(bool awake);

 signals:
    void changed();

 private:
    void read();
    void take(const std::vector<Delivery>& deliveries);
    void apply(const Delivery& delivery);
    void forget();

    Workspace& m_workspace;
    std::set<RunId> m_wanted;
    std::map<RunId, std::shared_ptr<const InsideRun>> m_runs;
    std::vector<Delivery> m_meanwhile;  // what came while it was reading
    QString m_problem;
    bool m_awake = false;
    LatestJob m_job;  // last, so that it ends first
};

}  // namespace ropelab::ui
