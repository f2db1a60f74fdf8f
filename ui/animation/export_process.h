#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTimer>

namespace ropelab::ui {

/// Exports an animation or the pages of a lecture in a separate process, which is this program started without a
/// display. Painting a frame would block the window's thread, and plots cannot be painted on another thread.
class ExportProcess : public QObject {
    Q_OBJECT

 public:
    /// `what` names the exported file in messages, for example "replay".
    explicit ExportProcess(const QString& what, QObject* parent = nullptr);
    /// Terminates a running export and waits for it.
    ~ExportProcess() override;

    /// Sets the program that is started instead of this one, for tests.
    void setProgram(const QString& path) { m_program = path; }

    /// Starts an export with these arguments of the program; progressed() follows, then finished(), stopped() or
    /// failed(). A stopped export leaves no file if it `isAnimated`, and the completed frames otherwise. Returns false
    /// if an export is already running.
    bool start(const QStringList& arguments, bool isAnimated);
    /// Stops the export; stopped() follows, or finished() if all frames are already written. progressed() is not
    /// emitted any more.
    void stop();
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

 signals:
    /// `done` of `all` frames or pages are written.
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
