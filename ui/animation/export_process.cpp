#include "ui/animation/export_process.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <csignal>

namespace ropelab::ui {

using namespace Qt::StringLiterals;
namespace {

constexpr int kCloseTimeoutMs = 3000;   // until the process is killed when the window closes
constexpr int kStopTimeoutMs = 10'000;  // until it is killed after stop(); a wide frame takes seconds
constexpr int kNice = 10;               // lowers the priority, so that the window stays responsive

/// Runs between fork and exec; calls only functions that are safe there.
void prepareChild(pid_t parent) {
    // The process ends when the window is killed, also after the program has restarted itself.
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) _exit(1);
    if (nice(kNice) == -1) return;  // not fatal: the process then has the window's priority
}

}  // namespace

ExportProcess::ExportProcess(const QString& what, QObject* parent)
    : QObject(parent), m_what(what), m_program(QCoreApplication::applicationFilePath()) {
    m_process.setReadChannel(QProcess::StandardError);
    connect(&m_process, &QProcess::readyReadStandardError, this, &ExportProcess::read);
    connect(&m_process, &QProcess::finished, this, &ExportProcess::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;  // after all other errors, finished() follows
        emit failed(u"The %1 cannot be exported, because the program %2 does not start (%3)."_s.arg(
            m_what, m_program, m_process.errorString()));
    });
    m_process.setChildProcessModifier([parent = getpid()] { prepareChild(parent); });
    m_killTimer.setSingleShot(true);
    m_killTimer.setInterval(kStopTimeoutMs);
    connect(&m_killTimer, &QTimer::timeout, &m_process, &QProcess::kill);
}

ExportProcess::~ExportProcess() {
    if (!isRunning()) return;
    m_process.disconnect(this);
    m_process.terminate();
    if (m_process.waitForFinished(kCloseTimeoutMs)) return;
    m_process.kill();
    m_process.waitForFinished(kCloseTimeoutMs);
}

bool ExportProcess::start(const QStringList& arguments, bool isAnimated) {
    if (isRunning()) return false;
    m_done = 0;
    m_problem.clear();
    m_animated = isAnimated;
    m_stopping = false;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(u"QT_QPA_PLATFORM"_s, u"offscreen"_s);
    m_process.setProcessEnvironment(environment);
    m_process.start(m_program, arguments);
    return true;
}

void ExportProcess::stop() {
    if (!isRunning() || m_stopping) return;
    m_stopping = true;
    m_killTimer.start();
    m_process.terminate();  // the process ends after the current frame and leaves no incomplete file
}

void ExportProcess::read() {
    while (m_process.canReadLine()) {
        const QString line = QString::fromUtf8(m_process.readLine()).trimmed();
        const QString mark = u"ropelab: "_s;
        if (line.startsWith(mark)) m_problem = line.mid(mark.size());
        const QStringList words = line.split(QLatin1Char(' '));
        const bool isProgress = words[0] == "frame"_L1 || words[0] == "step"_L1;
        if (words.size() != 4 || !isProgress) continue;
        m_done = words[1].toInt();
        if (!m_stopping) emit progressed(m_done, words[3].toInt());
    }
}

void ExportProcess::end(int code, QProcess::ExitStatus status) {
    m_killTimer.stop();
    read();
    if (status == QProcess::NormalExit && code == 0) {
        emit finished(m_done);
    } else if (m_stopping) {
        emit stopped(m_animated ? 0 : m_done);
    } else {
        if (m_problem.isEmpty()) {
            m_problem = u"The %1 was not exported, because the program that exports it ended too early (%2)."_s.arg(
                m_what, status == QProcess::CrashExit ? m_process.errorString() : u"exit code %1"_s.arg(code));
        }
        emit failed(m_problem);
    }
}

}  // namespace ropelab::ui

#include "moc_export_process.cpp"
