#pragma once

#include <QObject>
#include <QProcess>
#include <QTimer>

#include "ui/inspect/replay_job.h"

namespace ropelab::ui {

/// Writes replays in a program of its own, the window's own one started without a display: painting a frame takes
/// longer than the window's thread may, and plots can be painted on no other thread of a program.
class ReplayWriter : public QObject {
    Q_OBJECT

 public:
    explicit ReplayWriter(QObject* parent = nullptr);
    /// Ends a running one and waits for it.
    ~ReplayWriter() override;

    /// Another program than this one, for tests.
    void setProgram(const QString& path) { m_program = path; }

    /// progressed() follows, then finished(), stopped() or failed(). False, and nothing, while one runs.
    bool start(const ReplayJob& job);
    /// stopped() follows without any more of progressed(), or finished() where all was written already.
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

 signals:
    void progressed(int done, int all);
    void finished(int frames);
    /// How many frames stay, as files of their own.
    void stopped(int frames);
    /// One sentence.
    void failed(const QString& sentence);

 private:
    void read();
    void end(int code, QProcess::ExitStatus status);

    QString m_program;
    QProcess m_process;
    QTimer m_patience;
    bool m_animated = false;
    int m_done = 0;
    bool m_stopping = false;
    QString m_problem;  // what the program said of it
};

}  // namespace ropelab::ui
