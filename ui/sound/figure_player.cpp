#include "ui/sound/figure_player.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QKeyEvent>

#include "core/base/error.h"

#ifdef ROPELAB_MULTIMEDIA
#include <QAudioDevice>
#include <QAudioFormat>
#include <QAudioSink>
#include <QMediaDevices>
#endif

namespace ropelab::ui {

using namespace Qt::StringLiterals;

struct FigurePlayer::Output {
#ifdef ROPELAB_MULTIMEDIA
    QBuffer samples;
    std::unique_ptr<QAudioSink> sink;
#endif
};

FigurePlayer& FigurePlayer::instance() {
    // The application deletes its children after the last window.
    static auto* player = new FigurePlayer(QCoreApplication::instance());
    return *player;
}

QString FigurePlayer::whyUnavailable() {
#ifdef ROPELAB_MULTIMEDIA
    return {};
#else
    return u"this version of RoPE Lab was built without Qt Multimedia, which plays sounds"_s;
#endif
}

FigurePlayer::FigurePlayer(QObject* parent) : QObject(parent) {}

FigurePlayer::~FigurePlayer() = default;

bool FigurePlayer::isPlaying() const {
    return m_output != nullptr;
}

void FigurePlayer::play([[maybe_unused]] const FigureSound& sound) {
    stop();
#ifdef ROPELAB_MULTIMEDIA
    const QAudioDevice device = QMediaDevices::defaultAudioOutput();
    if (device.isNull()) throw BadInput("The figure cannot be played, because this computer has no audio output.");
    QAudioFormat format;
    format.setSampleRate(FigureSound::kRate);
    format.setChannelCount(2);
    format.setSampleFormat(QAudioFormat::Int16);
    if (!device.isFormatSupported(format)) {
        throw BadInput(
            "The audio output " + device.description().toStdString() +
            " cannot play the figure, because it does not support 16-bit stereo at 44,100 samples per second.");
    }
    m_output = std::make_unique<Output>();
    m_output->samples.setData(samplesOf(sound));
    m_output->samples.open(QIODevice::ReadOnly);
    m_output->sink = std::make_unique<QAudioSink>(device, format);
    QAudioSink* sink = m_output->sink.get();
    connect(
        sink, &QAudioSink::stateChanged, this,
        [this, sink](QAudio::State state) {
            // The state is idle when all samples were played, and stopped after an error of the device. A sound that
            // was replaced must not stop its successor.
            const bool isOver = state == QAudio::IdleState || state == QAudio::StoppedState;
            if (isOver && m_output && m_output->sink.get() == sink) stop();
        },
        Qt::QueuedConnection);
    sink->start(&m_output->samples);
    qApp->installEventFilter(this);
#else
    throw BadInput("The figure cannot be played: " + whyUnavailable().toStdString() + ".");
#endif
}

void FigurePlayer::stop() {
    if (!m_output) return;
    if (qApp) qApp->removeEventFilter(this);
    m_output.reset();
}

bool FigurePlayer::eventFilter(QObject* watched, QEvent* event) {
    const bool isKey = event->type() == QEvent::KeyPress || event->type() == QEvent::ShortcutOverride;
    if (!isKey || static_cast<QKeyEvent*>(event)->key() != Qt::Key_Escape) return QObject::eventFilter(watched, event);
    if (event->type() == QEvent::KeyPress) stop();
    event->accept();
    return true;
}

}  // namespace ropelab::ui

#include "moc_figure_player.cpp"
