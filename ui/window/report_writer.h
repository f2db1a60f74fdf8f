#pragma once

#include <QObject>
#include <QProcess>
#include <QString>

namespace ropelab::ui {

/// In a process of its own, `ropelab-cli report`, so that the window stays responsive.
class ReportWriter : public QObject {
    Q_OBJECT

 public:
    explicit ReportWriter(QObject* parent = nullptr);
    /// Ends a running process and waits for it.
    ~ReportWriter() override;

    /// Replaces ropelab-cli in the folder of this program, for tests.
    void setProgram(const QString& path) { m_program = path; }
    /// Replaces an earlier report; finished() or failed() follows. Does nothing if a report is being written.
    void start(const QString& lab, const QString& folder);
    bool isRunning() const { return m_process.state() != QProcess::NotRunning; }

 signals:
    void finished(const QString& folder);
    void failed(const QString& sentence);

 private:
    void end(int code, QProcess::ExitStatus status);

    QString m_program;
    QString m_folder;
    QProcess m_process;
};

}  // namespace ropelab::ui
