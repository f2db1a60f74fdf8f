#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace ropelab::ui {

/// A separate process (this program, started without a display), because painting a frame would block the window's
/// thread, and plots cannot be painted on another thread.
class ExportProcess : public QObject {
    Q_OBJECT

 public:
    /// `what` names the exported file in messages, for example "replay".
    explicit ExportProcess(const QString& what, QObject* parent = nullptr);
    /// Terminates a running export and waits for it.
    ~ExportProcess() override;

    /// Replaces this program, for tests.
    void setProgram(const QString& path) { m_program = path; }

    /// progressed() follows, then finished(), stopped() or failed(). A stopped export leaves no file if it
    /// `isAnimated`, and the completed frames otherwise. Returns false if an export is already running.
    bool start(const QStringList& arguments, bool isAnimated);
    /// stopped() follows, or finished() if all frames are already written. progressed() is not emitted any more.
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

 signals:
    void progressed(int done, int all);
    void finished(int frames);
    /// `frames`: number of files that were written.
    void stopped(int frames);
    void failed(const QString& sentence);

 private:
    void read();
    void end(int code, QProcess::ExitStatus status);

    QString m_what;
    QString m_program;
    QProcess m_process;
    QTimer m_killTimer;
    bool m_animated = false;
    int m_done = 0;
    bool m_stopping = false;
    QString m_problem;  // the error message of the process
};

}  // namespace ropelab::ui
