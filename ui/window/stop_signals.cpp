#include "ui/window/stop_signals.h"

#include <fcntl.h>
#include <unistd.h>

#include <QSocketNotifier>
#include <array>
#include <csignal>
#include <utility>

namespace ropelab::ui {

namespace {

// A handler may only call few functions, so that it writes a byte, on which the event loop waits.
std::array<int, 2> signalPipe = {-1, -1};

void noteSignal(int received) {
    std::signal(received, SIG_DFL);
    const char byte = 0;
    if (::write(signalPipe[1], &byte, 1) < 0) std::raise(received);
}

}  // namespace

void onStopSignal(QObject* context, std::function<void()> stop) {
    if (::pipe2(signalPipe.data(), O_CLOEXEC | O_NONBLOCK) != 0) return;
    auto* notifier = new QSocketNotifier(signalPipe[0], QSocketNotifier::Read, context);
    QObject::connect(notifier, &QSocketNotifier::activated, context, [notifier, stop = std::move(stop)] {
        notifier->setEnabled(false);
        stop();
    });
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
        if (std::signal(signal, noteSignal) == SIG_IGN) std::signal(signal, SIG_IGN);  // nohup
    }
}

}  // namespace ropelab::ui
