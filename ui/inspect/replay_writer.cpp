#include "ui/inspect/replay_writer.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <csignal>

namespace ropelab::ui {
namespace {

constexpr int kPatienceMs = 3000;          // where the window closes
constexpr int kPatienceWithStop = 10'000;  // a wide frame takes seconds
constexpr int kNice = 10;                  // the window comes first

/// In the new process, before the program: only what is safe between fork and exec.
void settle(pid_t parent) {
    // It outlives no window that was killed. The program's restart of itself keeps this.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    if (nice(kNice) == -1) return;  // then it is as urgent as the window
}

}  // namespace

ReplayWriter::ReplayWriter(QObject* parent) : QObject(parent), m_program(QCoreApplication::applicationFilePath()) {
    m_process.setReadChannel(QProcess::StandardError);
    connect(&m_process, &QProcess::readyReadStandardError, this, &ReplayWriter::read);
    connect(&m_process, &QProcess::finished, this, &ReplayWriter::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;  // finished() follows the others
        emit failed(
            tr("The replay cannot be painted: %1 does not start (%2).").arg(m_program, m_process.errorString()));
    });
    m_process.setChildProcessModifier([parent = getpid()] { settle(parent); });
    m_patience.setSingleShot(true);
    m_patience.setInterval(kPatienceWithStop);
    connect(&m_patience, &QTimer::timeout, &m_process, &QProcess::kill);
}

ReplayWriter::~ReplayWriter() {
    if (!isRunning()) return;
    m_process.disconnect(this);
    m_process.terminate();
    if (m_process.waitForFinished(kPatienceMs)) return;
    m_process.kill();
    m_process.waitForFinished(kPatienceMs);
}

bool ReplayWriter::start(const ReplayJob& job) {
    if (isRunning()) return false;
    m_done = 0;
    m_problem.clear();
    m_animated = job.isAnimated();
    m_stopping = false;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    m_process.setProcessEnvironment(environment);
    m_process.start(m_program, {QStringLiteral("--replay"), QString::fromStdString(replayJobText(job))});
    return true;
}

void ReplayWriter::stop() {
    if (!isRunning() || m_stopping) return;
    m_stopping = true;
    m_patience.start();
    m_process.terminate();  // it ends after the frame at hand and leaves no half file
}

void ReplayWriter::read() {
    while (m_process.canReadLine()) {
        const QString line = QString::fromUtf8(m_process.readLine()).trimmed();
        const QString mark = QStringLiteral("ropelab: ");
        if (line.startsWith(mark)) m_problem = line.mid(mark.size());
        const QStringList words = line.split(QLatin1Char(' '));
        if (words.size() != 4 || words[0] != QLatin1String("frame")) continue;
        m_done = words[1].toInt();
        if (!m_stopping) emit progressed(m_done, words[3].toInt());
    }
}

void ReplayWriter::end(int code, QProcess::ExitStatus status) {
    m_patience.stop();
    read();
    if (status == QProcess::NormalExit && code == 0) {
        emit finished(m_done);
    } else if (m_stopping) {
        emit stopped(m_animated ? 0 : m_done);
    } else {
        if (m_problem.isEmpty()) {
            m_problem =
                tr("The program that paints the replay ended before it was done (%1).")
                    .arg(status == QProcess::CrashExit ? m_process.errorString() : tr("exit code %1").arg(code));
        }
        emit failed(m_problem);
    }
}

}  // namespace ropelab::ui
