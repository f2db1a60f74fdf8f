#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>

#include "ui/rooms/inspect/replay_job.h"

namespace ropelab::ui {

/// Exports replays in a separate process, which is this program started without a display. Painting a frame would block
/// the window's thread, and plots cannot be painted on another thread.
class ReplayWriter : public QObject {
    Q_OBJECT

 public:
    explicit ReplayWriter(QObject* parent = nullptr);
    /// Terminates a running export and waits for it.
    ~ReplayWriter() override;

    /// Sets the program that is started instead of this one, for tests.
    void setProgram(const QString& path) { m_program = path; }

    /// Starts an export; progressed() follows, then finished(), stopped() or failed(). Returns false if an export is
    /// already running.
    bool start(const ReplayJob& job);
    /// Stops the export; stopped() follows, or finished() if all frames are already written. progressed() is not
    /// emitted any more.
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

 signals:
    /// `done` of `all` frames are written.
    void progressed(int done, int all);
    /// The export is complete; `frames` is the number of frames.
    void finished(int frames);
    /// The export was stopped; `frames` is the number of files that were written.
    void stopped(int frames);
    /// The export failed for the reason in `sentence`.
    void failed(const QString& sentence);

 private:
    void read();
    void end(int code, QProcess::ExitStatus status);

    QString m_program;
    QProcess m_process;
    QTimer m_killTimer;
    bool m_animated = false;
    int m_done = 0;
    bool m_stopping = false;
    QString m_problem;  // the error message of the process
};

}  // namespace ropelab::ui
