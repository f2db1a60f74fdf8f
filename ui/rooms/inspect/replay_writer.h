#pragma once

#include "ui/animation/export_process.h"
#include "ui/rooms/inspect/replay_job.h"

namespace ropelab::ui {

/// Exports replays in a separate process.
class ReplayWriter : public ExportProcess {
    Q_OBJECT

 public:
    explicit ReplayWriter(QObject* parent = nullptr) : ExportProcess(tr("replay"), parent) {}

    /// Returns false if an export is already running.
    bool start(const ReplayJob& job) {
        return ExportProcess::start({QStringLiteral("--replay"), QString::fromStdString(replayJobText(job))},
                                    job.isAnimated());
    }
};

}  // namespace ropelab::ui
