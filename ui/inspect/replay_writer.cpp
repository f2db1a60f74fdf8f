#include "ui/inspect/replay_writer.h"

#include <QCoreApplication>

namespace ropelab::ui {
namespace {

constexpr int kPatienceMs = 3000;

}  // namespace

ReplayWriter::ReplayWriter(QObject* parent) : QObject(parent), m_program(QCoreApplication::applicationFilePath()) {
    connect(&m_process, &QProcess::readyReadStandardOutput, this, &ReplayWriter::read);
    connect(&m_process, &QProcess::finished, this, &ReplayWriter::end);
    connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;  // finished() follows the others
        emit failed(tr("The replay cannot be painted: %1 does not start.").arg(m_program));
    });
}

ReplayWriter::~ReplayWriter() {
    if (!isRunning()) return;
    m_process.disconnect(this);
    m_process.terminate();
    if (!m_process.waitForFinished(kPatienceMs)) m_process.kill();
}

void ReplayWriter::start(const ReplayJob& job) {
    if (isRunning()) return;
    m_done = 0;
    m_stopping = false;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    m_process.setProcessEnvironment(environment);
    m_process.start(m_program, {QStringLiteral("--replay"), QString::fromStdString(replayJobText(job))});
}

void ReplayWriter::stop() {
    if (!isRunning()) return;
    m_stopping = true;
    m_process.terminate();  // it ends after the frame at hand and leaves no half file
}

void ReplayWriter::read() {
    while (m_process.canReadLine()) {
        const QStringList words = QString::fromUtf8(m_process.readLine()).simplified().split(QLatin1Char(' '));
        if (words.size() != 4 || words[0] != QLatin1String("frame")) continue;
        m_done = words[1].toInt();
        emit progressed(m_done, words[3].toInt());
    }
}

void ReplayWriter::end(int code, QProcess::ExitStatus status) {
    read();
    if (status == QProcess::NormalExit && code == 0) {
        emit finished(m_done);
    } else if (m_stopping) {
        emit stopped();
    } else {
        QString sentence = tr("The program that paints the replay ended before it was done.");
        const QString mark = QStringLiteral("ropelab: ");
        for (const QString& line : QString::fromUtf8(m_process.readAllStandardError()).split(QLatin1Char('\n'))) {
            if (line.startsWith(mark)) sentence = line.mid(mark.size());
        }
        emit failed(sentence);
    }
}

}  // namespace ropelab::ui
