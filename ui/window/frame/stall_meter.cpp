#include "ui/window/frame/stall_meter.h"

#include <algorithm>
#include <ctime>

namespace ropelab::ui {

namespace {

constexpr int kTickMs = 4;

// CPU time of this thread, in milliseconds.
double workSoFar() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) / 1e6;
}

}  // namespace

StallMeter::StallMeter(QObject* parent) : QObject(parent) {
    m_timer.setTimerType(Qt::PreciseTimer);
    m_timer.setInterval(kTickMs);
    connect(&m_timer, &QTimer::timeout, this, &StallMeter::tick);
}

void StallMeter::restart() {
    m_longest = 0;
    m_longestWork = 0;
    m_sinceTick.start();
    m_workAtTick = workSoFar();
    m_timer.start();
}

void StallMeter::stop() {
    if (!m_timer.isActive()) return;
    tick();
    m_timer.stop();
}

void StallMeter::tick() {
    const double late = static_cast<double>(m_sinceTick.nsecsElapsed()) / 1e6 - kTickMs;
    const double work = workSoFar();
    m_longest = std::max({m_longest, late, 0.0});
    m_longestWork = std::max(m_longestWork, work - m_workAtTick);
    m_sinceTick.start();
    m_workAtTick = work;
}

}  // namespace ropelab::ui

#include "moc_stall_meter.cpp"
